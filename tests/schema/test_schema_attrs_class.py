"""attrs classes as declarations, the recursive one of the field cases (B03) among them."""

from __future__ import annotations

import datetime
import enum
import logging
from typing import Any, Literal

import attrs
import jsonschema
import pytest

from anubis_py.errors import ConfigurationError
from anubis_py.schema.faults import Invalid
from anubis_py.schema.fields import embeds_many, field
from anubis_py.schema.fields import enum as one_of
from anubis_py.schema.schema import Schema


class Kind(enum.Enum):
    LEAF = "leaf"
    BRANCH = "branch"


@attrs.frozen
class Node:
    name: str
    kind: Kind
    children: list[Node]


PLANT = Schema.of(
    [
        field("tree", Node, required=True),
        field("mode", one_of("dry", "wet"), required=True),
        field("size", one_of("s", "m", "l"), required=True),
        field("depth", int, default=3),
    ],
    owner="tool plant",
)


def plant(**inner: Any) -> dict[str, Any]:
    child = {"name": "a", "kind": "leaf", "children": [], **inner}
    tree = {"name": "r", "kind": "branch", "children": [child]}
    return {"mode": "wet", "size": "m", "tree": tree}


def test_b03_schema_is_self_contained() -> None:
    document = PLANT.json_schema
    jsonschema.Draft202012Validator.check_schema(document)
    assert document["type"] == "object"
    assert document["properties"]["tree"] == {"$ref": "#/$defs/Node"}
    node = document["$defs"]["Node"]
    assert node["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert node["required"] == ["name", "kind", "children"]
    assert node["additionalProperties"] is False


def test_b03_a_valid_tree_becomes_an_instance() -> None:
    args = PLANT.validate(plant())
    assert args["tree"] == Node("r", Kind.BRANCH, [Node("a", Kind.LEAF, [])])
    assert args["depth"] == 3


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (plant(kind="twig"), 'tree.children[0].kind: expected one of "leaf", "branch", got string'),
        (
            plant() | {"tree": {"name": "r", "kind": "leaf", "children": [{"kind": "leaf"}]}},
            (
                "tree.children[0].name: required, missing"
                "; tree.children[0].children: required, missing"
            ),
        ),
        (plant() | {"mode": "damp"}, 'mode: expected one of "dry", "wet", got string'),
        (plant(nam=1), "tree.children[0].nam: not expected. Did you mean 'name'?"),
    ],
)
def test_b03_b_to_e(value: Any, text: str) -> None:
    with pytest.raises(Invalid) as caught:
        PLANT.validate(value)
    assert str(caught.value) == text
    assert not jsonschema.Draft202012Validator(PLANT.json_schema).is_valid(value)


def test_a_recursive_root_says_its_type_itself() -> None:
    schema = Schema.of(Node, owner="tool t")
    assert schema.json_schema["type"] == "object"
    assert schema.names == ("name", "kind", "children")
    assert list(schema.json_schema["$defs"]) == ["Node"]
    assert schema.validate({"name": "a", "kind": "leaf", "children": []}) == Node(
        "a", Kind.LEAF, []
    )


def test_two_classes_of_one_name_get_two_definitions() -> None:
    other = another_node()
    schema = Schema.of([field("a", Node), field("b", other)], owner="tool t")
    assert sorted(schema.json_schema["$defs"]) == ["Node", "Node2"]
    assert schema.validate({"b": {"parts": [{"parts": []}]}}) == {"b": other([other([])])}


def another_node() -> Any:
    @attrs.frozen
    class Node:
        parts: list[Node]

    return Node


@attrs.define(kw_only=True)
class Review:
    language: str = attrs.field(metadata={"description": "Of the code", "min": 2})
    _code: str = attrs.field(metadata={"title": "Code"})
    lines: tuple[int, ...] = ()
    tags: list[str] = attrs.field(factory=list)
    due: datetime.date = datetime.date(2024, 2, 29)
    stamp: float = attrs.field(factory=iter([1.0, 2.0, 3.0, 4.0]).__next__)
    twice: str = attrs.field(default=attrs.Factory(lambda self: self.language * 2, takes_self=True))
    kind: Kind = Kind.LEAF
    hidden: int = attrs.field(init=False, default=7)


def test_members_of_a_class() -> None:
    schema = Schema.of(Review, owner="prompt p")
    properties = schema.json_schema["properties"]
    assert properties["language"] == {
        "type": "string",
        "minLength": 2,
        "description": "Of the code",
    }
    assert properties["code"] == {"type": "string", "title": "Code"}
    assert {name: p["default"] for name, p in properties.items() if "default" in p} == {
        "lines": [],
        "tags": [],
        "due": "2024-02-29",
        "kind": "leaf",
    }
    assert schema.json_schema["required"] == ["language", "code"]
    assert schema.prompt_arguments()[:2] == [
        {"name": "language", "description": "Of the code", "required": True},
        {"name": "code", "title": "Code", "required": True},
    ]
    args = schema.validate({"language": "py", "code": "x", "lines": [1.0], "due": "2023-01-01"})
    assert isinstance(args, Review)
    assert (args._code, args.lines, args.due) == ("x", (1,), datetime.date(2023, 1, 1))
    assert (args.twice, args.kind, args.hidden, args.stamp) == ("pypy", Kind.LEAF, 7, 3.0)


