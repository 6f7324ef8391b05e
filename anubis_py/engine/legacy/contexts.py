"""What a callback is told that runs for a session and for no request of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...context import NOTHING, Context
from ...sessions.record import Record
from ..exchange import Peer

NOWHERE: Final = Context(era="legacy")
"""The context of a frame that nobody looks at."""


def meta_in(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """The `_meta` of a message. What is no object is none: callbacks look things up in it."""
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) else NOTHING


def subject_of(peer: Peer) -> str | None:
    return peer.auth.get("sub") if peer.auth else None


def context_of(session_id: str, record: Record, peer: Peer | None = None) -> Context:
    peer = peer or Peer()
    return Context(
        session_id=session_id,
        protocol_version=record.protocol_version,
        era="legacy",
        client_info=record.client_info,
        client_capabilities=record.client_capabilities,
        init_meta=record.init_meta,
        headers=peer.headers,
        remote_ip=peer.remote_ip,
        auth=peer.auth,
        initialized=record.initialized,
        log_level=record.log_level,
        caller=peer.caller,
    )
