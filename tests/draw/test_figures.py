"""Curves: what is on the page, read back from matplotlib's objects and from the files."""

import itertools
import xml.etree.ElementTree
from concurrent.futures import ThreadPoolExecutor

import imageio.v3 as imageio
import numpy as np
import pytest
from matplotlib._pylab_helpers import Gcf

from swarmbed.draw.figures import (
    METHOD_STYLES,
    Curve,
    comparison_figure,
    learning_curves,
    learning_figure,
    panels_figure,
    read_metrics,
    training_curve,
    training_figure,
)
from swarmbed.draw.style import styles_of, svg_of
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks.base import Metric

STEPS = np.arange(4)
RETURNS = {"NN+": Curve(STEPS, [-300.0, -90.0, -30.0, -20.0]), "RBF": Curve(STEPS, [-300.0, -200.0, -80.0, -40.0])}
HEADER = "iteration,env_steps,samples,seconds,mean_return,mean_length,kl,surrogate,entropy,explained_variance"
ROWS = ["0,20480,163840,6,,1024,0.010,0.1,2.8,0.1", "1,40960,327680,12,-200,1024,0.009,0.1,2.7,0.5"]
ROWS += ["2,61440,491520,18,-20,1024,0.011,0.1,2.6,0.9"]


def height(axes, value):
    """Where a value lies on the page."""
    return axes.transData.transform((0.0, value))[1]


def labels(axes):
    low, high = axes.get_ylim()
    return [text.get_text() for text in axes.get_yticklabels() if low <= text.get_position()[1] <= high]


@pytest.fixture
def metrics(tmp_path):
    path = tmp_path / "metrics.csv"
    path.write_text("\n".join([HEADER, *ROWS]) + "\n")
    return path


# Learning curves.


def test_on_the_log_axis_of_returns_each_decade_is_equally_high_and_better_is_up():
    (axes,) = learning_figure(RETURNS, ylabel="return", log=True, xlabel="iteration").axes
    up = height(axes, -20.0) - height(axes, -200.0)
    assert up > 0
    assert height(axes, -3.0) - height(axes, -30.0) == pytest.approx(up)


def test_the_log_axis_of_returns_is_labelled_with_the_returns_themselves():
    figure = learning_figure(RETURNS, ylabel="return", log=True, xlabel="iteration")
    figure.canvas.draw()
    assert labels(figure.axes[0]) == ["−20", "−50", "−100", "−200"]  # from the top


def test_a_log_axis_without_a_power_of_ten_in_it_has_plain_labels():
    distances = {"NN+": Curve(STEPS, [11.0, 17.0, 22.7, 22.4])}
    figure = learning_figure(distances, ylabel="mean distance", log=True, xlabel="iteration")
    figure.canvas.draw()
    assert labels(figure.axes[0]) == ["12", "16", "20", "24"]
    assert [text.get_text() for text in figure.axes[0].get_yticklabels(minor=True) if text.get_text()] == []


def test_the_log_axis_shows_all_lines_and_bands():
    band = {"NN": Curve(STEPS, np.full(4, -50.0), np.full(4, -400.0), np.full(4, -7.0))}
    (axes,) = learning_figure(band, ylabel="return", log=True, xlabel="iteration").axes
    low, high = axes.get_ylim()
    assert low < -400 and high > -7


def test_a_band_is_drawn_only_where_there_is_one():
    curves = {"NN+": Curve(STEPS, STEPS, STEPS - 1, STEPS + 1), "NN": Curve(STEPS, STEPS)}
    (axes,) = learning_figure(curves, ylabel="return", log=False, xlabel="iteration").axes
    assert len(axes.lines) == 2
    assert len(axes.collections) == 1
    assert axes.collections[0].get_paths()[0].get_extents().y0 == -1


def test_a_method_has_its_own_colour_in_every_figure():
    (axes,) = learning_figure(RETURNS, ylabel="return", log=True, xlabel="iteration").axes
    assert [line.get_color() for line in axes.lines] == [METHOD_STYLES["NN+"].color, METHOD_STYLES["RBF"].color]
    panels = panels_figure({"20": RETURNS}, ylabel="return", log=False, xlabel="step")
    assert panels.axes[0].lines[1].get_color() == METHOD_STYLES["RBF"].color


def test_axes_say_what_they_show():
    figure = learning_figure(RETURNS, ylabel="average return", log=False, xlabel="iteration")
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("iteration", "average return")
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["NN+", "RBF"]


# Styles.


@pytest.mark.parametrize(
    "together",
    [
        ["NN++", "NN+", "NN", "RBF", "HIST", "CONCAT+", "PD"],
        ["NN+ 2x", "M+", "MS+", "MSS+", "MSSK+"],
        ["mean", "softmax", "max"],
        ["NN+", "a stranger", "another", "Voronoi"],
        ["NN+", "NN+ (other settings)", "RBF"],
    ],
)
def test_methods_that_share_a_figure_look_different(together):
    assert len(set(styles_of(together).values())) == len(together)


