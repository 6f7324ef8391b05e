"""A request as it is on the wire, and one answer to it."""

from __future__ import annotations

import http.client

import attrs

Headers = tuple[tuple[str, str], ...]


@attrs.frozen
class Answer:
    status: int
    headers: dict[str, str]
    """By their names in lower case."""
    body: bytes


@attrs.frozen
class Post:
    headers: Headers
    body: str
    path: str = "/mcp"

    def encoded(self, port: int) -> bytes:
        head = [f"POST {self.path} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
        head += [f"{name}: {value}" for name, value in self.headers]
        head += [f"Content-Length: {len(self.body.encode())}", "", ""]
        return ("\r\n".join(head) + self.body).encode()

    def ask(self, port: int) -> Answer:
        """Once, to look at the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request("POST", self.path, self.body.encode(), dict(self.headers))
            answer = connection.getresponse()
            headers = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, headers, answer.read())
        finally:
            connection.close()