def test_default_instances_and_nested_classes() -> None:
    @attrs.define
    class Point:
        x: int = 0
        labels: list[str] = attrs.Factory(list)

    @attrs.define
    class Line:
        start: Point = attrs.Factory(Point)
        ends: list[Point] | None = None

    Line.__annotations__ = {"start": Point, "ends": list[Point] | None}
    schema = Schema.of([field("line", Line, default=Line()), embeds_many("all", Line)], owner="t")
    assert "$defs" not in schema.json_schema
    assert schema.json_schema["properties"]["line"]["default"] == {
        "start": {"x": 0, "labels": []},
        "ends": None,
    }
    first = schema.validate({"all": [{}]})
    assert first == {"line": Line(), "all": [Line()]}
    first["line"].start.labels.append("x")
    assert schema.validate({}) == {"line": Line()}


def test_extra_members_of_a_class_are_dropped() -> None:
    schema = Schema.of(Node, owner="tool t", extra=True)
    assert "additionalProperties" not in schema.json_schema
    value = {"name": "a", "kind": "leaf", "children": [], "more": 1}
    assert schema.validate(value) == Node("a", Kind.LEAF, [])


@attrs.frozen
class Span:
    start: int = attrs.field(validator=attrs.validators.ge(0))
    end: int
    mode: str = "any"

    def __attrs_post_init__(self) -> None:
        if self.mode == "crash":
            raise KeyError("db://svc:hunter2@10.1.2.3")
        if self.mode == "type":
            raise TypeError("hunter2")
        if self.mode == "echo":
            raise ValueError(f"no span from {self.start}")
        if self.end < self.start:
            raise ValueError("the end must not be before the start")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"start": -5, "end": 1}, "spans[0].start: not accepted by Span"),
        ({"start": 8, "end": 7}, "spans[0]: the end must not be before the start"),
        ({"start": 8, "end": 7, "mode": "the"}, "spans[0]: not accepted by Span"),
        ({"start": 41, "end": 77, "mode": "echo"}, "spans[0]: not accepted by Span"),
        ({"start": 41, "end": 77, "mode": "type"}, "spans[0]: not accepted by Span"),
        ({"start": 41, "end": 77, "mode": "crash"}, "spans[0]: not accepted by Span"),
    ],
)
def test_validators_of_the_class_run_and_leak_nothing(
    value: Any, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    schema = Schema.of([field("spans", list[Span])], owner="tool t")
    with caplog.at_level(logging.DEBUG), pytest.raises(Invalid) as caught:
        schema.validate({"spans": [value, {"start": 1}]})
    assert str(caught.value) == f"{text}; spans[1].end: required, missing"
    assert "hunter2" not in caplog.text
    assert ("KeyError" in caplog.text) is (value.get("mode") == "crash")


@attrs.frozen
class Told:
    """Speaks of what it was given, through every kind of part."""

    parts: Any
    node: Node | None = None
    kind: Kind | None = None

    def __attrs_post_init__(self) -> None:
        raise ValueError("secret 41 leaf")


@pytest.mark.parametrize(
    "value",
    [
        {"parts": ["secret"]},
        {"parts": {"secret": 1}},
        {"parts": {"a": [41]}},
        {"parts": 0, "kind": "leaf"},
        {"parts": 0, "node": {"name": "secret", "kind": "branch", "children": []}},
    ],
)
def test_a_sentence_that_repeats_what_was_sent_is_not_told(value: Any) -> None:
    with pytest.raises(Invalid, match=r"^not accepted by Told$"):
        Schema.of(Told, owner="tool t").validate(value)
    with pytest.raises(Invalid, match=r"^secret 41 leaf$"):
        Schema.of(Told, owner="tool t").validate({"parts": [4, "other"]})


def wrong(name: str, annotation: Any, **options: Any) -> type:
    return attrs.make_class("Wrong", {name: attrs.field(type=annotation, **options)})


@pytest.mark.parametrize(
    ("cls", "sentence"),
    [
        (
            wrong("a", int, metadata={"mni": 1}),
            r"^tool t: Wrong: attribute 'a': unknown option 'mni'\. Did you mean 'min'\? Known: ",
        ),
        (wrong("a", int, default=None), r"^tool t: Wrong: attribute 'a': its own type refuses"),
        (wrong("a", Any, factory=object), r"^tool t: Wrong: attribute 'a': the default cannot be"),
        (wrong("a", set), r"^tool t: Wrong: attribute 'a': set cannot be declared"),
        (wrong("a", "Nowhere"), r"^tool t: Wrong: an annotation cannot be resolved: .*Nowhere"),
        (wrong("a", int, metadata={"min": "x"}), r"^tool t: Wrong: attribute 'a': min must be"),
    ],
)
def test_wrong_classes(cls: type, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        Schema.of(cls, owner="tool t")


def test_a_default_cannot_hold_the_class_itself() -> None:
    cls: Any = attrs.make_class("Loop", {"inner": attrs.field(default=None)})
    cls.__annotations__ = {"inner": list[cls]}
    attrs.fields(cls)
    with pytest.raises(ConfigurationError, match=r"^tool t: Loop: attribute 'inner': "):
        Schema.of(cls, owner="tool t")


def test_literal_tags_build_the_right_class() -> None:
    @attrs.frozen
    class Cat:
        says: Literal["meow"]

    @attrs.frozen
    class Dog:
        says: Literal["woof"]

    Cat.__annotations__["says"] = Literal["meow"]
    Dog.__annotations__["says"] = Literal["woof"]
    schema = Schema.of([field("pet", Cat | Dog)], owner="tool t")
    assert schema.validate({"pet": {"says": "woof"}}) == {"pet": Dog("woof")}
