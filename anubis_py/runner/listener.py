"""The socket that a server listens on."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from typing import Any, Final

# How many connections may wait to be accepted; the system has a limit of its own. hypercorn's
# 100 turns a burst of clients into time-outs of a second each.
BACKLOG: Final = 2048


class StartError(Exception):
    """A server cannot start, for reasons that lie outside of it. The message is one line."""


def listen(host: str, port: int) -> socket.socket:
    """A socket to which clients can connect from now on: they wait until they are accepted.

    Raises StartError.
    """
    try:
        family, address = _resolve(host, port)
        listener = socket.create_server(
            address,
            family=family,
            backlog=BACKLOG,
            dualstack_ipv6=host == "::" and socket.has_dualstack_ipv6(),
        )
    except (OSError, UnicodeError) as error:
        place = authority(host, port)
        raise StartError(f"cannot listen on {place}: {_reason(error)}") from error
    # Processes that share a socket share this too: none of them may find it blocking.
    listener.setblocking(False)
    return listener


def give_up_after(listener: socket.socket, seconds: float | None) -> None:
    """Have the system end connections whose client does not read for so long.

    The kernel, because hypercorn shields its writes: nobody else can end one. Where the system
    does not offer it, such a connection stays open until the client goes.
    """
    if seconds is not None and hasattr(socket, "TCP_USER_TIMEOUT"):
        timeout = max(1, int(seconds * 1000))
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, timeout)


def cut(port: int) -> None:
    """End every connection of this process to a port of its own, now.

    hypercorn keeps its sockets to itself, so they are looked up among the open files, where the
    system lists those.
    """
    for name in os.listdir("/dev/fd") if os.path.isdir("/dev/fd") else ():
        with suppress(OSError):
            _cut(os.dup(int(name)), port)


def _cut(descriptor: int, port: int) -> None:
    try:
        connection = socket.socket(fileno=descriptor)
    except OSError:  # no socket
        os.close(descriptor)
        return
    with connection:
        if connection.family in (socket.AF_INET, socket.AF_INET6):
            connection.getpeername()  # raises for one that is not connected
            if connection.getsockname()[1] == port:
                connection.shutdown(socket.SHUT_RDWR)


def authority(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _resolve(host: str, port: int) -> tuple[socket.AddressFamily, Any]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    # `localhost` has an address of either family, and clients that know only one know IPv4.
    found.sort(key=lambda entry: entry[0] != socket.AF_INET)
    family, _, _, _, address = found[0]
    return family, address


def _reason(error: OSError | UnicodeError) -> str:
    if isinstance(error, UnicodeError):
        return "this is not the name of a host"
    if isinstance(error, socket.gaierror) or error.errno is None:
        return str(error.strerror or error)
    # Not `strerror`, to which create_server adds the address.
    return os.strerror(error.errno)
