from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anubis_py import ConfigurationError, ServerBehaviour
from anubis_py.runner import RunSettings, ServingSettings
from anubis_py.runner.settings import split


class Reviewer(ServerBehaviour):
    name = "reviewer"
    version = "1.0.0"


def test_defaults() -> None:
    settings, endpoint = split({})
    assert (settings.host, settings.port, settings.workers) == ("127.0.0.1", 8000, 1)
    assert settings.graceful_timeout == 2
    assert endpoint == {}


def test_settings_go_where_they_belong() -> None:
    given = {"port": 0, "path": "/x", "workers": 2, "max_body": 10, "certfile": Path("c")}
    settings, endpoint = split({**given, "keyfile": "k"})
    assert settings == RunSettings(port=0, workers=2, certfile="c", keyfile="k")
    assert endpoint == {"path": "/x", "max_body": 10}


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"prot": 1}, r"There is no setting 'prot'\. Did you mean 'port'\?"),
        ({"allowed_host": "a"}, r"There is no setting 'allowed_host'\. Did you mean .+\?"),
        ({"colour": "red"}, r"There is no setting 'colour'\."),
        ({"port": 65536}, r"port is 65536: expected 0 to 65535\."),
        ({"port": "80"}, r"port is '80': expected 0 to 65535\."),
        ({"port": True}, r"port is True: expected 0 to 65535\."),
        ({"workers": 0}, r"workers is 0: expected 1 to 1024\."),
        ({"workers": 2.0}, r"workers is 2\.0: expected 1 to 1024\."),
        ({"host": None}, r"host is None: expected a string\."),
        ({"graceful_timeout": -1}, r"graceful_timeout is -1: expected seconds, 0 or more\."),
        ({"graceful_timeout": float("nan")}, r"graceful_timeout is nan: expected seconds, .+"),
        ({"log_level": "loud"}, r"log_level is 'loud': expected debug, info, .+"),
        ({"certfile": "c"}, r"certfile is set without keyfile: TLS needs both\."),
        ({"keyfile": "k"}, r"keyfile is set without certfile: TLS needs both\."),
        ({"allowed_hosts": ()}, r"allowed_hosts is empty, .+"),
    ],
)
def test_what_is_set_wrongly_is_said_before_anything_starts(
    given: dict[str, Any], error: str
) -> None:
    with pytest.raises(ConfigurationError, match=rf"^{error}$"):
        Reviewer.run(**given)


@pytest.mark.parametrize(
    ("transport", "error"),
    [
        ("sse", r"There is no transport 'sse', only 'http' and 'stdio'\."),
        ("htpp", r"There is no transport 'htpp', only 'http' and 'stdio'\. Did you mean 'http'\?"),
    ],
)
def test_other_transports_are_refused(transport: str, error: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"^{error}$"):
        Reviewer.run(transport)


def test_a_server_that_needs_arguments_is_refused() -> None:
    class Stored(Reviewer):
        def __init__(self, database: str) -> None:
            super().__init__()

    error = r"^Stored cannot be made without arguments \(.*'database'\): make an instance, .+\.$"
    with pytest.raises(ConfigurationError, match=error):
        Stored.run()


def test_serving_settings_are_values() -> None:
    assert ServingSettings() == ServingSettings()
    assert hash(ServingSettings(port=1)) == hash(ServingSettings(port=1))
