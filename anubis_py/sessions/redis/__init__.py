"""Sessions in Redis, for the processes of many machines."""

# First, since it tells what to install.
from . import connection as connection
from .store import RedisStore as RedisStore
