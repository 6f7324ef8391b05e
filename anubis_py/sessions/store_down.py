"""What goes wrong with a store, apart from the stores: most who have to catch it see none."""

from __future__ import annotations


class StoreDown(Exception):
    """The store cannot be reached, or does not do what it is told. As far as is known, nothing
    was changed."""
