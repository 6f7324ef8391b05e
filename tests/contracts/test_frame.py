"""The frame is a value: nothing changes in place, nothing sticks unless it is returned."""

from __future__ import annotations

import json
from typing import Any

import attrs
import pytest

from anubis_py import (
    ConfigurationError,
    Context,
    Frame,
    Prompt,
    Resource,
    Response,
    Tool,
    ToolComponent,
)


class Ready(ToolComponent):
    def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool()


def test_assign_gives_a_new_frame() -> None:
    frame = Frame()
    assigned = frame.assign(a=1)
    assert frame.assigns == {}
    assert assigned.assigns == {"a": 1}
    assert assigned.assign(b=2).assigns == {"a": 1, "b": 2}
    assert assigned.assign(a=3).assigns == {"a": 3}
    assert assigned.assigns == {"a": 1}


def test_assign_takes_keywords_a_mapping_or_a_pair() -> None:
    assert Frame().assign({"a": 1}).assigns == {"a": 1}
    assert Frame().assign("a", 1).assigns == {"a": 1}
    assert Frame().assign("a", None).assigns == {"a": None}
    assert Frame().assign({"a": 1}, b=2).assigns == {"a": 1, "b": 2}
    assert Frame().assign(key=1, value=2, self=3).assigns == {"key": 1, "value": 2, "self": 3}


def test_a_key_is_a_text() -> None:
    with pytest.raises(TypeError, match=r"^the key of an assign is a str, got int$"):
        Frame().assign({1: 2})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match=r"^assign\('a'\) needs a value$"):
        Frame().assign("a")


def test_assigns_cannot_be_changed_in_place() -> None:
    source = {"a": 1}
    frame = Frame(source)
    source["a"] = 2
    assert frame.assigns == {"a": 1}
    with pytest.raises(TypeError, match="does not support item assignment"):
        frame.assigns["a"] = 2  # type: ignore[index]
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        frame.assigns = {}  # type: ignore[misc]


def test_assign_new_calls_its_factory_only_if_needed() -> None:
    calls: list[int] = []

    def factory() -> int:
        calls.append(1)
        return 7

    frame = Frame().assign_new("a", factory)
    assert frame.assigns == {"a": 7}
    assert frame.assign_new("a", factory).assigns == {"a": 7}
    assert Frame().assign(a=None).assign_new("a", factory).assigns == {"a": None}
    assert len(calls) == 1


def test_an_assign_called_context_is_not_the_context() -> None:
    frame = Frame(context=Context(request_id="q")).assign(context="mine")
    assert frame.context.request_id == "q"
    assert frame.assigns["context"] == "mine"


def test_frames_of_equal_content_are_equal() -> None:
    assert Frame().assign(a=1) == Frame({"a": 1})
    assert Frame().assign(a=1) != Frame({"a": 2})


def test_repr_shows_keys_and_counts_but_no_values() -> None:
    frame = (
        Frame({"password": "hunter2", "plan": "free"}, Context(headers={"authorization": "s3cret"}))
        .register_tool("pay_hunter2")
        .subscribe_resource("a:hunter2")
    )
    text = repr(frame)
    assert "hunter2" not in text
    assert "s3cret" not in text
    assert "'password', 'plan'" in text
    assert "tools=1" in text
    assert "resource_subscriptions=1" in text


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "5", None])
def test_a_pagination_limit_is_an_integer_above_zero(limit: Any) -> None:
    with pytest.raises(ValueError, match=r"^a pagination limit is an integer above 0, got "):
        Frame().put_pagination_limit(limit)


def test_a_pagination_limit_is_kept() -> None:
    assert Frame().put_pagination_limit(5).pagination_limit == 5


# Runtime components


def test_registering_gives_a_new_frame() -> None:
    frame = Frame()
    registered = (
        frame.register_tool("t")
        .register_prompt("p")
        .register_resource("r:x/y.txt")
        .register_resource_template("r:{x}", name="x")
    )
    assert frame.components == ()
    assert [component.name for component in registered.components] == ["t", "p", "y.txt", "x"]
    assert registered.clear_components().components == ()
    assert len(registered.components) == 4


def test_registering_a_name_again_replaces_it() -> None:
    frame = Frame().register_tool("t", description="one").register_tool("t", description="two")
    assert [component.description for component in frame.components] == ["two"]


def test_clearing_keeps_assigns_and_subscriptions() -> None:
    frame = Frame({"a": 1}).register_tool("t").subscribe_resource("r:x").clear_components()
    assert frame.assigns == {"a": 1}
    assert frame.resource_subscribed("r:x")


