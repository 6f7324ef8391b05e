"""An app on stdio, which tells its clients of what happens outside of their sessions."""

from __future__ import annotations

from typing import Any

from anubis_py import App, NoReply, Response, ToolComponent, send_log_message
from anubis_py.runner.over_stdio import run_stdio

from ..servers import Echo, Miniature


class Happen(ToolComponent):
    async def execute(self, args: Any, frame: Any) -> Any:
        await app.send_tools_list_changed()
        await app.publish_event("news")
        return Response.tool().text("happened")


class Hearing(Miniature):
    components = (Happen, Echo)

    async def handle_info(self, event: Any, frame: Any) -> Any:
        send_log_message(frame, "notice", event)
        return NoReply(frame)


app = App(Hearing())

if __name__ == "__main__":
    run_stdio(app, {}, None)
