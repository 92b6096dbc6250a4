"""Coloured matrices: what is written in a cell, and what its colour means."""

from matplotlib.colors import to_rgb

from swarmbed.draw.heat_map import HeatMap, colour_of, heat_figure
from swarmbed.draw.style import FAINT

MAP = HeatMap(
    "return", ["a", "b"], ["5", "10"],
    [[("1", "[0, 2]"), None], [("3", "[2, 4]"), ("4", "[3, 5]")]],
    [[1.0, None], [0.2, None]],
)  # fmt: skip


def brightness(share: float) -> float:
    return sum(to_rgb(colour_of(share)))


def test_more_is_darker_and_less_than_nothing_looks_like_nothing() -> None:
    assert brightness(0.0) > brightness(0.5) > brightness(1.0)
    assert colour_of(-3.0) == colour_of(0.0) and colour_of(1.5) == colour_of(1.0)


def test_a_cell_shows_value_and_interval_and_a_missing_one_is_empty() -> None:
    axes = heat_figure([MAP], xlabel="agents", scale="share").axes[0]
    assert [text.get_text() for text in axes.texts] == ["1", "[0, 2]", "3", "[2, 4]", "4", "[3, 5]"]
    assert len(axes.patches) == 3


def test_without_a_share_a_cell_is_grey() -> None:
    axes = heat_figure([MAP], xlabel="agents", scale="share").axes[0]
    assert axes.patches[2].get_facecolor()[:3] == to_rgb(FAINT)


def test_text_on_dark_cells_is_white() -> None:
    axes = heat_figure([MAP], xlabel="agents", scale="share").axes[0]
    assert [text.get_color() for text in axes.texts[:3:2]] == ["white", "#333333"]


def test_the_colours_are_explained_once_for_all_maps() -> None:
    figure = heat_figure([MAP, MAP], xlabel="agents", scale="share of the best")
    assert [axes.get_xlabel() for axes in figure.axes] == ["agents", "agents", "share of the best"]
