"""Frames to ffmpeg, and a check that ffmpeg completed the film."""

import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

import imageio_ffmpeg
import numpy as np
from numpy.typing import NDArray

from swarmbed.spec.errors import SwarmbedError

QUALITY = ("-preset", "veryfast", "-crf", "23", "-tune", "animation", "-movflags", "+faststart")


class Encoder:
    """A film that is written frame by frame. Leaving the context waits for ffmpeg and checks its exit status."""

    def __init__(self, path: Path, fps: float) -> None:
        self.path, self.fps = path, fps
        self._process: subprocess.Popen[bytes] | None = None
        self._words = tempfile.TemporaryFile()  # noqa: SIM115  closed with the encoder; a pipe could fill up
        try:
            with _unwarned():
                self._program = imageio_ffmpeg.get_ffmpeg_exe()
        except RuntimeError as error:
            raise SwarmbedError(
                "an .mp4 needs ffmpeg, and none was found; write a .gif instead, or set IMAGEIO_FFMPEG_EXE"
            ) from error

    def __enter__(self) -> "Encoder":
        return self

    def add(self, picture: NDArray[np.uint8]) -> None:
        """One picture more: (height, width, 3), all of one size, both sides even."""
        if self._process is None:
            self._process = self._start(*picture.shape[:2])
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(np.ascontiguousarray(picture).data)
        except OSError as error:
            # It has stopped listening: no room on the disk, or not an ffmpeg at all. Its end says which.
            self._check(self._ended())
            raise SwarmbedError(f"ffmpeg stopped before the film was complete ({error})") from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._process is None:
                return
            if error is not None:  # the film is not needed any more
                self._process.kill()
                self._ended()
            else:
                self._check(self._ended())
        finally:
            self._words.close()

    def _ended(self) -> int:
        """No more frames: ffmpeg finishes the file. Returns its exit code."""
        assert self._process is not None and self._process.stdin is not None
        with suppress(OSError):  # it does not listen any more, and its exit code says why
            self._process.stdin.close()
        return self._process.wait()

    def _start(self, height: int, width: int) -> "subprocess.Popen[bytes]":
        rate = f"{self.fps:.6g}"
        command = [self._program, "-y", "-nostdin", "-v", "error", "-xerror"]
        command += ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", rate, "-i", "pipe:0"]
        command += ["-an", "-c:v", "libx264", "-pix_fmt", "yuv420p", *QUALITY, "-f", "mp4", str(self.path)]
        with _unwarned():
            return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._words)

    def _check(self, code: int) -> None:
        """A film is complete if ffmpeg succeeded and reported no error: some of its errors have no exit code."""
        self._words.seek(0)
        lines = self._words.read().decode(errors="replace").strip().splitlines()
        if code == 0 and not lines:
            return
        reason = lines[-1].strip() if lines else f"it ended with code {code}"
        raise SwarmbedError(f"ffmpeg stopped before the film was complete ({reason}); is there room left?")


@contextmanager
def _unwarned() -> Iterator[None]:
    """JAX warns about forks; these exec ffmpeg at once and never run any of our code."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"os\.fork", RuntimeWarning)
        yield
