"""How a server is named from outside of Python: `module:Server`, `module`, `path/to/file.py`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import reduce
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Final, Self, cast

import attrs

from ..errors import ConfigurationError, near_miss
from .loading import loading
from .servable import Servable, is_servable

_CHOICE: Final = "a ServerBehaviour subclass, an instance of one, or an App"


@attrs.frozen
class Target:
    """Where to find a server. Two processes that share a directory find the same one."""

    source: str
    """A module, or the absolute path of a file."""
    attribute: str | None = None
    """Dotted, within the module; None: the only server class that the module defines."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """What a user has typed. Raises ConfigurationError if it can name nothing."""
        source, colon, attribute = text.rpartition(":")
        if not colon or not _is_dotted(attribute):
            source, attribute = text, ""
        if _is_file(source):
            source = os.path.abspath(source)
        elif not _is_dotted(source):
            raise ConfigurationError(
                f"{text!r} names no server: write module:Server or path/to/file.py:Server."
            )
        return cls(source, attribute or None)

    @classmethod
    def of(cls, server: object) -> Self:
        """Of a class that exists. Raises ConfigurationError if no other process can import it."""
        if not isinstance(server, type):
            raise ConfigurationError(
                "Several workers need a server that they can import: start it by "
                "`anubis-py run module:name --workers N`."
            )
        if "<locals>" in server.__qualname__:
            raise ConfigurationError(
                f"Several workers need to import {server.__name__}: define it at the top level of "
                "a module."
            )
        return cls(_source_of(server), server.__qualname__)

    def load(self) -> Servable:
        """Import the module and find the server in it. Importing a target twice gives the same.

        The current directory can be imported from, and so can the file's. Raises
        ConfigurationError, with what would help; what the module itself raises is not touched.
        """
        with loading(self.source):
            module = self._module()
        return self._named(module) if self.attribute else _only_server(module)

    def _module(self) -> ModuleType:
        _make_importable(os.getcwd())
        if _is_file(self.source):
            return _import_file(Path(self.source))
        try:
            return import_module(self.source)
        except ModuleNotFoundError as error:
            # Anything else that is not found is missed by the module itself.
            if error.name is None or not f"{self.source}.".startswith(f"{error.name}."):
                raise
        here = (module.name for module in iter_modules([os.getcwd()]))
        raise ConfigurationError(
            f"There is no module {self.source!r}.{near_miss(self.source, here)}"
        )

    def _named(self, module: ModuleType) -> Servable:
        assert self.attribute is not None
        try:
            found = reduce(getattr, self.attribute.split("."), cast(object, module))
        except AttributeError:
            known = list(_servers(module)) or vars(module)
            raise ConfigurationError(
                f"{module.__name__} has no {self.attribute!r}.{near_miss(self.attribute, known)}"
            ) from None
        if not is_servable(found):
            kind = "an abstract class" if isinstance(found, type) else type(found).__name__
            raise ConfigurationError(
                f"{module.__name__}:{self.attribute} is {kind}: name {_CHOICE}."
            )
        return cast(Servable, found)


def _is_dotted(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _is_file(source: str) -> bool:
    return source.endswith(".py") or os.sep in source or "/" in source


def _source_of(server: type) -> str:
    if server.__module__ != "__main__":
        return server.__module__
    main = sys.modules["__main__"]
    if main.__spec__ is not None:  # python -m
        return main.__spec__.name
    if getattr(main, "__file__", None) is None:
        raise ConfigurationError(
            f"Several workers need to import {server.__name__}: put it into a file."
        )
    return os.path.abspath(cast(str, main.__file__))


def _make_importable(folder: str) -> None:
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        siblings = (str(path.with_name(each.name)) for each in path.parent.glob("*.py"))
        raise ConfigurationError(f"There is no file {str(path)!r}.{near_miss(str(path), siblings)}")
    _make_importable(str(path.parent))
    name = path.stem
    known = sys.modules.get(name)
    if known is not None:
        if getattr(known, "__file__", None) == str(path):
            return known
        # A file may be called like a module that somebody else has imported, such as json.py.
        name = f"{name} ({path})"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigurationError(f"{str(path)!r} is no Python file: its name has to end in .py.")
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _servers(module: ModuleType) -> dict[str, object]:
    return {name: value for name, value in vars(module).items() if is_servable(value)}


def _only_server(module: ModuleType) -> Servable:
    found = _servers(module)
    own = {
        value.__name__: value
        for value in found.values()
        if isinstance(value, type) and value.__module__ == module.__name__
    }
    if len(own) == 1:
        return cast(Servable, own.popitem()[1])
    if own:
        raise ConfigurationError(
            f"{module.__name__} defines several servers: {_listed(module, own)}. Name one."
        )
    others = f" Name {_listed(module, found)}." if found else f" Define {_CHOICE}."
    raise ConfigurationError(f"{module.__name__} defines no server class.{others}")


def _listed(module: ModuleType, names: Iterable[str]) -> str:
    return " or ".join(f"{module.__name__}:{name}" for name in names)
