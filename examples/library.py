"""Resources: a list, a template with completion, an image, and a provider.

python examples/library.py
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable

from anubis_py import (
    CompletionArgument,
    Frame,
    ReadParams,
    Resource,
    ResourceComponent,
    ResourceNotFound,
    ResourceProvider,
    ResourceResponse,
    Response,
    ServerBehaviour,
)

BOOKS = {
    "austen": {"emma": "Emma Woodhouse, handsome, clever, and rich …"},
    "melville": {
        "moby-dick": "Call me Ishmael. …",
        "bartleby": "I am a rather elderly man. …",
    },
    "shelley": {"frankenstein": "You will rejoice to hear that no disaster …"},
}

# One black pixel: enough of a stamp to show how bytes are sent.
STAMP = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)


class Catalogue(ResourceComponent):
    """Every author of the library, with the titles."""

    uri = "library:///catalogue"
    mime_type = "application/json"

    async def read(self, params: ReadParams, frame: Frame) -> ResourceResponse:
        return Response.resource().json({author: sorted(books) for author, books in BOOKS.items()})


class Book(ResourceComponent):
    """A book, by its author and title."""

    uri_template = "library:///books/{author}/{title}"
    mime_type = "text/plain"

    async def read(self, params: ReadParams, frame: Frame) -> ResourceResponse:
        text = BOOKS.get(params["author"], {}).get(params["title"])
        if text is None:
            raise ResourceNotFound(params.uri)
        return Response.resource().text(text)

    async def complete(self, argument: CompletionArgument, frame: Frame) -> list[str]:
        if argument.name == "author":
            known = set(BOOKS)
        else:
            # The author may be chosen already; then only that one's titles are of use.
            author = argument.context.get("author")
            known = {title for a, books in BOOKS.items() if author in (None, a) for title in books}
        return sorted(value for value in known if value.startswith(argument.value))


class Stamp(ResourceComponent):
    """The stamp that the library puts into its books."""

    uri = "library:///stamp.png"
    mime_type = "image/png"
    size = len(STAMP)

    async def read(self, params: ReadParams, frame: Frame) -> ResourceResponse:
        return Response.resource().blob(STAMP)


class Loans(ResourceProvider):
    """One object that offers many resources, and may offer others tomorrow."""

    def __init__(self, loans: dict[str, str]) -> None:
        self.loans = loans

    def resources(self) -> Iterable[Resource]:
        for reader in self.loans:
            yield Resource(reader, f"What {reader} has borrowed", uri=f"library:///loans/{reader}")

    async def resource_read(self, uri: str, params: ReadParams, frame: Frame) -> ResourceResponse:
        reader = uri.rpartition("/")[2]
        return Response.resource().text(self.loans[reader])


class Library(ServerBehaviour):
    name = "library"
    version = "1.0.0"
    components = [Catalogue, Book, Stamp, Loans({"ada": "moby-dick", "grace": "emma"})]


app = Library.asgi()

if __name__ == "__main__":
    Library.run()
