"""Reading image files: formats, transparency, and files that are refused."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from engine.images.decoding import ImageError, ImageLimits, read_pixels
from engine.images.features import features_of
from engine.images.reader import ImageReader

LIMITS = ImageLimits()


def encoded(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def picture() -> np.ndarray:
    pixels = np.full((256, 256, 3), 255, np.uint8)
    pixels[40:120, 60:200] = (200, 30, 30)
    pixels[150:, :, 1] = 90
    return pixels


@pytest.fixture(scope="module", autouse=True)
def _nothing_is_kept():
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("FOXIR_IMAGE_CACHE")
        yield


@pytest.fixture(scope="module")
def reader(_nothing_is_kept):
    with ImageReader() as opened:
        yield opened


@pytest.mark.parametrize("kind", ["PNG", "BMP", "TIFF", "GIF"])
def test_lossless_formats_give_equal_pixels(kind):
    assert (read_pixels(encoded(Image.fromarray(picture()), kind), LIMITS) == picture()).all()


@pytest.mark.parametrize("kind", ["JPEG", "WEBP"])
def test_lossy_formats_give_similar_pixels(kind):
    pixels = read_pixels(encoded(Image.fromarray(picture()), kind, quality=95), LIMITS)

    assert np.abs(pixels.astype(int) - picture()).mean() < 4


def test_transparent_parts_are_white():
    image = Image.new("RGBA", (256, 256), (255, 0, 0, 0))
    image.paste((0, 0, 255, 255), (0, 0, 256, 128))

    pixels = read_pixels(encoded(image), LIMITS)

    assert pixels[0, 0].tolist() == [0, 0, 255]
    assert pixels[255, 0].tolist() == [255, 255, 255]


def test_grey_images_of_sixteen_bits_keep_their_upper_eight():
    image = Image.fromarray(np.full((256, 256), 0x8123, np.uint16))

    assert read_pixels(encoded(image), LIMITS)[7, 7].tolist() == [0x81] * 3


def test_images_are_turned_as_the_camera_says():
    exif = Image.Exif()
    exif[0x0112] = 3  # upside down
    raw = encoded(Image.fromarray(picture()), "PNG", exif=exif)

    assert (read_pixels(raw, LIMITS) == picture()[::-1, ::-1]).all()


def test_the_worker_gives_the_same_features(reader):
    assert reader.features(encoded(Image.fromarray(picture()))) == features_of(picture())


def png_header(width: int, height: int) -> bytes:
    """Return a PNG of so many pixels with almost no data."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(b"\0" * 1000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


HOSTILE = {
    "empty": (b"", "empty"),
    "a text": (b"<html>not an image</html>", "no image of a format that is read"),
    "an SVG": (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "no image of a format that is read"),
    "a bomb": (png_header(19_000, 19_000), "19,000 x 19,000 pixels: at most 32,000,000"),
    "a line": (png_header(1, 100_000), "1 x 100,000 pixels: a side may have 20,000"),
    "truncated": (encoded(Image.effect_noise((256, 256), 80))[:2000], "damaged: "),
    "an eps": (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "no image of a format that is read"),
    "floats": (encoded(Image.fromarray(np.ones((9, 9), np.float32)), "TIFF"), "pixels of the kind 'F'"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_and_the_next_is_read(reader, name):
    data, reason = HOSTILE[name]

    with pytest.raises(ImageError, match=reason):
        reader.features(data)

    assert reader.features(encoded(Image.fromarray(picture()))) == features_of(picture())


def test_every_truncation_is_refused_or_read(reader):
    whole = encoded(Image.fromarray(picture()), "JPEG")
    refused = 0

    for end in range(1, len(whole), 397):
        try:
            reader.features(whole[:end])
        except ImageError:
            refused += 1

    assert refused > len(whole) // 397 - 3  # the last bytes may be missing


def test_a_file_with_too_many_bytes_is_refused():
    with ImageReader(ImageLimits(max_bytes=100)) as reader, pytest.raises(ImageError, match="101 bytes: at most 100"):
        reader.features(b"x" * 101)


@pytest.mark.long
def test_decoding_that_takes_too_long_is_ended():
    with ImageReader(ImageLimits(seconds=0.0)) as reader:
        with pytest.raises(ImageError, match="more than 0 seconds"):
            reader.features(encoded(Image.fromarray(picture())))
        reader.limits = LIMITS

        assert reader.features(encoded(Image.fromarray(picture()))) == features_of(picture())


@pytest.mark.long
def test_a_decoder_that_dies_is_replaced():
    with ImageReader() as reader:
        reader.features(encoded(Image.fromarray(picture())))
        reader._process.kill()
        reader._process.wait()
        with pytest.raises(ImageError, match="the decoder failed"):
            reader.features(encoded(Image.fromarray(picture())))

        assert reader.features(encoded(Image.fromarray(picture()))) == features_of(picture())


@pytest.mark.long
def test_features_are_kept_where_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv("FOXIR_IMAGE_CACHE", str(tmp_path / "cache"))
    data = encoded(Image.fromarray(picture()))
    with ImageReader() as reader:
        first = reader.features(data)
    (entry,) = (path for path in (tmp_path / "cache").rglob("*") if path.is_file())
    monkeypatch.setattr(ImageReader, "_start", lambda self: pytest.fail("the image was decoded again"))

    assert ImageReader().features(data) == first == features_of(picture())

    monkeypatch.undo()
    monkeypatch.setenv("FOXIR_IMAGE_CACHE", str(tmp_path / "cache"))
    entry.write_bytes(entry.read_bytes()[:-1] + b"?")
    with ImageReader() as reader:
        assert reader.features(data) == first
