"""What a card says: what is left, where a tenth and a half are lost, the area under the curve."""

import json
from pathlib import Path

import numpy as np
import pytest

from swarmbed.evaluation.statistics import Estimate, share_kept
from swarmbed.evaluation.stress_card import StressCard, Sweep
from swarmbed.tasks import make
from swarmbed.tasks.disturbances.settings import BY_NAME


def sweep(strengths: tuple[float, ...], kept: tuple[float, ...]) -> Sweep:
    return Sweep(strengths, tuple(Estimate(k, k - 0.1, k + 0.1) for k in kept), (0.0,) * len(kept))


def test_what_is_left_is_the_share_of_the_lead_over_the_floor() -> None:
    # Undisturbed −10, floor −110: a lead of 100. At −35 three quarters are left, at −110 nothing, at −135 less.
    disturbed = np.array([[[-35.0, -35.0]], [[-110.0, -110.0]], [[-135.0, -135.0]]])
    found = share_kept(disturbed, [[-10.0, -10.0]], [-110.0, -110.0])
    assert [e.value for e in found] == pytest.approx([0.75, 0.0, -0.25])
    assert [e.low for e in found] == pytest.approx([0.75, 0.0, -0.25])  # without spread there is nothing to doubt


def test_starts_are_resampled_together() -> None:
    # Every start loses exactly half of its own lead, so half is left however starts are drawn.
    plain, floor = np.array([[-1.0, -5.0, -9.0]]), np.array([-101.0, -55.0, -29.0])
    (kept,) = share_kept(((plain + floor) / 2)[None], plain, floor)
    assert (kept.value, kept.low, kept.high) == pytest.approx((0.5, 0.5, 0.5))


def test_the_interval_grows_with_the_spread_between_trainings() -> None:
    plain, floor = np.zeros((3, 4)), np.full(4, -100.0)
    close, apart = (share_kept(np.array([[[-a] * 4, [-50.0] * 4, [-b] * 4]]), plain, floor)[0]
                    for a, b in ((49.0, 51.0), (10.0, 90.0)))  # fmt: skip
    assert close.value == apart.value == pytest.approx(0.5)
    assert close.high - close.low < 0.03 < 0.3 < apart.high - apart.low


def test_without_a_lead_nothing_can_be_lost() -> None:
    assert np.isnan(share_kept([[[-5.0]]], [[-10.0]], [-9.0])[0].value)


def test_a_tenth_and_a_half_are_lost_on_straight_lines_between_strengths() -> None:
    # 1 → 0.6 between 0 and 0.2 passes 0.9 at 0.05; 0.6 → 0.2 between 0.2 and 0.6 passes 0.5 at 0.3.
    found = sweep((0.0, 0.2, 0.6), (1.0, 0.6, 0.2))
    assert (found.lost_at(0.9), found.lost_at(0.5)) == pytest.approx((0.05, 0.3))


def test_what_is_never_lost_is_none() -> None:
    assert sweep((0.0, 1.0), (1.0, 0.95)).lost_at(0.9) is None


def test_the_area_is_the_mean_of_what_is_left() -> None:
    # (1 + 0.6)/2 · 0.2 + (0.6 + 0.2)/2 · 0.4 = 0.32, over 0.6.
    assert sweep((0.0, 0.2, 0.6), (1.0, 0.6, 0.2)).area == pytest.approx(0.32 / 0.6)


@pytest.fixture
def card() -> StressCard:
    nothing = Estimate(np.nan, np.nan, np.nan)
    sweeps = {
        "message_loss": {"good": sweep((0.0, 0.5), (1.0, 0.5)), "<bad>": Sweep((0.0, 0.5), (nothing,) * 2, (0.0,) * 2)}
    }
    plain = {"good": Estimate(-1.0, -2.0, 0.0), "<bad>": Estimate(-99.0, -99.0, -99.0)}
    return StressCard(
        make("rendezvous"), (BY_NAME["message_loss"],), plain, -90.0, sweeps, {"good": 3, "<bad>": 1}, 7, 0
    )


def test_the_table_says_where_and_who_has_nothing_to_lose(card: StressCard) -> None:
    text = str(card)
    assert "0.1 " in text and "0.5 " in text and "0.75" in text
    assert "no better than random undisturbed" in text


def test_the_numbers_are_json_even_where_there_are_none(card: StressCard) -> None:
    report = json.loads(json.dumps(card.summary(), allow_nan=False))
    policies = report["disturbances"]["message_loss"]["policies"]
    assert policies["good"]["half_lost_at"] == pytest.approx(0.5) and policies["<bad>"]["kept"] == [None, None]


def test_the_page_is_one_file_with_picture_and_table(card: StressCard, tmp_path: Path) -> None:
    page = card.write_page(tmp_path / "card.html").read_text()
    assert "<svg" in page and "no better than random" in page and "&lt;bad&gt;" in page
    assert "src=" not in page and "<link" not in page and "@import" not in page  # nothing is loaded from elsewhere
