"""Reads an image file with Pillow: its format and size are checked before anything is decoded."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.images.features import SIDE
from engine.images.limits import ImageLimits

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
_SIXTEEN_BITS = ("I;16", "I;16L", "I;16B", "I;16N")
_MODES = ("1", "L", "LA", "La", "P", "PA", "RGB", "RGBA", "RGBa", "RGBX", "CMYK", "YCbCr", "LAB", "HSV", *_SIXTEEN_BITS)


class ImageError(ValueError):
    """An image that is not read; the message says why, without the name of the file.

    limit: the name of the limit of an index build that it exceeds, "" for none.
    """

    def __init__(self, message: str, limit: str = "") -> None:
        super().__init__(message)
        self.limit = limit


def read_pixels(data: bytes, limits: ImageLimits) -> NDArray[np.uint8]:
    """Return an image as RGB of 256 x 256 pixels, uint8, shape (256, 256, 3).

    The image is scaled to the square whatever its sides are, turned as its camera says, and laid on white where it is
    transparent. Of several frames the first is read.

    Raises: ImageError for what is not an image, is damaged, has another format, or exceeds a limit.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError  # noqa: PLC0415  (an extra)

    check_size_of_file(len(data), limits)
    Image.MAX_IMAGE_PIXELS = None  # the limit is ours
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                _check_size(image, limits)
                if image.format == "JPEG":
                    image.draft("RGB", (2 * SIDE, 2 * SIDE))
                image.load()
                ImageOps.exif_transpose(image, in_place=True)
                return _scaled(image)
        except ImageError:
            raise
        except UnidentifiedImageError:
            raise ImageError(f"no image of a format that is read ({', '.join(FORMATS)})") from None
        except MemoryError:
            raise ImageError("it needs more memory than an image may take") from None
        except Exception as error:  # Pillow raises errors of many kinds for damaged files
            raise ImageError(f"damaged: {str(error) or type(error).__name__}") from None


def check_size_of_file(n_bytes: int, limits: ImageLimits) -> None:
    """Raise ImageError if a file is empty or too large to be read."""
    if not n_bytes:
        raise ImageError("the file is empty")
    if n_bytes > limits.max_bytes:
        raise ImageError(f"{n_bytes:,} bytes: at most {limits.max_bytes:,} are read", "max_image_bytes")


def _check_size(image: Image, limits: ImageLimits) -> None:
    width, height = image.size
    if max(width, height) > limits.max_side:
        raise ImageError(f"{width:,} x {height:,} pixels: a side may have {limits.max_side:,}", "max_image_side")
    if width * height > limits.max_pixels:
        raise ImageError(f"{width:,} x {height:,} pixels: at most {limits.max_pixels:,} are read", "max_image_pixels")
    if image.mode not in _MODES:
        raise ImageError(f"pixels of the kind {image.mode!r}: save it as RGB")


def _scaled(image: Image) -> NDArray[np.uint8]:
    from PIL import Image as Images  # noqa: PLC0415  (an extra)

    if image.mode in _SIXTEEN_BITS:
        image = Images.fromarray((np.asarray(image).astype(np.uint16) >> 8).astype(np.uint8))
    is_transparent = image.has_transparency_data or image.mode in ("LA", "La", "PA", "RGBa")
    mode = "RGBA" if is_transparent else "RGB"
    of_mode = image if image.mode == mode else image.convert(mode)
    scaled = of_mode.resize((SIDE, SIDE), Images.Resampling.BILINEAR)
    if is_transparent:
        scaled = Images.alpha_composite(Images.new("RGBA", scaled.size, (255, 255, 255, 255)), scaled).convert("RGB")
    return np.array(scaled, np.uint8)
