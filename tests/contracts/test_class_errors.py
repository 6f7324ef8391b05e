"""Every mistake in a class is found when the class is made, in one sentence that names the thing,
what was found, and the fix."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import attrs
import pytest

from anubis_py import (
    ConfigurationError,
    HttpSettings,
    Icon,
    Prompt,
    PromptComponent,
    PromptProvider,
    Resource,
    ResourceComponent,
    ResourceTemplate,
    Response,
    ServerBehaviour,
    Tool,
    ToolComponent,
    ToolProvider,
    component,
    embeds_one,
    enum,
    field,
)


class Good(ToolComponent):
    def execute(self, args: Any, frame: Any) -> Any:
        return Response.tool()


class GoodPrompt(PromptComponent):
    name = "good"

    def get_messages(self, args: Any, frame: Any) -> Any:
        return ""


class Needy(ToolComponent):
    def __init__(self, database: Any) -> None:
        self.database = database

    def execute(self, args: Any, frame: Any) -> Any:
        return Response.tool()


class Abstract(ToolComponent, abstract=True):
    pass


def execute(self: Any, args: Any, frame: Any) -> Any:
    return Response.tool()


async def coroutine(self: Any, *arguments: Any) -> Any:
    return None


def server(**members: Any) -> Any:
    return type("Mistaken", (ServerBehaviour,), {"name": "m", "version": "1", **members})


def unnamed(**members: Any) -> Any:
    return type("Mistaken", (ServerBehaviour,), members)


def tool(**members: Any) -> Any:
    """A server with a tool of these members, for what is found when the tool is registered."""
    return server(components=[type("Odd", (ToolComponent,), {"execute": execute, **members})])


def prompt(**members: Any) -> Any:
    given = {"get_messages": execute, **members}
    return server(components=[type("Odd", (PromptComponent,), given)])


def resource(**members: Any) -> Any:
    given = {"uri": "odd:///r", "read": execute, **members}
    return server(components=[type("Odd", (ResourceComponent,), given)])


def only(base: type, **members: Any) -> Any:
    """A component with exactly these members."""
    return type("Odd", (base,), members)


MISTAKES: dict[str, tuple[Callable[[], Any], str]] = {
    # Identity
    "no name": (
        lambda: unnamed(version="1"),
        r'^Mistaken needs a name: set `name = "…"` in the class, got None\.$',
    ),
    "no version": (
        lambda: unnamed(name="m"),
        r'^Mistaken needs a version: set `version = "…"` in the class, got None\.$',
    ),
    "an empty name": (lambda: server(name=""), r"^Mistaken needs a name: .* got ''\.$"),
    "a number for a version": (
        lambda: server(version=1.0),
        r"^Mistaken needs a version: .* got 1\.0\.$",
    ),
    "a number for instructions": (
        lambda: server(instructions=5),
        r"^Mistaken: instructions must be text, got int\.$",
    ),
    "a number for the server's title": (
        lambda: server(title=5),
        r"^Mistaken: title must be text, got int\.$",
    ),
    "icons of the server that are none": (
        lambda: server(icons=["https://a.example/i.png"]),
        r"^Mistaken: icons must be a list of Icon, got str\.$",
    ),
    # Components
    "the same tool twice": (
        lambda: server(components=[Good, Good]),
        r"^Mistaken has two components for tool 'good': rename one, with component\(…, name=…\)\.$",
    ),
    "the same URI twice": (
        lambda: server(
            components=[
                only(ResourceComponent, name="a", uri="u:u", read=execute),
                only(ResourceComponent, name="b", uri="u:u", read=execute),
            ]
        ),
        r"^Mistaken has two components for resource 'u:u': rename one",
    ),
    "a name that a provider has too": (
        lambda: server(components=[Good, Twin]),
        r"^Mistaken has two components for tool 'good': rename one",
    ),
    "no component": (
        lambda: server(components=[object]),
        (
            r"^Mistaken: object is no component\. List subclasses of PromptComponent, "
            r"ToolComponent or ResourceComponent, their instances, providers, or modules\.$"
        ),
    ),
    "an instance that is no component": (
        lambda: server(components=[5]),
        r"^Mistaken: a int is no component\. ",
    ),
    "a name for a component": (
        lambda: server(components=["good"]),
        r"^Mistaken: a str is no component\. ",
    ),
    "one component and no list": (
        lambda: server(components=Good),
        r"^Mistaken: components must be a list, got <class '.*Good'>\.$",
    ),
    "an abstract component": (
        lambda: server(components=[Abstract]),
        r"^Mistaken: Abstract is abstract; register a subclass\.$",
    ),
    "a base class of ours": (
        lambda: server(components=[ToolComponent]),
        r"^Mistaken: ToolComponent is abstract; register a subclass\.$",
    ),
    "constructor arguments": (
        lambda: server(components=[Needy]),
        (
            r"^Mistaken: Needy cannot be made without arguments \(.*database.*\); "
            r"register an instance instead of the class\.$"
        ),
    ),
    "a registration without a name": (
        lambda: component(Good, name=""),
        r"^component\(…, name=…\) needs a name, got ''\.$",
    ),
    "a provider that offers another kind": (
        lambda: server(components=[Confused]),
        r"^Confused offers a Prompt: it may offer Tool\.$",
    ),
    # Callbacks of components
    "no callback": (
        lambda: only(ToolComponent),
        r"^Odd has no execute method: define `def execute\(self, args, frame\)`\.$",
    ),
    "a misspelt callback": (
        lambda: only(ToolComponent, exceute=execute),
        (
            r"^Odd has no execute method: define `def execute\(self, args, frame\)`\. "
            r"Is it misspelt as 'exceute'\?$"
        ),
    ),
    "a misspelt callback of a prompt": (
        lambda: only(PromptComponent, get_message=execute),
        r"^Odd has no get_messages method: .* Is it misspelt as 'get_message'\?$",
    ),
    "a misspelt callback of a provider": (
        lambda: only(PromptProvider, prompts=lambda self: [], get_prompt=execute),
        r"^Odd has no prompt_get method: define `def prompt_get\(self, name, args, frame\)`\.",
    ),
    "too few parameters": (
        lambda: only(ToolComponent, execute=lambda self, args: None),
        (
            r"^Odd\.execute is declared with \(self, args\): "
            r"declare it as `def execute\(self, args, frame\)`\.$"
        ),
    ),
    "too many parameters": (
        lambda: only(ResourceComponent, uri="u:u", read=lambda self, a, b, c: None),
        (
            r"^Odd\.read is declared with \(self, a, b, c\): "
            r"declare it as `def read\(self, params, frame\)`\.$"
        ),
    ),
    "a callback that is no function": (
        lambda: only(ToolComponent, execute=5),
        r"^Odd\.execute is 5: declare it as `def execute\(self, args, frame\)`\.$",
    ),
    # Callbacks of the server
    "a misspelt callback of the server": (
        lambda: server(handle_requst=execute),
        r"^Mistaken\.handle_requst is no callback\. Did you mean 'handle_request'\?$",
    ),
    "a misspelt plain callback": (
        lambda: server(cache_hint=lambda self, method: {}),
        r"^Mistaken\.cache_hint is no callback\. Did you mean 'cache_hints'\?$",
    ),
    "a callback with the wrong parameters": (
        lambda: server(init=lambda self, frame: None),
        (
            r"^Mistaken\.init is declared with \(self, frame\): "
            r"declare it as `def init\(self, client_info, frame\)`\.$"
        ),
    ),
    **{
        f"async {name}": (
            lambda name=name: server(**{name: coroutine}),  # type: ignore[misc]
            rf"^Mistaken\.{name} is async: it runs inline, declare it with plain def\.$",
        )
        for name in ("cache_hints", "server_tools", "server_instructions", "serialize_assigns")
    },
    "an async description": (
        lambda: prompt(description=coroutine),
        r"^Odd\.description is async: it runs inline, declare it with plain def\.$",
    ),
    # Tools
    "a blank in a tool's name": (
        lambda: tool(name="my tool"),
        r"^A tool's name is 1 to 128 of A-Z, a-z, 0-9, '_', '-' and '\.', got 'my tool'\.$",
    ),
    "a long tool's name": (lambda: tool(name="x" * 129), r"^A tool's name is 1 to 128 of "),
    "a letter outside ASCII in a tool's name": (
        lambda: tool(name="größe"),
        r"^A tool's name is 1 to 128 of .* got 'größe'\.$",
    ),
    "an unknown annotation": (
        lambda: tool(annotations={"readOnlyHnt": True}),
        r"^tool 'odd': unknown annotation 'readOnlyHnt'\. Did you mean 'readOnlyHint'\?$",
    ),
    "an annotation of the wrong type": (
        lambda: tool(annotations={"readOnlyHint": "yes"}),
        r"^tool 'odd': annotation readOnlyHint must be a bool, got 'yes'\.$",
    ),
    "annotations that are no mapping": (
        lambda: tool(annotations=["readOnlyHint"]),
        r"^tool 'odd': annotations must be a mapping, got list\.$",
    ),
    "arguments declared twice": (
        lambda: tool(schema=[field("a", str)], input_schema=lambda self: {"type": "object"}),
        r"^Odd declares its arguments twice: keep schema or input_schema\.$",
    ),
    "an input schema that is no object's": (
        lambda: tool(input_schema=lambda self: {"type": "string"}),
        r"^tool 'odd': the root of the schema must say \"type\": \"object\"",
    ),
    "an invalid input schema": (
        lambda: tool(input_schema=lambda self: {"type": "object", "properties": 5}),
        r"^tool 'odd': invalid JSON Schema",
    ),
    "a dialect that nobody speaks": (
        lambda: tool(input_schema=lambda self: {"type": "object", "$schema": "x:y"}),
        r"^tool 'odd': \$schema names an unsupported dialect: 'x:y'\.",
    ),
    "an output schema that is none": (
        lambda: tool(output_schema=5),
        r"^tool 'odd', output_schema: int declares nothing\.",
    ),
    "a schema that is none": (lambda: tool(schema=5), r"^Odd: int declares nothing\."),
    "a field that is none": (
        lambda: tool(schema=["a"]),
        r"^Odd: item 0 of the list is str and must be a field\(…\)",
    ),
    "two fields of one name": (
        lambda: tool(schema=[field("a", str), field("a", int)]),
        r"^Odd: field 'a' is declared twice\. Remove or rename one",
    ),
    # Prompts
    "an argument without a name": (
        lambda: prompt(arguments=lambda self: [{"description": "x"}]),
        r"^prompt 'odd': an argument is a field or a mapping with a 'name', got ",
    ),
    "an unknown member of an argument": (
        lambda: prompt(arguments=lambda self: [{"name": "a", "requird": True}]),
        (
            r"^prompt 'odd': argument 'a' has an unknown member 'requird'\. "
            r"Did you mean 'required'\?$"
        ),
    ),
    "a prompt's arguments declared twice": (
        lambda: prompt(schema=[field("a", str)], arguments=lambda self: []),
        r"^Odd declares its arguments twice: keep schema or arguments\(\)\.$",
    ),
    "a text for required": (
        lambda: prompt(arguments=lambda self: [{"name": "a", "required": "yes"}]),
        r"^prompt 'odd': argument 'a': required must be a bool, got 'yes'\.$",
    ),
    # Resources
    "neither uri nor uri_template": (
        lambda: only(ResourceComponent, read=execute),
        r"^Odd needs either uri or uri_template, and has neither\.$",
    ),
    "both uri and uri_template": (
        lambda: only(ResourceComponent, uri="u:u", uri_template="u:{x}", read=execute),
        r"^Odd needs either uri or uri_template, and has both\.$",
    ),
    "a URI without a scheme": (
        lambda: resource(uri="/etc/hosts"),
        (
            r"^A resource's uri begins with a scheme, such as 'notes:///', and has no white space, "
            r"got '/etc/hosts'\.$"
        ),
    ),
    "a brace without its counterpart": (
        lambda: only(ResourceComponent, uri_template="u:{x", read=execute),
        r"^Odd: URI template 'u:\{x': '\{' at position 2 has no counterpart: ",
    ),
    "a variable twice": (
        lambda: only(ResourceComponent, uri_template="u:{x}/{x}", read=execute),
        r"^Odd: URI template 'u:\{x\}/\{x\}': 'x' is there twice: ",
    ),
    "an audience that is none": (
        lambda: resource(annotations={"audience": ["system"]}),
        r"^resource 'odd': .*audience.*'system'",
    ),
    "a priority above 1": (
        lambda: resource(annotations={"priority": 2}),
        r"^resource 'odd': .*priority.*2",
    ),
    "an unknown annotation of a resource": (
        lambda: resource(annotations={"prority": 1}),
        r"^resource 'odd': .*'prority'.*Did you mean 'priority'\?$",
    ),
    "a text for a size": (
        lambda: resource(size="big"),
        r"^resource 'odd:///r': size must be an integer of bytes, got str\.$",
    ),
    "a number for mime_type": (
        lambda: resource(mime_type=5),
        r"^resource 'odd:///r': mime_type must be text, got int\.$",
    ),
    # What all components have
    "a text for scopes": (
        lambda: tool(scopes="admin"),
        r"^(tool 'odd'.*)?scopes must be a collection of strings, got 'admin'\.$",
    ),
    "numbers for scopes": (
        lambda: prompt(scopes=[1]),
        r"^(prompt 'odd'.*)?scopes must be a collection of strings, got \[1\]\.$",
    ),
    "None for scopes": (
        lambda: tool(scopes=None),
        r"^(tool 'odd'.*)?scopes must be a collection of strings, got None\.$",
    ),
    "a number for a title": (
        lambda: prompt(title=5),
        r"^prompt 'odd': title must be text, got int\.$",
    ),
    "a number for a description": (
        lambda: prompt(description=5),
        r"^prompt 'odd': description must be text, got int\.$",
    ),
    "a number for a tool's description": (
        lambda: tool(description=5),
        r"^tool 'odd': description must be text, got int\.$",
    ),
    "a number for a name": (lambda: prompt(name=5), r"^A prompt needs a name, got 5\.$"),
    "icons that are none": (
        lambda: tool(icons=["https://a.example/i.png"]),
        r"^(tool 'odd'.*)?icons must be a list of Icon, got str\.$",
    ),
    "meta that is no mapping": (
        lambda: tool(meta=5),
        r"^tool 'odd': meta must be a mapping, got int\.$",
    ),
    "a text for a timeout": (
        lambda: tool(timeout="5"),
        r"^tool 'odd': timeout must be a number of seconds above 0, or None, got '5'\.$",
    ),
    "a timeout below zero": (
        lambda: tool(timeout=-1),
        r"^tool 'odd': timeout must be a number of seconds above 0, or None, got -1\.$",
    ),
    "a timeout of the server that is none": (
        lambda: server(timeout="30"),
        r"^Mistaken: timeout must be a number of seconds above 0, or None, got '30'\.$",
    ),
    # Fields
    "an unknown capability": (
        lambda: server(capabilities={"promts": {}}),
        r"^Mistaken: unknown capability 'promts'\. Did you mean 'prompts'\?$",
    ),
    "an unknown capability in a list": (
        lambda: server(capabilities=["tool"]),
        r"^Mistaken: unknown capability 'tool'\. Did you mean 'tools'\?$",
    ),
    "a text for capabilities": (
        lambda: server(capabilities="tools"),
        r"^Mistaken: capabilities must be a mapping or a list of names, got 'tools'\.$",
    ),
    "an unknown flag": (
        lambda: server(capabilities={"prompts": {"list_change": True}}),
        r"^Mistaken: capability 'prompts' takes the flags listChanged, got 'list_change': True\.$",
    ),
    "a flag where there is none": (
        lambda: server(capabilities={"logging": {"x": True}}),
        r"^Mistaken: capability 'logging' takes no flags, got 'x': True\.$",
    ),
    "a flag that is no boolean": (
        lambda: server(capabilities={"resources": {"subscribe": "yes"}}),
        r"^Mistaken: capability 'resources' takes the flags .* got 'subscribe': 'yes'\.$",
    ),
    "flags that are no mapping": (
        lambda: server(capabilities={"prompts": True}),
        r"^Mistaken: capability 'prompts' takes a mapping of flags, got True\.$",
    ),
    "an unknown protocol version": (
        lambda: server(protocol_versions=["2024-11-05"]),
        r"^Mistaken: protocol version '2024-11-05' is not served; choose from .*2026-07-28.*\.$",
    ),
    "no protocol version": (
        lambda: server(protocol_versions=[]),
        r"^Mistaken serves no protocol version; leave the default\.$",
    ),
    "a required field with a default": (
        lambda: field("a", str, required=True, default="x"),
        (
            r"^field 'a': a required field is always sent, so its default would never be used\. "
            r"Remove required=True or the default$"
        ),
    ),
    "a default that its type refuses": (
        lambda: field("a", int, default="x"),
        r"^field 'a': its own type refuses the default 'x'",
    ),
    "an option that its type does not take": (
        lambda: field("a", str, multiple_of=2),
        r"^field 'a': multiple_of says nothing about string\. Options that do: ",
    ),
    "a type that is none": (lambda: field("a", object()), r"^field 'a': "),
    "an enumeration of nothing": (lambda: field("a", enum()), r"there are no options"),
    "a field inside another": (
        lambda: embeds_one("a", [field("b", int, default="x")]),
        r"^field 'b': its own type refuses",
    ),
    # Settings of the endpoint
    "an unknown setting": (
        lambda: server().asgi(allowed_host="x"),
        r"^There is no setting 'allowed_host'\. Did you mean 'allowed_hosts'\?$",
    ),
    "a host that matches nothing": (
        lambda: server().asgi(allowed_hosts=["https://a.example/"]),
        r"^allowed_hosts has 'https://a\.example/', which matches nothing: write 'a\.example'$",
    ),
}


class Twin(ToolProvider):
    def tools(self) -> Any:
        return [Tool("good")]

    def tool_call(self, name: str, args: Any, frame: Any) -> Any:
        return Response.tool()


class Confused(ToolProvider):
    def tools(self) -> Any:
        return [Prompt("p")]

    def tool_call(self, name: str, args: Any, frame: Any) -> Any:
        return Response.tool()


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_sentence(mistake: str) -> None:
    make, message = MISTAKES[mistake]
    with pytest.raises(ConfigurationError, match=message) as error:
        make()
    assert "\n" not in str(error.value)


def test_a_class_that_is_refused_is_refused_while_it_is_made() -> None:
    """Not when an instance is made, nor by the first request."""
    with pytest.raises(ConfigurationError):

        class Mistaken(ServerBehaviour):
            version = "1"


# What is no mistake.


def test_an_authors_own_methods_may_have_any_name() -> None:
    names = (
        *("handle_payment", "handle_error", "handle_event", "handle_login", "handle_data"),
        *("handle_message", "handle_upload", "handle_result", "initialise", "tools", "request"),
    )
    server(**dict.fromkeys(names, execute))


def test_more_parameters_with_defaults_are_no_mistake() -> None:
    class Wide(ToolComponent):
        def execute(self, args: Any, frame: Any, *, clock: Any = None, **more: Any) -> Any:
            return Response.tool()

    class Loose(ToolComponent):
        def execute(self, *everything: Any) -> Any:
            return Response.tool()

    server(components=[Wide, Loose])


def test_an_abstract_server_needs_no_name() -> None:
    class Base(ServerBehaviour, abstract=True):
        components = (Good,)

    class Named(Base):
        name = "named"
        version = "1"

    assert Named().catalog.tools.stocked


def test_one_component_may_stand_under_two_names() -> None:
    made = server(components=[Good, component(Good, name="better"), Needy("db")])()
    assert [tool.name for tool in made.catalog.tools.fixed] == ["better", "good", "needy"]


def test_a_tool_and_a_prompt_may_share_a_name() -> None:
    server(components=[Good, GoodPrompt])


def test_a_module_offers_what_it_defines_itself() -> None:
    module = ModuleType("offers")

    class Own(Good):
        pass

    class Base(Good, abstract=True):
        pass

    Own.__module__ = Base.__module__ = "offers"
    vars(module).update(Own=Own, Base=Base, Good=Good, other=5)
    made = server(components=[module])()
    assert [tool.name for tool in made.catalog.tools.fixed] == ["own"]


def test_definitions_are_checked_where_they_are_made() -> None:
    Resource("r", uri="u:u", icons=[Icon("https://a.example/i.png")])
    ResourceTemplate("t", uri_template="u:{x}")
    with pytest.raises(ConfigurationError, match=r"^A resource needs a name, got ''\.$"):
        Resource("", uri="u:u")
    with pytest.raises(ConfigurationError, match=r"^A tool's name is 1 to 128 of "):
        attrs.evolve(Tool("t"), name="a tool")


def test_settings_are_checked_where_they_are_made() -> None:
    with pytest.raises(ConfigurationError, match=r"^There is no setting 'max_bodies'\."):
        HttpSettings.of({"max_bodies": 5})
