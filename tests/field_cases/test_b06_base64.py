"""B06: one encoder for all binary members: standard alphabet, padded, unbroken."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.client import CheckedClient

from anubis_py import (
    AudioContent,
    BlobResourceContents,
    EmbeddedResource,
    ImageContent,
    PromptComponent,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
)
from anubis_py.content import decode_binary, encode_binary

pytestmark = pytest.mark.one_loop

SAMPLES = [
    pytest.param(b"\xfb\xff\xfe", "+//+", id="no padding"),
    pytest.param(b"\xff\xef", "/+8=", id="padding 1"),
    pytest.param(b"\xff", "/w==", id="padding 2"),
    pytest.param(b"", "", id="empty"),
    pytest.param(
        bytes(range(0xBA, 0x100)),
        "uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==",
        id="more than a MIME line",
    ),
]


def server(raw: Any) -> type[ServerBehaviour]:
    class X(ResourceComponent):
        uri = "bin://x"
        mime_type = "application/octet-stream"

        def read(self, params: Any, frame: Any) -> Any:
            return Response.resource().blob(raw)

    class Words(ResourceComponent):
        uri = "bin://words"
        mime_type = "text/plain"

        def read(self, params: Any, frame: Any) -> Any:
            return Response.resource().text("words")

    class Both(ResourceComponent):
        uri = "bin://both"

        def read(self, params: Any, frame: Any) -> Any:
            return Response.resource().text("words", uri="bin://words").blob(raw, uri="bin://x")

    class Show(ToolComponent):
        def execute(self, args: Any, frame: Any) -> Any:
            return (
                Response.tool()
                .image(raw, "image/png")
                .audio(raw, "audio/wav")
                .embedded_resource("bin://x", blob=raw, mime_type="application/pdf")
            )

    class See(PromptComponent):
        def get_messages(self, args: Any, frame: Any) -> Any:
            return Response.prompt().user_message(
                [
                    ImageContent(raw, "image/png"),
                    AudioContent(raw, "audio/wav"),
                    EmbeddedResource(BlobResourceContents("bin://x", raw)),
                    {"type": "image", "data": raw, "mimeType": "image/png"},
                ]
            )

    class Binary(ServerBehaviour):
        name = "binary"
        version = "1"
        components = (X, Words, Both, Show, See)

    return Binary


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
@pytest.mark.parametrize(("raw", "encoded"), SAMPLES)
async def test_every_binary_member_is_encoded_alike(raw: bytes, encoded: str, kind: Any) -> None:
    async with CheckedClient(server(kind(raw))) as client:
        assert (await client.read_resource("bin://x"))["contents"] == [
            {"uri": "bin://x", "mimeType": "application/octet-stream", "blob": encoded}
        ]
        assert (await client.call_tool("show"))["content"] == [
            {"type": "image", "data": encoded, "mimeType": "image/png"},
            {"type": "audio", "data": encoded, "mimeType": "audio/wav"},
            {
                "type": "resource",
                "resource": {"uri": "bin://x", "mimeType": "application/pdf", "blob": encoded},
            },
        ]
        assert [m["content"] for m in (await client.get_prompt("see"))["messages"]] == [
            {"type": "image", "data": encoded, "mimeType": "image/png"},
            {"type": "audio", "data": encoded, "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "bin://x", "blob": encoded}},
            {"type": "image", "data": encoded, "mimeType": "image/png"},
        ]


@pytest.mark.anyio
async def test_text_and_bytes_never_change_places() -> None:
    async with CheckedClient(server(b"\xff")) as client:
        assert (await client.read_resource("bin://words"))["contents"] == [
            {"uri": "bin://words", "mimeType": "text/plain", "text": "words"}
        ]
        assert (await client.read_resource("bin://both"))["contents"] == [
            {"uri": "bin://words", "mimeType": "text/plain", "text": "words"},
            {"uri": "bin://x", "mimeType": "application/octet-stream", "blob": "/w=="},
        ]


@given(st.binary(max_size=200))
def test_what_is_encoded_is_decoded_to_itself(raw: bytes) -> None:
    text = encode_binary(raw)
    assert decode_binary(text) == raw
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")


@pytest.mark.parametrize("text", ["-_-_", "/w", "/w=", "/w= =", "/w==\n", "\n/w==", "é", "/x==\0"])
def test_any_other_base64_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^binary data in wire form must be standard, padded"):
        decode_binary(text)
