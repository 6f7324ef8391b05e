"""The miniature server with what only sessions have: `python -m support.talking` as a program."""

from __future__ import annotations

from typing import Any

import anyio

from anubis_py import (
    Frame,
    InputRequired,
    NoReply,
    Ok,
    Reply,
    Response,
    ToolComponent,
    ask_form,
    ask_roots,
    field,
    leave_stream,
    send_log_message,
    send_progress,
    send_request,
    send_tools_list_changed,
)

from .miniature import MARKS, Miniature, main


class Leave(ToolComponent):
    """Says something, ends the connection, goes on working, and says more."""

    schema = (
        field("s", float, default=10.0),
        field("before", int, default=1),
        field("after", int, default=1),
    )
    timeout = 120.0

    async def execute(self, args: dict[str, Any], frame: Frame) -> Any:
        for step in range(args["before"]):
            send_log_message(frame, "info", f"before {step}")
        leave_stream(frame)
        await anyio.sleep(args["s"])
        for step in range(args["after"]):
            send_log_message(frame, "info", f"after {step}")
        return Response.tool().text("worth the wait")


class Remember(ToolComponent):
    schema = (field("value", str, required=True),)

    async def execute(self, args: dict[str, Any], frame: Frame) -> Any:
        return Reply(Response.tool().text("kept"), frame.assign(value=args["value"]))


class Recall(ToolComponent):
    async def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool().text(str(frame.assigns.get("value")))


class Who(ToolComponent):
    """Asks the user first."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        answers = frame.context.input_responses
        if "who" not in answers:
            send_progress(frame, 1)
            return InputRequired({"who": ask_form("Who are you?", [field("name", str)])})
        return Response.tool().text(f"hello {answers['who'].content['name']}")


class Talking(Miniature):
    name = "talking"
    instructions = "Talk to me"
    components = (*Miniature.components, Leave, Remember, Recall, Who)

    async def init(self, client_info: Any, frame: Frame) -> Any:
        return Ok(frame.assign(seen=frame.context.session_id))

    async def handle_info(self, event: Any, frame: Frame) -> Any:
        match event:
            case "ask":
                send_request(frame, ask_roots())
            case "change":
                send_tools_list_changed(frame)
            case _:
                send_log_message(frame, "warning", event)
        return NoReply()

    async def handle_roots(self, roots: Any, request_id: str, frame: Frame) -> Any:
        MARKS.append(f"{len(roots)} roots")
        return NoReply()

    async def terminate(self, reason: Any, frame: Frame) -> None:
        MARKS.append(f"terminated: {reason}, {frame.assigns.get('value')}")


if __name__ == "__main__":
    main(Talking)
