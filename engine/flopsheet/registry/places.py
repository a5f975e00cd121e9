"""Where the packs of a user and what is kept between runs lie on this machine."""

from __future__ import annotations

import os

CACHE = "FLOPSHEET_CACHE"


def cache_folder() -> str:
    """Return the folder of what is kept between runs: FLOPSHEET_CACHE, or the system's."""
    named = os.environ.get(CACHE)
    if named:
        return named
    import platformdirs

    return platformdirs.user_cache_dir("flopsheet")


def user_folder() -> str:
    """Return the folder of the user's own pack."""
    import platformdirs

    return platformdirs.user_config_dir("flopsheet")
