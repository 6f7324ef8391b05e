"""Sessions in a file, for the processes of one machine."""

from .store import SqliteStore as SqliteStore