@pytest.mark.parametrize(
    ("register", "message"),
    [
        (lambda f: f.register_tool("t", descripton="x"), r"^Tool 't' has no option 'descripton'\."),
        (lambda f: f.register_tool("t", descripton="x"), r"Did you mean 'description'\?$"),
        (lambda f: f.register_tool("a tool"), r"^A tool's name is 1 to 128 of .* got 'a tool'\.$"),
        (lambda f: f.register_tool(""), r"^A tool's name is 1 to 128 of "),
        (lambda f: f.register_tool(5), r"^The frame: a int is no component\. "),
        (lambda f: f.register_tool(object), r"^The frame: object is no component\. "),
        (lambda f: f.register_prompt(Ready), r"^The frame cannot register Ready as a Prompt\.$"),
        (
            lambda f: f.register_tool(Ready, description="x"),
            r"^The frame cannot register Ready as a Tool with the options \['description'\]\.$",
        ),
        (lambda f: f.register_prompt(""), r"^A prompt needs a name, got ''\.$"),
        (lambda f: f.register_resource("no scheme"), r"^A resource's uri begins with a scheme"),
        (lambda f: f.register_resource_template("r:{x"), r"^resource: URI template 'r:\{x': "),
        (
            lambda f: f.register_resource_template("r:{x}"),
            r"^A resource template needs a name, got None\.$",
        ),
        (lambda f: f.register_tool("t", scopes="x"), r"^scopes must be a collection of strings"),
        (
            lambda f: f.register_tool("t", input_schema={"type": "array"}),
            r"^tool 't': the root of the schema must say \"type\": \"object\"",
        ),
    ],
)
def test_a_mistake_raises_where_it_is_made(register: Any, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        register(Frame())


def test_a_definition_may_be_registered_with_changes() -> None:
    frame = Frame().register_tool(Tool("t", "one"), description="two")
    assert frame.components[0].description == "two"


# Subscriptions


def test_subscriptions_are_a_set() -> None:
    frame = Frame().subscribe_resource("r:x").subscribe_resource("r:x")
    assert frame.resource_subscriptions == {"r:x"}
    assert frame.resource_subscribed("r:x")
    assert not frame.resource_subscribed("r:y")
    assert frame.unsubscribe_resource("r:x").resource_subscriptions == frozenset()
    assert frame.unsubscribe_resource("r:y").resource_subscriptions == {"r:x"}


# Who is asking


def test_without_claims_nobody_is_authenticated() -> None:
    frame = Frame()
    assert frame.authorization is None
    assert not frame.authenticated
    assert frame.subject is None
    assert frame.scopes == frozenset()
    assert not frame.has_scope("a")
    assert frame.has_all_scopes([])


@pytest.mark.parametrize(
    ("claims", "scopes"),
    [
        ({}, set()),
        ({"scope": "a b"}, {"a", "b"}),
        ({"scope": ""}, set()),
        ({"scopes": ["a", "b"]}, {"a", "b"}),
        ({"scopes": ["a"], "scope": "b"}, {"a"}),
        ({"scopes": []}, set()),
    ],
)
def test_scopes_are_those_of_the_claims(claims: dict[str, Any], scopes: set[str]) -> None:
    frame = Frame(context=Context(auth={"sub": "eve", **claims}))
    assert frame.authenticated
    assert frame.subject == "eve"
    assert frame.scopes == scopes
    assert frame.has_all_scopes(scopes)
    assert not frame.has_all_scopes({*scopes, "more"})
    assert all(map(frame.has_scope, scopes))


# Persistence


def test_what_is_saved_comes_back_through_json() -> None:
    frame = (
        Frame({"a": [1, {"b": None}]}, Context(session_id="s", auth={"sub": "eve"}))
        .put_pagination_limit(3)
        .subscribe_resource("r:y")
        .subscribe_resource("r:x")
        .register_tool("t")
    )
    saved = json.loads(json.dumps(frame.to_saved()))
    assert saved["resource_subscriptions"] == ["r:x", "r:y"]
    restored = Frame.from_saved(saved)
    assert restored.assigns == frame.assigns
    assert restored.pagination_limit == 3
    assert restored.resource_subscriptions == frame.resource_subscriptions
    assert restored.components == ()
    assert restored.context == Context()
    assert Frame.from_saved(restored.to_saved()) == restored


@pytest.mark.parametrize(
    "saved",
    [
        None,
        5,
        [],
        "x",
        {},
        {"assigns": None, "pagination_limit": None, "resource_subscriptions": None},
        {"assigns": [1], "pagination_limit": 0, "resource_subscriptions": "r:x"},
        {"assigns": "x", "pagination_limit": True, "resource_subscriptions": {"r:x": 1}},
        {"pagination_limit": -1, "resource_subscriptions": [1, None]},
        {"pagination_limit": "3"},
    ],
)
def test_what_is_odd_in_a_record_is_left_at_its_default(saved: Any) -> None:
    assert Frame.from_saved(saved) == Frame()


def test_texts_among_odd_subscriptions_are_kept() -> None:
    assert Frame.from_saved({"resource_subscriptions": [1, "r:x", None]}) == Frame(
        resource_subscriptions=frozenset({"r:x"})
    )


def test_what_is_offered_is_shown_by_kind_and_key() -> None:
    assert repr(Tool("add")) == "<tool 'add'>"
    assert repr(Prompt("greet")) == "<prompt 'greet'>"
    assert repr(Resource("today", uri="notes:///today")) == "<resource 'notes:///today'>"
