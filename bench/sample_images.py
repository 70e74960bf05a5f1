"""Draws the images of the sample collection: python -m bench.sample_images [COLLECTION].

Eight kinds of eight images each, so that an example has images like it, and images of other kinds that share its
colours or its textures. Equal seeds give equal pixels.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

WIDTH, HEIGHT = 160, 120
PER_KIND = 8
SEED = 2006
Draw = ImageDraw.ImageDraw
Random = np.random.Generator
Colour = tuple[int, int, int]

SEA, PAPER, INK, BRASS = (46, 88, 128), (244, 238, 222), (40, 36, 34), (176, 132, 52)


def shaded(colour: Colour, random: Random, spread: int = 18) -> Colour:
    """Return a colour near another one."""
    red, green, blue = (int(np.clip(part + random.integers(-spread, spread + 1), 0, 255)) for part in colour)
    return red, green, blue


def lamp(draw: Draw, random: Random) -> None:
    """A burning lamp in a dark room."""
    draw.rectangle((0, 0, WIDTH, HEIGHT), fill=shaded((28, 24, 36), random, 8))
    x, y = int(random.integers(60, 100)), int(random.integers(38, 54))
    for radius in range(44, 8, -6):
        glow = 255 - radius * 4
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=(glow, int(glow * 0.8), glow // 3))
    draw.ellipse((x - 6, y - 14, x + 6, y + 10), fill=(255, 250, 214))
    brass = shaded(BRASS, random)
    draw.rectangle((x - 16, y + 12, x + 16, y + 22), fill=brass)
    draw.polygon([(x - 10, y + 22), (x + 10, y + 22), (x + 24, 116), (x - 24, 116)], fill=brass)


def lens(draw: Draw, random: Random) -> None:
    """A Fresnel lens: rings of glass around a bull's eye."""
    draw.rectangle((0, 0, WIDTH, HEIGHT), fill=shaded((196, 210, 208), random, 10))
    x, y, step = WIDTH // 2 + int(random.integers(-12, 13)), HEIGHT // 2, int(random.integers(5, 9))
    glass = shaded((104, 158, 150), random)
    for radius in range(56, step, -step):
        box = (x - radius, y - radius, x + radius, y + radius)
        draw.ellipse(box, fill=glass if radius // step % 2 else (224, 240, 234), outline=(60, 96, 92))
    draw.ellipse((x - step, y - step, x + step, y + step), fill=(250, 255, 250), outline=(60, 96, 92))


def tower(draw: Draw, random: Random) -> None:
    """A banded lighthouse against the sky."""
    draw.rectangle((0, 0, WIDTH, HEIGHT), fill=shaded((150, 190, 226), random, 14))
    draw.rectangle((0, 96, WIDTH, HEIGHT), fill=shaded((92, 110, 70), random))
    x, bands = int(random.integers(50, 110)), int(random.integers(4, 7))
    band = [(196, 40, 36), (36, 36, 40)][int(random.integers(0, 2))]
    for number in range(bands):
        top, below = 30 + number * 70 // bands, 30 + (number + 1) * 70 // bands
        half, half_below = 10 + number * 10 // bands, 10 + (number + 1) * 10 // bands
        shape = [(x - half, top), (x + half, top), (x + half_below, below), (x - half_below, below)]
        draw.polygon(shape, fill=band if number % 2 else (246, 246, 240))
    draw.rectangle((x - 8, 18, x + 8, 30), fill=(250, 226, 120), outline=INK)
    draw.polygon([(x - 11, 18), (x + 11, 18), (x, 8)], fill=INK)


def buoy(draw: Draw, random: Random) -> None:
    """A buoy on the sea."""
    draw.rectangle((0, 0, WIDTH, 62), fill=shaded((206, 214, 220), random, 10))
    draw.rectangle((0, 62, WIDTH, HEIGHT), fill=shaded(SEA, random, 12))
    for y in range(66, HEIGHT, 9):
        points = [(x, y + 2 * math.sin(x / 7 + y + random.uniform(0, 1))) for x in range(0, WIDTH + 4, 4)]
        draw.line(points, fill=(120, 156, 190), width=1)
    x, body = int(random.integers(50, 110)), [(200, 44, 40), (40, 132, 70)][int(random.integers(0, 2))]
    draw.polygon([(x - 8, 34), (x + 8, 34), (x + 16, 78), (x - 16, 78)], fill=body)
    draw.ellipse((x - 24, 70, x + 24, 92), fill=body)
    draw.line((x, 34, x, 20), fill=INK, width=3)
    draw.ellipse((x - 5, 12, x + 5, 22), fill=body)


def axes(draw: Draw) -> None:
    """Two axes on paper with ticks."""
    draw.rectangle((0, 0, WIDTH, HEIGHT), fill=(255, 255, 255))
    draw.line((16, 8, 16, 106, 152, 106), fill=INK, width=2)
    for x in range(30, 152, 14):
        draw.line((x, 106, x, 110), fill=INK)
    for y in range(20, 106, 14):
        draw.line((12, y, 16, y), fill=INK)


def curve(draw: Draw, random: Random) -> None:
    """A tide curve."""
    axes(draw)
    for colour in ((30, 80, 170), (190, 60, 50))[: int(random.integers(1, 3))]:
        size, length, phase = random.uniform(14, 38), random.uniform(5, 14), random.uniform(0, 6)
        points = [(x, 58 + size * math.sin(x / length + phase) * math.cos(x / 60)) for x in range(18, 152)]
        draw.line(points, fill=colour, width=2)


def bars(draw: Draw, random: Random) -> None:
    """A bar chart."""
    axes(draw)
    n_bars = int(random.integers(5, 9))
    colour = shaded((70, 110, 160), random, 30)
    for number in range(n_bars):
        left, top = 20 + number * 130 // n_bars, int(random.integers(14, 96))
        draw.rectangle((left, top, left + 90 // n_bars, 105), fill=colour, outline=INK)


def chart(draw: Draw, random: Random) -> None:
    """A sea chart: land, depth lines, soundings."""
    draw.rectangle((0, 0, WIDTH, HEIGHT), fill=shaded((208, 228, 238), random, 6))
    phase = random.uniform(0, 6)
    for depth, colour in ((58, (186, 214, 230)), (44, (160, 198, 222)), (28, (226, 206, 148))):
        coast = [(x, HEIGHT - depth - 12 * math.sin(x / 22 + phase) - 5 * math.sin(x / 7)) for x in range(0, 164, 4)]
        draw.polygon([(0, HEIGHT), *coast, (WIDTH, HEIGHT)], fill=colour, outline=(96, 120, 130))
    for _ in range(24):
        x, y = int(random.integers(4, 152)), int(random.integers(4, 60))
        draw.line((x, y, x + 3, y), fill=INK)
        draw.line((x + 1, y - 2, x + 1, y + 3), fill=INK)
    x, y = int(random.integers(30, 130)), int(random.integers(16, 44))
    draw.line((x - 12, y, x + 12, y), fill=(170, 40, 120))
    draw.line((x, y - 12, x, y + 12), fill=(170, 40, 120))


def texture(draw: Draw, random: Random) -> None:
    """Masonry: courses of stones."""
    stone = shaded((150, 140, 128), random, 24)
    draw.rectangle((0, 0, WIDTH, HEIGHT), fill=shaded((92, 86, 80), random, 10))
    course, length = int(random.integers(10, 16)), int(random.integers(20, 34))
    for row, y in enumerate(range(0, HEIGHT, course)):
        for x in range(-length // 2 * (row % 2), WIDTH, length):
            draw.rectangle((x + 1, y + 1, x + length - 2, y + course - 2), fill=shaded(stone, random, 12))


KINDS: dict[str, Callable[[Draw, Random], None]] = {
    "lamp": lamp,
    "lens": lens,
    "tower": tower,
    "buoy": buoy,
    "curve": curve,
    "bars": bars,
    "chart": chart,
    "masonry": texture,
}


# Images of figures that have a caption, with the kind and the number of what they show.
FIGURES = {"jats/fx-001-f1": ("curve", 9), "jats/fx-006-f1": ("curve", 10), "jats/fx-010-f1": ("bars", 9)}


def drawn(kind: str, number: int) -> Image.Image:
    """Return one image."""
    image = Image.new("RGB", (WIDTH, HEIGHT))
    KINDS[kind](ImageDraw.Draw(image), np.random.default_rng([SEED, *kind.encode(), number]))
    return image.quantize(64, dither=Image.Dither.NONE)


def images() -> dict[str, tuple[str, int]]:
    """Return the kind and the number of each image by its path below the collection, without extension."""
    numbers = range(1, PER_KIND + 1)
    return {f"images/{kind}-{number}": (kind, number) for kind in KINDS for number in numbers} | FIGURES


def main() -> None:
    """Write all images."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "collections")
    for name, (kind, number) in images().items():
        path = folder / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        drawn(kind, number).save(path, optimize=True)


if __name__ == "__main__":
    main()
