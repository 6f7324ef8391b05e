"""Asking back: tools and a prompt that need something from the user, or from the user's model.

    python examples/rounds.py

A callback that returns `InputRequired` is called again, with the same arguments, when the client
has the answers. Nothing waits in between: each call may be served by another process. Several
processes need a common key for that, in ANUBIS_PY_STATE_KEYS or in `state_keys`.
"""

from __future__ import annotations

import secrets
from datetime import date
from typing import Any

from anubis_py import (
    Accepted,
    Frame,
    InputRequired,
    PromptComponent,
    Response,
    Sampled,
    ServerBehaviour,
    ToolComponent,
    ask_form,
    ask_sampling,
    ask_url,
    enum,
    field,
)
from anubis_py.response import PromptResponse, ToolResponse

TABLES = {"in": "Inside", "out": "On the terrace", "bar": "At the bar"}
WHICH_TABLE = ask_form(
    "Which table would you like?",
    [
        field("day", date, required=True, title="Day"),
        field("guests", int, required=True, title="Guests", min=1, max=12),
        field("where", enum(TABLES), default="in", title="Where"),
    ],
)
HOTELS = {"Lisbon": {"mar": "Casa do Mar", "sol": "Hotel Sol"}, "Oslo": {"fjord": "Fjord Inn"}}


class BookTable(ToolComponent):
    """Book a table at the restaurant."""

    async def execute(self, args: dict[str, Any], frame: Frame) -> ToolResponse | InputRequired:
        match frame.context.input_responses.get("table"):
            case Accepted({"day": day, "guests": guests, "where": where}):
                booked = f"A table for {guests} on {day}, {TABLES[where].lower()}."
                return Response.tool().text(booked)
            case None:
                return InputRequired({"table": WHICH_TABLE})
        return Response.tool().text("Nothing was booked.")


class ConnectCalendar(ToolComponent):
    """Connect the user's calendar."""

    # The page adds the links of users who have finished there. What they type on it, such as a
    # password, never passes through the client.
    finished: set[str] = set()

    async def execute(self, args: dict[str, Any], frame: Frame) -> ToolResponse | InputRequired:
        link = frame.context.request_state
        if link is None:
            return self.ask("Connect your calendar.", secrets.token_urlsafe())
        if link in self.finished:
            return Response.tool().text("The calendar is connected.")
        # To accept is to open the page, not to be done with it.
        if isinstance(frame.context.input_responses["open"], Accepted):
            return self.ask("Go on when you have finished on the page.", link)
        return Response.tool().text("The calendar is not connected.")

    def ask(self, message: str, link: str) -> InputRequired:
        page = ask_url(message, f"https://calendar.example/connect/{link}")
        return InputRequired({"open": page}, state=link)


class Summarize(ToolComponent):
    """Summarize a text in one sentence."""

    schema = [field("text", str, required=True, description="The text to summarize")]

    async def execute(self, args: dict[str, Any], frame: Frame) -> ToolResponse | InputRequired:
        match frame.context.input_responses.get("summary"):
            case Sampled() as summary:
                return Response.tool().text(summary.text)
        ask = ask_sampling(
            f"Summarize this:\n\n{args['text']}",
            max_tokens=200,
            system_prompt="Answer in one sentence.",
            model_preferences={"speed_priority": 0.8},
        )
        # A client may be unable to do it; the tool can see that before it asks.
        if ask.lacking(frame.context.client_capabilities):
            return Response.tool().text(args["text"].partition(".")[0] + ".")
        return InputRequired({"summary": ask})


class PlanTrip(ToolComponent):
    """Plan a trip, in two steps: the city first, then one of its hotels."""

    async def execute(self, args: dict[str, Any], frame: Frame) -> ToolResponse | InputRequired:
        match frame.context.request_state, frame.context.input_responses:
            case None, _:
                return self.ask("city", "Where to?", {city: city for city in HOTELS}, state={})
            case {"city": city}, {"hotel": Accepted({"choice": hotel})}:
                return Response.tool().text(f"{HOTELS[city][hotel]} in {city}")
            case _, {"city": Accepted({"choice": city})}:
                # What is known so far travels in the state, which only this server can read.
                return self.ask("hotel", f"Where in {city}?", HOTELS[city], state={"city": city})
        return Response.tool().text("No trip, then.")

    def ask(
        self, key: str, message: str, choices: dict[str, str], state: dict[str, str]
    ) -> InputRequired:
        form = ask_form(message, [field("choice", enum(choices), required=True)])
        return InputRequired({key: form}, state)


class CoverLetter(PromptComponent):
    """Write a cover letter for a job."""

    schema = [field("job", str, required=True, description="The job that is applied for")]

    async def get_messages(
        self, args: dict[str, str], frame: Frame
    ) -> PromptResponse | InputRequired:
        match frame.context.input_responses.get("about"):
            case None:
                about = [field("name", str, required=True), field("years", int, min=0, default=0)]
                return InputRequired({"about": ask_form("Who is applying?", about)})
            case Accepted({"name": name, "years": years}):
                who = f"{name}, who has {years} years of experience"
            case _:
                who = "somebody who would rather not say"
        return Response.prompt().user_message(f"Write a cover letter for {args['job']}, by {who}.")


class Rounds(ServerBehaviour):
    name = "rounds"
    version = "1.0.0"
    components = [BookTable, ConnectCalendar, Summarize, PlanTrip, CoverLetter]
    round_timeout = 15 * 60


app = Rounds.asgi()

if __name__ == "__main__":
    Rounds.run()
