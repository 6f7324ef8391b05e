"""Serves the app on a socket that is inherited: `python -m listeners_bench.serve WORKER FD`."""

from __future__ import annotations

import sys
from typing import Any, Final

from http_bench.serve import as_run_does, with_uvicorn

from anubis_py import (
    Frame,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    field,
    send_resource_updated,
)


class Note(ResourceComponent):
    uri_template = "note:///{name}"

    def read(self, params: Any, frame: Frame) -> Any:
        return Response.resource().text(params["name"])


class Touch(ToolComponent):
    """Change a note."""

    schema = (field("uri", str, required=True),)

    async def execute(self, args: dict[str, str], frame: Frame) -> Any:
        send_resource_updated(frame, args["uri"])
        return Response.tool().text("touched")


class Notes(ServerBehaviour):
    name = "notes"
    version = "1"
    components = (Note, Touch)
    capabilities = {"resources": {"subscribe": True}}  # noqa: RUF012


WORKERS: Final = {"hypercorn-trio": as_run_does, "uvicorn": with_uvicorn}


if __name__ == "__main__":
    _, worker, descriptor = sys.argv
    WORKERS[worker](Notes.asgi(), int(descriptor))
