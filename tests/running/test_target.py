"""Names of servers, and what they find."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from anubis_py import App, ConfigurationError, ServerBehaviour
from anubis_py.runner import Target

SERVER = """
from anubis_py import ServerBehaviour

class {name}(ServerBehaviour):
    name = "{name}"
    version = "1"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current directory; what is imported from it is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def write(path: Path, *names: str, after: str = "") -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(SERVER.format(name=name) for name in names) + after)
    return path


def load(text: str) -> object:
    return Target.parse(text).load()


def loaded_name(text: str) -> str:
    found = load(text)
    assert isinstance(found, type)
    return found.__name__


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("a", Target("a")),
        ("a.b:C", Target("a.b", "C")),
        ("a:C.D", Target("a", "C.D")),
        ("/x/a.py", Target("/x/a.py")),
        ("/x/a.py:C", Target("/x/a.py", "C")),
        ("/x:y/a.py", Target("/x:y/a.py")),
    ],
)
def test_parse(text: str, target: Target) -> None:
    assert Target.parse(text) == target


def test_a_file_is_found_from_anywhere(folder: Path) -> None:
    assert Target.parse("a.py:C") == Target(str(folder / "a.py"), "C")
    assert Target.parse(os.path.join(".", "a.py")) == Target(str(folder / "a.py"))


@pytest.mark.parametrize("text", ["", ":", "a-b", "a.", "a:", ":C", "a:C:", "a b"])
def test_what_names_nothing(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"names no server: write module:Server or "):
        Target.parse(text)


def test_the_current_directory_can_be_imported_from(folder: Path) -> None:
    write(folder / "target_here.py", "One", after="one = One()\napp = One.asgi()\nclass N: S = One")
    assert loaded_name("target_here") == "One"
    assert loaded_name("target_here:One") == "One"
    assert loaded_name("target_here:N.S") == "One"
    assert isinstance(load("target_here:one"), ServerBehaviour)
    assert isinstance(load("target_here:app"), App)


def test_a_file_can_import_its_neighbours_and_the_current_directory(folder: Path) -> None:
    write(folder / "target_top.py", "Top")
    write(folder / "sub" / "target_neighbour.py", "Neighbour")
    path = write(
        folder / "sub" / "target_file.py", "One", after="import target_top, target_neighbour"
    )
    assert loaded_name(f"{path}") == "One"
    assert loaded_name("sub/target_file.py:One") == "One"
    # Once, however often and under whichever name.
    assert load("sub/target_file.py") is load(str(path))
    assert load("target_file") is load(str(path))


def test_a_file_may_be_called_like_a_module_that_exists(folder: Path) -> None:
    write(folder / "json.py", "One")
    assert loaded_name("json.py") == "One"
    assert sys.modules["json"].__file__ != str(folder / "json.py")


def test_bases_and_imported_servers_do_not_count(folder: Path) -> None:
    write(folder / "target_base.py", "Base")
    write(
        folder / "target_one.py",
        "One",
        after="Alias = One\nfrom target_base import Base\n"
        "class Abstract(Base, abstract=True): pass\n",
    )
    assert loaded_name("target_one") == "One"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("target_tow", r"There is no module 'target_tow'\. Did you mean 'target_two'\?"),
        ("target_two.x", r"There is no module 'target_two\.x'\..*"),
        ("nowhere_at_all", r"There is no module 'nowhere_at_all'\."),
        ("./target_tow.py", r"There is no file '.+/target_tow\.py'\. Did you mean '.+_two\.py'\?"),
        ("./", r"There is no file .+"),
        (
            "target_two",
            r"target_two defines several servers: target_two:One or target_two:Two\. Name one\.",
        ),
        ("target_two:Tow", r"target_two has no 'Tow'\. Did you mean 'Two'\?"),
        ("target_two:One.x", r"target_two has no 'One\.x'\..*"),
        ("target_two:five", r"target_two:five is int: name a ServerBehaviour subclass, .+\."),
        ("target_two:ServerBehaviour", r"target_two:ServerBehaviour is an abstract class: .+"),
        (
            "target_none",
            r"target_none defines no server class\. Name target_none:app or target_none:Two\.",
        ),
        (
            "target_empty",
            r"target_empty defines no server class\. Define a ServerBehaviour subclass, .+\.",
        ),
    ],
)
def test_errors_say_what_would_help(folder: Path, text: str, error: str) -> None:
    write(folder / "target_two.py", "One", "Two", after="five = 5")
    write(folder / "target_none.py", after="import target_two\napp = target_two.One.asgi()\n")
    with (folder / "target_none.py").open("a") as file:
        file.write("from target_two import Two\n")
    write(folder / "target_empty.py")
    with pytest.raises(ConfigurationError, match=rf"^{error}$"):
        load(text)


def test_what_the_module_raises_is_not_touched(folder: Path) -> None:
    write(folder / "target_broken.py", after="import nowhere_at_all")
    for text in ("target_broken", "target_broken.py"):
        with pytest.raises(ModuleNotFoundError, match=r"^No module named 'nowhere_at_all'$"):
            load(text)
    assert "target_broken" not in sys.modules


def test_run_in_a_module_without_its_guard(folder: Path) -> None:
    write(folder / "target_hasty.py", "One", after="One.run()")
    with pytest.raises(ConfigurationError, match=r"^target_hasty calls run\(\) while it is imp"):
        load("target_hasty")


def test_the_target_of_a_class(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder / "target_of.py", "One")
    found = load("target_of")
    assert Target.of(found) == Target("target_of", "One")
    main = ModuleType("__main__")
    main.__file__ = str(folder / "target_of.py")
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.setattr(found, "__module__", "__main__")
    assert Target.of(found) == Target(str(folder / "target_of.py"), "One")
    with pytest.raises(ConfigurationError, match=r"^Several workers need a server that they "):
        Target.of(found())  # type: ignore[operator]