def test_two_embeddings_of_a_kind_look_like_one():
    assert styles_of(["NN+ 2x"])["NN+ 2x"] == METHOD_STYLES["NN+"]


def test_two_of_one_method_share_its_colour():
    styles = styles_of(["NN+", "NN+ (other settings)"])
    assert {style.color for style in styles.values()} == {METHOD_STYLES["NN+"].color}


def test_a_controller_looks_like_the_method_it_is():
    assert styles_of(["voronoi_pursuit"])["voronoi_pursuit"] == METHOD_STYLES["Voronoi"]


# Comparisons.


def test_a_comparison_has_one_panel_per_key_and_one_legend():
    figure = panels_figure({f"{n} agents": RETURNS for n in (5, 10, 20)}, ylabel="return", log=False, xlabel="step")
    assert [axes.get_title() for axes in figure.axes if axes.get_visible()] == ["5 agents", "10 agents", "20 agents"]
    assert [text.get_text() for legend in figure.legends for text in legend.get_texts()] == ["NN+", "RBF"]


def test_panels_that_are_not_needed_are_not_shown():
    five = {str(n): RETURNS for n in range(5)}
    figure = panels_figure(five, ylabel="return", log=False, xlabel="step")
    assert [axes.get_visible() for axes in figure.axes] == [True] * 5 + [False]


def test_all_panels_have_one_scale():
    curves = {"a": {"NN": Curve(STEPS, [1.0, 2.0, 3.0, 4.0])}, "b": {"NN": Curve(STEPS, [50.0, 60.0, 70.0, 80.0])}}
    figure = panels_figure(curves, ylabel="distance", log=True, xlabel="step")
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()
    assert height(figure.axes[1], 40.0) - height(figure.axes[1], 4.0) == pytest.approx(
        height(figure.axes[0], 20.0) - height(figure.axes[0], 2.0)
    )


def test_a_distance_of_zero_leaves_the_log_axis_through_the_bottom():
    curves = {"a": {"PD": Curve(STEPS, [50.0, 1.0, 1e-9, 0.0]), "NN": Curve(STEPS, [50.0, 1.0, 0.1, 0.1])}}
    figure = panels_figure(curves, ylabel="distance", log=True, xlabel="step")
    assert figure.axes[0].get_ylim() == pytest.approx((50e-5 / 1.1, 55.0))


def test_an_interval_that_reaches_below_zero_does_not_change_the_kind_of_axis():
    curves = {"a": {"NN": Curve(STEPS, [50.0, 5.0, 0.5, 0.05], [49.0, 4.0, 0.1, -0.01], [51.0, 6.0, 0.9, 0.1])}}
    figure = panels_figure(curves, ylabel="distance", log=True, xlabel="step")
    assert figure.axes[0].get_yscale() == "log"


def test_values_of_both_signs_get_a_symmetric_log_axis():
    curves = {"NN": Curve(STEPS, [-100.0, -1.0, 1.0, 100.0])}
    (axes,) = learning_figure(curves, ylabel="return", log=True, xlabel="iteration").axes
    assert height(axes, 100.0) - height(axes, 10.0) == pytest.approx(height(axes, -10.0) - height(axes, -100.0))


# One run.


def test_a_run_shows_its_return_from_the_first_episode_that_ended(metrics):
    axes = training_figure(read_metrics(metrics)).axes[0]
    (line,) = axes.lines
    assert np.array_equal(line.get_ydata(), [np.nan, -200.0, -20.0], equal_nan=True)
    assert axes.get_yscale() == "function"  # a factor of ten apart: logarithmic
    assert axes.get_xlim()[0] <= 0 and axes.get_xlim()[1] >= 2


def test_a_run_shows_kl_entropy_and_explained_variance_below(metrics):
    panels = training_figure(read_metrics(metrics)).axes[1:]
    assert [axes.get_title() for axes in panels] == ["KL divergence", "entropy (nats)", "explained variance"]
    assert panels[0].lines[0].get_ydata().tolist() == [0.010, 0.009, 0.011]


DECLARED = (
    Metric("found", "found", kind="event"),
    Metric("spread", "spread", unit="m", log=True),
    Metric("idle", "idle"),
)


def test_declared_metrics_get_a_panel_where_there_is_a_column(metrics):
    numbers = ("0,8", "0.5,4", "1,0.5")
    lines = [f"{HEADER},found,spread", *(f"{row},{more}" for row, more in zip(ROWS, numbers, strict=True))]
    metrics.write_text("\n".join(lines) + "\n")
    panels = training_figure(read_metrics(metrics), DECLARED).axes[4:]
    assert [axes.get_title() for axes in panels] == ["share found", "spread (m)"]
    assert panels[0].lines[0].get_ydata().tolist() == [0, 0.5, 1]
    assert [axes.get_yscale() for axes in panels] == ["linear", "log"]
    assert len(training_figure(read_metrics(metrics)).axes) == 4


