"""Worked questions about places and times: latitudes from distances, and the sun's time from longitude and clock."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.answer.worked_ask import about, ask, crossings, points, spans
from tests.answer.worked_more import Globe
from tests.answer.worked_sheets import SolarTime

GLOBE, SOLAR = Globe(), SolarTime()
AROUND = 40030
SITES = [(60.17, 24.94, 8.68), (10, 170, -170), (-20, 24.94, 8.68), (0, 0, 0), (90, 0, 45), (52.5, 13.4, -122.3)]
FINE = [place / 50 for place in range(-4500, 4501)]


def distance(latitude_a: float, longitude_a: float, latitude_b: float, longitude_b: float) -> float:
    """Return the great-circle distance [km] by the haversine, another formula than that of the sheet."""
    first, second = math.radians(latitude_a), math.radians(latitude_b)
    turn = math.radians(longitude_b - longitude_a)
    half = math.sin((second - first) / 2) ** 2 + math.cos(first) * math.cos(second) * math.sin(turn / 2) ** 2
    return AROUND * 2 * math.asin(min(1, math.sqrt(half))) / (2 * math.pi)


def site(latitude: float, longitude: float, other_longitude: float) -> tuple[str, ...]:
    """Return the relations that give the first site and the meridian of the second."""
    return (
        f"latitude_a = {latitude} degree",
        f"longitude_a = {longitude} degree",
        f"longitude_b = {other_longitude} degree",
    )


@pytest.mark.parametrize("away", [300, 900, 1500, 3000, 6000, 9000, 12000, 15000, 19000])
@pytest.mark.parametrize("place", SITES)
def test_all_latitudes_at_a_distance(place: tuple[float, float, float], away: float) -> None:
    latitude, longitude, other = place
    outcome = ask(GLOBE, "latitude_b", *site(*place), f"distance = {away} km")
    expected = crossings(lambda angle: distance(latitude, longitude, angle, other) - away, FINE)
    assert points(outcome) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert outcome.kind == ["none", "value", "values"][len(expected)]


def test_latitudes_nearer_than_a_distance_lie_between_both() -> None:
    low, high = crossings(lambda angle: distance(60.17, 24.94, angle, 8.68) - 1500, FINE)
    nearer = ask(GLOBE, "latitude_b", *site(60.17, 24.94, 8.68), "distance <= 1500 km")
    assert spans(nearer) == about((low, high, "[]"))
    farther = ask(GLOBE, "latitude_b", *site(60.17, 24.94, 8.68), "distance > 1500 km")
    assert spans(farther) == about((-90, low, "[)"), (high, 90, "(]"))


@pytest.mark.parametrize(
    ("away", "extreme", "says"), [(700, min, "cannot fall below"), (16800, max, "cannot rise above")]
)
def test_a_distance_that_no_latitude_reaches_is_none_with_the_nearest(away: float, extreme: Any, says: str) -> None:
    reached = extreme(distance(60.17, 24.94, angle, 8.68) for angle in FINE)
    assert (reached > away) == (extreme is min)
    outcome = ask(GLOBE, "latitude_b", *site(60.17, 24.94, 8.68), f"distance = {away} km")
    assert outcome.kind == "none"
    shown = f"{reached:,.1f}" if reached >= 10_000 else f"{reached:.1f}"
    assert f"{says} {shown} km" in outcome.why


@pytest.mark.parametrize(("latitude", "away"), [(50.11, 1500), (50.11, 2500), (0, 9000), (-33.9, 16000)])
def test_longitudes_at_a_distance_lie_on_both_sides(latitude: float, away: float) -> None:
    given = ("latitude_a = 60.17 degree", "longitude_a = 24.94 degree", f"latitude_b = {latitude} degree")
    outcome = ask(GLOBE, "longitude_b", *given, f"distance = {away} km")
    meridians = [angle / 10 for angle in range(-1800, 1801)]
    expected = crossings(lambda angle: distance(60.17, 24.94, latitude, angle) - away, meridians)
    assert len(expected) == 2
    assert points(outcome) == pytest.approx(expected, rel=1e-9)


def test_the_way_round_the_earth_from_a_distance() -> None:
    given = (*site(60.17, 24.94, 8.68), "latitude_b = 50.11 degree", "distance = 1500 km")
    outcome = ask(GLOBE, "earth_circumference", *given)
    assert points(outcome) == [pytest.approx(1500 / distance(60.17, 24.94, 50.11, 8.68) * AROUND, rel=1e-9)]


def solar(clock: float, longitude: float) -> float:
    """Return the solar time [hour]."""
    return (clock + longitude / 15) % 24


@pytest.mark.parametrize(("clock", "wanted"), [(10, 18), (20, 3), (5, 23), (0, 1), (71, 12)])
def test_the_longitude_at_which_the_sun_shows_a_time(clock: int, wanted: int) -> None:
    outcome = ask(SOLAR, "longitude", f"clock = {clock} hour", f"solar_time = {wanted} hour")
    assert outcome.kind == "value"
    assert points(outcome) == [angle for angle in range(-180, 180) if solar(clock, angle) == wanted]


def test_both_ends_of_the_date_line_show_the_same_time() -> None:
    outcome = ask(SOLAR, "longitude", "clock = 10 hour", "solar_time = 22 hour")
    assert (outcome.kind, points(outcome)) == ("values", [-180, 180])


@pytest.mark.parametrize(("longitude", "wanted"), [(45, 18), (-75, 6), (0, 0)])
def test_the_sun_shows_a_time_once_a_day(longitude: int, wanted: int) -> None:
    outcome = ask(SOLAR, "clock", f"longitude = {longitude} degree", f"solar_time = {wanted} hour")
    assert outcome.kind == "values"
    assert points(outcome) == [hour for hour in range(73) if solar(hour, longitude) == wanted]


def test_hours_around_noon_repeat_each_day() -> None:
    outcome = ask(SOLAR, "clock", "longitude = 45 degree", "abs(solar_time - noon) < 2 hour")
    assert spans(outcome) == [(7, 11, "()"), (31, 35, "()"), (55, 59, "()")]
    assert [clock for clock in range(73) if abs(solar(clock, 45) - 12) < 2] == [8, 9, 10, 32, 33, 34, 56, 57, 58]


def test_the_first_hour_after_midnight_is_closed_at_its_start_only() -> None:
    outcome = ask(SOLAR, "clock", "longitude = 45 degree", "solar_time < 1 hour", "clock <= 48 hour")
    assert spans(outcome) == [(21, 22, "[)"), (45, 46, "[)")]


def test_a_time_that_no_clock_shows_is_none_for_a_true_reason() -> None:
    outcome = ask(SOLAR, "clock", "longitude = 45 degree", "solar_time = 25 hour")
    assert outcome.kind == "none"
    assert "solar_time cannot rise above 24 hour" in outcome.why
