"""Records, as bytes."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anubis_py.encoding import dumps, loads
from anubis_py.sessions.record import BadRecord, Record

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=3)
RECORDS = st.builds(
    Record,
    protocol_version=TEXT,
    client_info=OBJECTS,
    client_capabilities=OBJECTS,
    init_meta=OBJECTS,
    initialized=st.booleans(),
    log_level=st.none() | TEXT,
    subject=st.none() | TEXT,
    frame=OBJECTS,
    asked=st.dictionaries(TEXT, OBJECTS, max_size=2),
)


@given(RECORDS)
def test_a_record_comes_back(record: Record) -> None:
    assert Record.decode(record.encode()) == record


@given(st.binary() | JSON.map(dumps))
def test_garbage_is_a_bad_record_and_nothing_else(data: bytes) -> None:
    with pytest.raises(BadRecord):
        Record.decode(data)


@given(RECORDS, st.sampled_from(["format", "protocol_version", "frame", "asked", "more"]), JSON)
def test_a_changed_member_is_a_bad_record_or_a_record(
    record: Record, name: str, value: object
) -> None:
    data = dumps({**loads(record.encode()), name: value})
    with suppress(BadRecord):
        assert isinstance(Record.decode(data), Record)
