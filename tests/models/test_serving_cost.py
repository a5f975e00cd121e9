"""Cost of served tokens: a day counted token by token, break-even, and chips that prefill beside those that decode."""

from __future__ import annotations

from typing import Any

import pytest

from flopsheet import solve

HOUR, DAY, MILLION = 3600, 24 * 3600, 10**6
GIVEN = (
    "chip = h100-sxm", "site = jean-zay", "chip_price = 2.5 USD/hour", "site.energy_price = 0.1 USD/kWh",
    "site.pue = 1.2", "site.grid_carbon = 50 gram/kWh", "replica_chips = 8", "replica_token_rate = 5000 token/s",
    "prefill_token_rate = 50000 token/s", "prompt_len = 2000 token", "output_len = 500 token", "n_chips = 64",
    "api_input_price = 0.3 USD/Mtoken", "api_output_price = 2 USD/Mtoken",
)  # fmt: skip


def cells(*relations: str) -> dict[str, Any]:
    """Return the cells of the sheet by name [base units]; relations come before those of the same cell in `GIVEN`."""
    named = {relation.partition("=")[0].strip() for relation in relations}
    kept = [relation for relation in GIVEN if relation.partition("=")[0].strip() not in named]
    return {name: cell.si for name, cell in solve("serving_cost", (), [*kept, *relations]).cells.items()}


@pytest.mark.parametrize("cached", [0, 0.6])
@pytest.mark.parametrize("load", [0.25, 1])
def test_a_day_costs_what_its_tokens_cost(cached: float, load: float) -> None:
    found = cells(f"cached_share = {cached}", f"load_factor = {load}", "cached_ratio = 0.2")
    requests = found["daily_requests"] * DAY
    fresh, hit, output = (requests * count for count in ((1 - cached) * 2000, cached * 2000, 500))
    busy = 8 * (fresh / 50000 + 0.2 * hit / 50000 + output / 5000)  # chip seconds
    assert busy == pytest.approx(64 * DAY * load)
    bill = fresh * found["input_cost"] + hit * found["cached_cost"] + output * found["output_cost"]
    assert bill == pytest.approx(64 * 24 * 2.5)
    assert bill == pytest.approx(found["daily_cost"] * DAY)
    watts = 64 * 1275 * (load * 0.7 + (1 - load) * 0.2) * 1.2
    energy = fresh * found["input_energy"] + hit * found["cached_energy"] + output * found["output_energy"]
    assert energy == pytest.approx(watts * DAY)
    assert requests * found["request_carbon"] == pytest.approx(watts * 24 / 1000 * 50)
    assert found["daily_carbon"] * DAY == pytest.approx(watts * 24 / 1000 * 50)


@pytest.mark.parametrize("basis", ["rented", "owned"])
def test_the_price_covers_the_cost_at_the_load_that_breaks_even(basis: str) -> None:
    """Chips that are owned take less energy at a lower load, so they cost less then."""
    known = (f"price_basis = {basis}", "server_price = 30000 USD", "site.energy_price = 0.3 USD/kWh")
    share = cells(*known)["break_even_load"]
    assert 0 < share < 1
    found = cells(*known, f"load_factor = {float(share)}")
    assert found["margin"] == pytest.approx(0, abs=1e-9)
    assert found["markup"] == pytest.approx(0, abs=1e-9)
    assert found["daily_tokens"] == pytest.approx(found["break_even_tokens"])
    assert found["break_even_tokens"] == pytest.approx(cells(*known)["break_even_tokens"])


def test_prices_below_the_energy_of_a_busy_chip_break_even_at_no_load() -> None:
    """A chip of 1,275 W takes 0.23 USD of energy an hour more if busy; tokens of a cent a million bring 0.01 USD."""
    cheap = ("api_input_price = 0.001 USD/Mtoken", "api_output_price = 0.005 USD/Mtoken")
    found = cells("price_basis = owned", "server_price = 30000 USD", "site.energy_price = 0.3 USD/kWh", *cheap)
    assert not {"break_even_load", "break_even_tokens"} & found.keys()
    assert found["margin"] < 0


def test_chips_apart_for_prefill_and_decode_cost_the_sum_of_both() -> None:
    found = cells("prefill_chips = 4", "prefill_token_rate = 40000 token/s", "replica_chips = 16", "load_factor = 1")
    rate = 100  # requests per second
    prefill, decode = 4 * rate * 2000 / 40000, 16 * rate * 500 / 5000
    assert found["request_cost"] == pytest.approx((prefill + decode) * 2.5 / HOUR / rate)


def test_owned_chips_cost_what_owning_costs() -> None:
    found = cells("price_basis = owned", "server_price = 30000 USD", "load_factor = 0.5")
    assert found["hour_price"] == found["owned_price"]
    assert found["output_cost"] == pytest.approx(8 / 5000 * found["owned_price"] / 0.5)


def test_half_the_load_doubles_the_cost_but_not_the_energy() -> None:
    full, half = cells("load_factor = 1"), cells("load_factor = 0.5")
    assert half["output_cost"] == pytest.approx(2 * full["output_cost"])
    assert full["output_energy"] < half["output_energy"] < 2 * full["output_energy"]


def test_cost_of_a_million_tokens_of_llama_3_70b_on_eight_chips() -> None:
    found = cells("replica_token_rate = 5662 token/s", "load_factor = 1")
    assert found["output_cost"] * MILLION == pytest.approx(0.98, abs=0.005)


@pytest.mark.parametrize("load", [0.1, 0.3, 0.8])
def test_an_hour_of_an_owned_chip_costs_that_of_a_rented_one_at_the_share_that_breaks_even(load: float) -> None:
    share = cells(f"load_factor = {load}", "price_basis = owned", "chip_price = 4 USD/hour")["break_even_share"]
    found = cells(f"load_factor = {float(share)}", "price_basis = owned", "chip_price = 4 USD/hour")
    assert found["used_price"] * HOUR == pytest.approx(4)
