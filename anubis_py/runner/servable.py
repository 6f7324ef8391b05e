"""What can be run: a server class, a server, or an app."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, Union, cast

import attrs

from ..errors import ConfigurationError
from ..server.behaviour import Behaviour

if TYPE_CHECKING:
    from ..transports.http.asgi import App

Servable: TypeAlias = Union[type[Behaviour], Behaviour, "App"]


def is_app(value: object) -> TypeGuard[App]:
    """Without importing what serves HTTP: whoever has an app has done so."""
    module = sys.modules.get("anubis_py.transports.http.asgi")
    return module is not None and isinstance(value, module.App)


def is_servable(value: object) -> bool:
    if isinstance(value, type):
        # An abstract class has no catalog, or only one that it inherits.
        return issubclass(value, Behaviour) and "catalog" in vars(value)
    return isinstance(value, Behaviour) or is_app(value)


def server_of(servable: Servable) -> Behaviour:
    if is_app(servable):
        return servable.server
    return _made(servable) if isinstance(servable, type) else cast(Behaviour, servable)


def app_of(servable: Servable, endpoint: Mapping[str, Any]) -> App:
    """The app, with these `HttpSettings`; an app's own ones hold where none is given."""
    from ..transports.http.asgi import App
    from ..transports.http.settings import HttpSettings

    if isinstance(servable, App):
        if not endpoint:
            return servable
        return App(servable.server, attrs.evolve(servable.settings, **endpoint))
    return App(server_of(servable), HttpSettings.of(endpoint))


def _made(server: type[Behaviour]) -> Behaviour:
    try:
        inspect.signature(server).bind()
    except TypeError as error:
        raise ConfigurationError(
            f"{server.__name__} cannot be made without arguments ({error}): make an instance, and "
            "run that, by anubis_py.runner.run or as module:instance."
        ) from None
    return server()
