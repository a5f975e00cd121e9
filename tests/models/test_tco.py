"""Cost of ownership: annuities by discounted payments, rent or buy month by month, and prices that records lack."""

from __future__ import annotations

from typing import Any

import pytest

from flopsheet import FlopsheetError, solve

YEAR, MONTH, HOUR = 365.25 * 24 * 3600, 365.25 * 2 * 3600, 3600
H100 = ("chip = h100-sxm", "site = jean-zay", "site.energy_price = 0.1 USD/kWh")


def cells(*relations: str) -> dict[str, Any]:
    """Return the cells of the sheet by name [base units]."""
    return {name: cell.si for name, cell in solve("tco", (), [*H100, *relations]).cells.items()}


@pytest.mark.parametrize(("years", "rate", "residual"), [(3, 0.05, 0), (5, 0.07, 0.2), (14, 0.12, 0.1)])
@pytest.mark.parametrize("periods", [1, 12])
def test_payments_of_an_annuity_are_worth_what_was_paid(years: int, rate: float, residual: float, periods: int) -> None:
    found = cells(
        f"lifetime = {years} year", f"capital_rate = {100 * rate} percent/year", f"residual_share = {residual}",
        f"payment_period = {1 / periods} year", "server_price = 100000 USD", "network_ratio = 1",
    )  # fmt: skip
    payment = found["capital_cost"] * YEAR / periods
    worth = [payment / (1 + rate / periods) ** place for place in range(1, years * periods + 1)]
    sold = 100000 * residual / (1 + rate / periods) ** (years * periods)
    assert sum(worth) + sold == pytest.approx(100000)


def test_straight_line_is_an_annuity_without_a_cost_of_capital() -> None:
    given = ("lifetime = 4 year", "residual_share = 0.25")
    plain = cells(*given, "depreciation = straight_line")["capital_charge"] * YEAR
    assert plain == pytest.approx(0.75 / 4)
    assert cells(*given, "capital_rate = 1e-6 percent/year")["capital_charge"] * YEAR == pytest.approx(plain, rel=1e-6)


def test_parts_of_the_cost_of_an_hour_add_up() -> None:
    found = cells(
        "server_price = 30000 USD", "server_power = 575 W", "power_share = 80 %", "site.pue = 1.25", "utilization = 0.4"
    )
    power = 0.8 * 1275 * 1.25
    energy = power / 1000 * 0.1
    housing = 1.275 * 184.06 * 12 / (365.25 * 24)
    operation = 1.275 * 300 / (365.25 * 24)
    capital = 30000 * 1.15 * 0.07 / (1 - 1.07**-5) / (365.25 * 24)
    assert found["owned_price"] * HOUR == pytest.approx(energy + housing + operation + capital)
    assert found["lifetime_cost"] == pytest.approx((energy + housing + operation + capital) * 5 * 365.25 * 24)
    assert found["work_price"] == pytest.approx(found["owned_price"] / (0.4 * found["peak_rate"]))


def test_an_own_building_is_paid_over_its_life() -> None:
    found = cells("housing = own_building", "server_power = 300 W")
    assert found["housing_cost"] * YEAR == pytest.approx(1000 * 11.7 * 0.07 / (1 - 1.07**-14))


@pytest.mark.parametrize("price", [2, 4])
def test_an_owned_chip_costs_as_much_as_a_rented_one_at_the_share_that_breaks_even(price: int) -> None:
    given = (f"chip_price = {price} USD/hour", "server_price = 40000 USD")
    share = cells(*given)["break_even_share"]
    assert 0 < share < 1
    assert cells(*given, f"busy_share = {float(share)}")["used_price"] * HOUR == pytest.approx(price)


def test_saved_rent_pays_the_capital_in_as_many_months() -> None:
    found = cells("chip_price = 3 USD/hour", "server_price = 40000 USD", "busy_share = 0.9")
    open_sum, months = found["chip_capital"], 0
    while open_sum > 0:
        open_sum -= (0.9 * 3 / HOUR - found["running_cost"]) * MONTH
        months += 1
    assert months - 1 < found["payback_time"] / MONTH <= months


def test_a_chip_that_is_used_too_little_never_pays() -> None:
    given = ("chip_price = 3 USD/hour", "server_price = 40000 USD")
    assert "payback_time" not in cells(*given, "busy_share = 5 %")
    asked = solve("tco", "busy_share", [*H100, *given, "payback_time <= 36 month"])
    (part,) = asked.outcomes["busy_share"].solutions
    assert part.lower > 0.5
    assert part.upper == 1


def test_a_system_with_a_price_gives_that_of_the_server() -> None:
    found = solve("tco", (), ["system = dgx-a100", *H100[1:]]).cells
    assert found["server_price"].si == 200000 / 8


def test_a_price_that_no_record_has_is_asked_for() -> None:
    with pytest.raises(FlopsheetError, match="server_price"):
        solve("tco", "owned_price", ["chip = mtia-v2", *H100[1:]])
    assert "owned_price" not in solve("tco", (), ["chip = mtia-v2", *H100[1:]]).cells


def test_a_site_takes_no_less_energy_than_its_machines() -> None:
    with pytest.raises(FlopsheetError, match=r"site\.pue"):
        solve("tco", (), [*H100, "site.pue = 0.5"])
    asked = solve("tco", "site.pue", [*H100, "power_cost = 300 USD/year"])
    assert asked.outcomes["site.pue"].kind == "none"
