"""A client for tests: in process, without a port, against the same code that serves the wire.

async with Client(Reviewer) as client:
    result = await client.get_prompt("code_review", {"language": "python", "code": "x = 1"})
"""

from .answers import MAX_ROUNDS as MAX_ROUNDS
from .answers import Answers as Answers
from .client import Client as Client
from .subscription import Subscription as Subscription
