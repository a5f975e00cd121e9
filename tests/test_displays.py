"""Objects show themselves by functions of a room above theirs, which is registered and imported on demand."""

from __future__ import annotations

from importlib import import_module

import pytest

from flopsheet import report
from flopsheet.displays import display, register


@pytest.mark.parametrize(("form", "module"), report.DISPLAYS.items())
def test_every_registered_form_exists(form: str, module: str) -> None:
    assert callable(getattr(import_module(module), form))


def test_a_form_that_nothing_makes_is_an_error() -> None:
    register("flopsheet.report")
    with pytest.raises(LookupError, match="nothing displays a_dance"):
        display("a_dance")
