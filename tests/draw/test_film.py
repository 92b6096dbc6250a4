"""The film: its pictures, and the files read back."""

import resource
import shutil

import imageio.v3 as imageio
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from swarmbed.draw.film import Film, draw_animation, frames
from swarmbed.draw.recording import tell
from swarmbed.draw.render import WRITERS, writer_for
from swarmbed.draw.scene import Look
from swarmbed.draw.story import in_words
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make
from swarmbed.tasks.base import Metric


def test_a_video_has_a_picture_per_step_and_holds_the_last_one(walk, tmp_path):
    video = imageio.imread(draw_animation(walk, tmp_path / "walk.mp4", Look(fps=10.0)))
    assert len(video) == 7 + 15  # 1.5 seconds of ten pictures each
    assert imageio.immeta(tmp_path / "walk.mp4")["fps"] == 10
    assert not np.array_equal(video[0], video[6])
    assert np.abs(video[6].astype(int) - video[-1]).mean() < 1


def test_a_gif_has_a_picture_of_every_other_step_and_of_the_last(walk, tmp_path):
    path = draw_animation(walk, tmp_path / "walk.gif", Look(fps=25.0))
    assert len(imageio.imread(path)) == 4  # steps 0, 2, 4, 6
    with Image.open(path) as image:
        durations = []
        for index in range(image.n_frames):
            image.seek(index)
            durations.append(image.info["duration"])
    assert durations == [80, 80, 80, 1580]


def test_the_pictures_of_a_film_show_the_agents_move(walk):
    first, last = frames(walk, Look(trail=0), [0, 1], dpi=50)
    is_blue = [(np.abs(p.astype(int) - [0x00, 0x72, 0xB2]).sum(axis=-1) < 6)[: p.shape[0] // 2] for p in (first, last)]
    columns = [np.nonzero(mask)[1].mean() for mask in is_blue]
    pixels_per_unit = 50 * 5.2 / np.sqrt(6000)
    assert columns[1] - columns[0] == pytest.approx(pixels_per_unit, abs=1.0)
    assert first.dtype == np.uint8 and first.shape[0] % 2 == first.shape[1] % 2 == 0


def test_a_film_has_a_clock_and_the_metric(chase):
    film = Film(Figure(dpi=50), chase, Look())
    film.show(2)
    assert film.clock.get_text() == "step 2 · 0.2 s"
    assert film.caption.get_text() == "distance to the evader: 3.0 units"
    assert film.line.get_xydata().tolist() == [[0, 5], [1, 4], [2, 3]]
    film.show(4)
    assert film.caption.get_text() == "captured after 4 steps"


def test_captures_are_added_up_without_those_of_the_start(recording_of):
    task = make("multi_pursuit", num_agents=1, num_evaders=1)
    metrics = {"captures": np.array([1.0, 0.0, 2.0, 1.0])}
    assert tell(recording_of(task, np.zeros((4, 1, 2)), metrics=metrics)).values.tolist() == [0, 0, 2, 3]


def test_progress_is_told_picture_by_picture(walk, tmp_path):
    told = []
    draw_animation(walk, tmp_path / "walk.gif", Look(every=3), lambda *counts: told.append(counts))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_film_that_fails_leaves_the_old_file_alone(walk, tmp_path):
    path = tmp_path / "walk.mp4"
    path.write_bytes(b"old")

    def fail(finished, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        draw_animation(walk, path, Look(), fail)
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("walk.mp4", b"old")]


def test_an_ffmpeg_that_gives_up_is_one_sentence(walk, tmp_path, monkeypatch):
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", shutil.which("false"))
    with pytest.raises(SwarmbedError, match="ffmpeg stopped before the film was complete"):
        draw_animation(walk, tmp_path / "walk.mp4")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("extension", WRITERS)
def test_no_picture_appears_unless_it_is_whole(extension, walk, tmp_path):
    """No file may grow beyond four thousand bytes, as on a disk that becomes full."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, limits[1]))
    try:
        with pytest.raises((SwarmbedError, OSError)):
            writer_for(f"walk{extension}")(walk, tmp_path / f"walk{extension}", Look(), None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not list(tmp_path.iterdir())


def test_an_error_that_ffmpeg_only_mentions_is_an_error(walk, tmp_path, monkeypatch):
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\ncat > /dev/null\necho 'Error writing trailer: No space left on device' >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(program))
    with pytest.raises(SwarmbedError, match="Error writing trailer: No space left on device"):
        draw_animation(walk, tmp_path / "film" / "walk.mp4")
    assert not list((tmp_path / "film").iterdir())


@pytest.mark.parametrize("extension", WRITERS)
def test_a_lone_agent_that_never_moved_can_be_drawn(extension, tmp_path, recording_of):
    recording = recording_of(
        make("rendezvous", num_agents=1), np.full((1, 1, 2), 50.0), metrics={"mean_distance": np.zeros(1)}
    )
    path = tmp_path / f"alone{extension}"
    writer_for(path)(recording, path, Look(edges=True, cells=True), None)
    assert path.stat().st_size > 1000


def test_a_distance_is_shown_as_far_as_it_can_be_read():
    metric = Metric("far", "distance", unit="units")
    assert [in_words(metric, value) for value in (51.23, 0.5, 0.0004, 0.0)] == [
        "distance: 51.2 units",
        "distance: 0.500 units",
        "distance: under 0.001 units",
        "distance: 0.000 units",
    ]
