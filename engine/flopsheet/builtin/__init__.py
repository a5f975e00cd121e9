"""Pack 0, the built-in content: beside this file in a wheel, at the repository root in a checkout."""

from pathlib import Path

if not (Path(__file__).parent / "hardware").is_dir():
    __path__ = [str(Path(__file__).parents[3])]
