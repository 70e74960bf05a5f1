"""Features of image files, computed in a process of their own, which is ended when it takes too long."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from contextlib import suppress
from pathlib import Path
from threading import Event, Timer
from typing import TYPE_CHECKING

from engine.errors import SettingsError, how_to_install
from engine.images.decoding import ImageError, check_size_of_file
from engine.images.features import ImageFeatures
from engine.images.limits import ImageLimits
from engine.images.worker import FEATURES, LENGTH, SIZE, features_from_bytes, features_to_bytes
from engine.system.files import replace_file
from engine.system.platform import open_regular

if TYPE_CHECKING:
    import subprocess

EXTRA = how_to_install("images")
# What is on Python's path for this module to be found.
_ROOT = Path(str(sys.modules[__name__.partition(".")[0]].__file__)).resolve().parents[1]
# Most bytes of an answer; a message of the decoder may be long.
_LONGEST = 1 << 20


def can_read_images() -> bool:
    """Return whether Pillow is installed, which decodes images."""
    return importlib.util.find_spec("PIL") is not None


class ImageReader:
    """Computes the features of image files, one at a time; the process starts with the first and ends with `close`."""

    def __init__(self, limits: ImageLimits | None = None) -> None:
        self.limits = limits or ImageLimits()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> ImageReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def features(self, data: bytes) -> ImageFeatures:
        """Return the features of an image file.

        Raises: ImageError for an image that is not read. SettingsError if Pillow is not installed.
        """
        if not can_read_images():
            raise SettingsError(f"images are read with Pillow, which is not installed: {EXTRA}")
        check_size_of_file(len(data), self.limits)
        if (known := kept_features(data)) is not None:
            return known
        features = self._computed(data)
        keep_features(data, features)
        return features

    def _computed(self, data: bytes) -> ImageFeatures:
        process = self._process or self._start()
        is_late = Event()

        def end() -> None:
            is_late.set()
            process.kill()

        ending = Timer(self.limits.seconds, end)
        ending.start()
        try:
            kind, content = _answer(process, data)
        except (EOFError, OSError):
            if not is_late.is_set():
                self.close()
                raise ImageError("the decoder failed: the image is damaged, or needs too much memory") from None
        except BaseException:
            self.close()  # an answer is under way that would be taken for the next one's
            raise
        finally:
            ending.cancel()
            ending.join()
        if is_late.is_set():
            self.close()
            raise ImageError(f"decoding took more than {self.limits.seconds:g} seconds", "max_image_seconds")
        if kind != FEATURES:
            limit, _, message = content.decode("utf-8", "replace").partition("\n")
            raise ImageError(message, limit)
        return features_from_bytes(content)

    def close(self) -> None:
        """End the process, also in the middle of an image."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        import subprocess  # noqa: PLC0415  (most collections have no images)

        limits = self.limits
        paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [
                sys.executable,
                *("-P", "-m", "engine.images.worker"),  # without -P, files of the current folder could replace modules
                *map(str, (limits.max_bytes, limits.max_pixels, limits.max_side)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        return self._process


def _answer(process: subprocess.Popen[bytes], data: bytes) -> tuple[bytes, bytes]:
    """Return the answer of the process to an image file: its letter and its content; raises EOFError, OSError."""
    requests, answers = process.stdin, process.stdout
    assert requests is not None
    assert answers is not None
    requests.write(LENGTH.pack(len(data)) + data)
    requests.flush()
    header = answers.read(1 + LENGTH.size)
    if len(header) <= LENGTH.size or (length := LENGTH.unpack(header[1:])[0]) > _LONGEST:
        raise EOFError
    if len(content := answers.read(length)) < length:
        raise EOFError
    return header[:1], content


VARIABLE = "FOXIR_IMAGE_CACHE"
# Part of the names, so that features of another definition are not found.
VERSION = "1"


def kept_features(data: bytes) -> ImageFeatures | None:
    """Return the cached features of an image file, None if there are none or the entry is damaged."""
    path = _path(data)
    if path is None:
        return None
    with suppress(OSError, ValueError):
        with open_regular(path) as file:
            raw = file.read(SIZE + DIGEST + 1)
        if _digest(raw[:SIZE]) == raw[SIZE:]:
            return features_from_bytes(raw[:SIZE])
    return None


def keep_features(data: bytes, features: ImageFeatures) -> None:
    """Keep the features of an image file, if the folder can be written to."""
    path = _path(data)
    if path is not None:
        raw = features_to_bytes(features)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, raw + _digest(raw), sync=False)


DIGEST = 16


def _digest(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=DIGEST).digest()


def _path(data: bytes) -> Path | None:
    folder = os.environ.get(VARIABLE)
    if not folder:
        return None
    name = hashlib.blake2b(data, digest_size=32).hexdigest()
    return Path(folder) / VERSION / name[:2] / name