def test_a_long_label_is_no_wider_than_its_panel(metrics):
    metrics.write_text("\n".join([f"{HEADER},far", *(f"{row},1" for row in ROWS)]) + "\n")
    figure = training_figure(read_metrics(metrics), [Metric("far", "mean distance of an agent from all others", "m")])
    figure.canvas.draw()
    for axes in figure.axes[1:]:
        assert axes.title.get_window_extent().width <= axes.get_tightbbox().width
    titles = [axes.title.get_window_extent() for axes in figure.axes[1:]]
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(titles))


def test_a_run_without_a_whole_episode_says_so(metrics):
    metrics.write_text("\n".join([HEADER, ROWS[0]]) + "\n")
    axes = training_figure(read_metrics(metrics)).axes[0]
    assert [text.get_text() for text in axes.texts] == ["no whole episode has ended yet"]


def test_a_metric_without_a_number_has_no_panel(metrics):
    metrics.write_text("\n".join([f"{HEADER},far", *(f"{row}," for row in ROWS)]) + "\n")
    panels = training_figure(read_metrics(metrics), [Metric("far", "distance", "m")]).axes[1:]
    assert [panel.get_title() for panel in panels] == ["KL divergence", "entropy (nats)", "explained variance"]


def test_a_single_iteration_is_a_dot(metrics):
    metrics.write_text("\n".join([HEADER, ROWS[1]]) + "\n")
    axes = training_figure(read_metrics(metrics)).axes[0]
    assert "o" in [line.get_marker() for line in axes.lines]


def test_the_figure_of_a_run_says_what_it_cost(metrics):
    title = training_figure(read_metrics(metrics)).axes[0].get_title(loc="right")
    assert title == "3 iterations · 61,440 environment steps · 18 s"


def test_iterations_are_whole_numbers_on_the_axis(metrics):
    axes = training_figure(read_metrics(metrics)).axes[0]
    assert all(tick == round(tick) for tick in axes.get_xticks())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("iteration,mean_return,kl,entropy\n0,1,2,3\n", "has no column explained_variance"),
        (HEADER + "\n", "has no row yet"),
        ("", "has no column iteration"),
        (f"{HEADER}\n0,1,2\n", "line 2 of .* must have 10 fields, not 3"),
        (f"{HEADER}\n{ROWS[0].replace('2.8', 'many')}\n", "line 2 of .* must hold numbers only"),
    ],
)
def test_a_damaged_log_is_one_sentence(metrics, text, message):
    metrics.write_text(text)
    with pytest.raises(SwarmbedError, match=message):
        read_metrics(metrics)


def test_a_log_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(SwarmbedError, match="does not exist"):
        training_curve(tmp_path / "nothing.csv", tmp_path / "out.png")


# Files.


def test_every_kind_of_figure_becomes_a_file_with_its_colours_in_it(tmp_path, metrics):
    blue = np.array([0x00, 0x72, 0xB2])
    made = [
        learning_curves(RETURNS, tmp_path / "new folder" / "a.png", ylabel="return", log=True),
        comparison_figure({"20": RETURNS}, tmp_path / "b.png", ylabel="return", log=True),
        training_curve(metrics, tmp_path / "c.png"),
    ]
    for path in made:
        picture = imageio.imread(path)[..., :3].astype(int)
        assert (np.abs(picture - blue).sum(axis=-1) < 6).sum() > 100


def test_a_figure_can_stand_inside_a_page():
    text = svg_of(learning_figure(RETURNS, ylabel="return", log=False, xlabel="iteration"))
    root = xml.etree.ElementTree.fromstring(text)
    assert text.startswith("<svg ") and root.tag.endswith("svg")
    assert "max-width" in root.attrib["style"] and "#0072b2" in text.lower()


def test_an_unknown_extension_is_one_sentence_and_writes_nothing(tmp_path):
    with pytest.raises(SwarmbedError, match=r"must end in one of: .*\.png"):
        learning_curves(RETURNS, tmp_path / "a.nope", ylabel="return")
    assert not list(tmp_path.iterdir())


def test_figures_can_be_drawn_in_a_thread_and_leave_nothing_behind(tmp_path):
    with ThreadPoolExecutor(1) as pool:
        path = pool.submit(learning_curves, RETURNS, tmp_path / "a.png", ylabel="return").result()
    assert path.stat().st_size > 1000
    assert not Gcf.get_all_fig_managers()  # pyplot knows of no open figure
