"""The command line. Commands import what they need when they run, so that help is quick."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line; errors go to stderr as one paragraph, never as a traceback."""
    from flopsheet.cli.app import main as run

    run()
