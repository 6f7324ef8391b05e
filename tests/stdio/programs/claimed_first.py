"""As the command line does it: the channel is claimed, and then the author's module loaded."""

from __future__ import annotations

from anubis_py.transports.stdio.descriptors import claim_stdio
from anubis_py.transports.stdio.run import run_stdio

claim_stdio()

from . import noisy  # noqa: E402

run_stdio(noisy.Noisy())
