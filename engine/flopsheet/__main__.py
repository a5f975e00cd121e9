"""Lets `python -m flopsheet` run the command line."""

from flopsheet.cli import main

main()
