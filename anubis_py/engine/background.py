"""Tasks that belong to the event loop and to no request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ..loop import on_trio

if TYPE_CHECKING:
    import asyncio

# asyncio keeps only weak references to tasks.
_tasks: set[asyncio.Task[None]] = set()


def spawn(function: Callable[..., Awaitable[None]], *arguments: Any) -> None:
    """Run it until it returns or the event loop ends. It must raise nothing."""
    if on_trio():
        import trio

        trio.lowlevel.spawn_system_task(function, *arguments)
        return
    import asyncio

    async def run() -> None:
        await function(*arguments)

    task = asyncio.get_running_loop().create_task(run())
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


async def sleep(seconds: float) -> None:
    """As anyio's, which brings all that anyio has for asyncio: 1.2 MiB for a server that uses
    nothing else of it."""
    if on_trio():
        import trio

        await trio.sleep(seconds)
    else:
        import asyncio

        await asyncio.sleep(seconds)
