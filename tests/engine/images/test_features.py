"""Features of images: values worked out by hand, and the slow reference."""

from __future__ import annotations

import io
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageEnhance

from engine.images.decoding import ImageLimits, read_pixels
from engine.images.features import (
    BAND_BORDERS,
    GROUP_BORDERS,
    STEP,
    Group,
    bands,
    colour_numbers,
    colours_and_modes,
    energies,
    features_of,
)
from engine.kernels.table import has_kernels, without_kernels
from tests.reference import image_features as reference
from tests.reference import image_scores
from tests.trust.soak import effort

PHOTOGRAPH = Path(mpl.get_data_path(), "sample_data", "grace_hopper.jpg")

RED, WHITE, BLACK = (255, 0, 0), (255, 255, 255), (0, 0, 0)


def plain(colour: tuple[int, int, int]) -> np.ndarray:
    return np.full((256, 256, 3), colour, np.uint8)


@pytest.mark.parametrize(
    ("pixel", "number"),
    [
        (RED, (0 * 3 + 2) * 3 + 2),  # hue 0, full saturation, full value
        ((0, 255, 0), (6 * 3 + 2) * 3 + 2),  # 120 degrees are sector 6
        ((0, 0, 255), (12 * 3 + 2) * 3 + 2),  # 240 degrees are sector 12
        ((255, 0, 44), (17 * 3 + 2) * 3 + 2),  # 349.6 degrees; sector 0 begins at 350
        ((128, 64, 64), (0 * 3 + 1) * 3 + 1),  # saturation 1/2, value 128/256
        ((80, 40, 40), (0 * 3 + 1) * 3 + 0),  # value 80/256 is in the first third
        (BLACK, 162),
        ((63, 63, 63), 162),  # 4 * 63 / 256 = 0.98
        ((64, 64, 64), 163),
        ((128, 128, 128), 164),
        ((192, 192, 192), 165),
        (WHITE, 165),
        ((255, 230, 230), 165),  # max - min = 25: still grey
        ((255, 229, 229), (0 * 3 + 0) * 3 + 2),  # 26: red, pale
    ],
)
def test_colours_of_pixels(pixel, number):
    assert colour_numbers(np.array([pixel], np.uint8)).tolist() == [number]


def test_modes_and_histogram_of_a_red_corner():
    pixels = plain(WHITE)
    pixels[:64, :64] = (
        RED  # 4,096 of 65,536 pixels; 16, 4 and 1 blocks of 16, 32 and 64 pixels, a quarter of one of 128
    )

    colours, modes = colours_and_modes(pixels)

    assert {number: count for number, count in enumerate(colours.tolist()) if count} == {8: 4096, 165: 61440}
    assert (modes == 8).sum() == 16 + 4 + 1
    assert modes[:5].tolist() == [8, 8, 8, 8, 165]
    assert modes[256:259].tolist() == [8, 8, 165]
    assert modes[320:322].tolist() == [8, 165]
    assert modes[336:].tolist() == [165] * 4


def test_equally_frequent_colours_give_the_lower_number():
    pixels = plain(WHITE)
    pixels[:, ::2] = RED

    assert set(colours_and_modes(pixels)[1].tolist()) == {8}


def test_an_image_of_one_colour_has_no_texture():
    features = features_of(plain(WHITE))
    numbers, counts = features.postings()

    assert len(numbers) == 340 + 1 + 0 + 12  # no block is above the lowest band
    assert counts.tolist() == [1] * 340 + [65536] + [256] * 12
    assert numbers[340] == GROUP_BORDERS[1] + 165
    assert numbers[341:].tolist() == [GROUP_BORDERS[3] + filter_ * 10 for filter_ in range(12)]


def test_a_wave_is_in_the_band_of_its_frequency_and_direction():
    # A wave of amplitude 127.5 and the frequency of the second scale: the filter halves the amplitude (its Gaussian has
    # the integral 1), so the root mean square is 127.5 / 2 / sqrt(2) = 45.08; orientation 0 is a wave along the rows.
    across = np.round(127.5 + 127.5 * np.cos(2 * np.pi * 0.1875 * np.arange(256)))
    values = np.tile(across.astype(np.uint8), (256, 1))

    energy = energies(values).reshape(12, 16, 16)[4:8, 4:12, 4:12]
    levels = np.sqrt(energy / 256) / STEP

    assert levels[0] == pytest.approx(
        np.full((8, 8), 45.08), rel=0.03
    )  # blocks hold 3 periods; 1/512 of the mean leaks
    assert levels[2].max() < 1
    assert set(bands(values).reshape(12, 16, 16)[4, 4:12, 4:12].ravel().tolist()) == {len(BAND_BORDERS)}
    turned = bands(values.T.copy()).reshape(12, 16, 16)
    assert (bands(values).reshape(12, 16, 16)[4] == turned[6].T).all()


def test_groups_have_87446_features_in_all():
    assert GROUP_BORDERS == (0, 56_440, 56_606, 87_326, 87_446)
    assert [group.title for group in Group] == [
        "colour blocks",
        "colour histogram",
        "texture blocks",
        "texture histogram",
    ]


@given(st.integers(0, 255), st.integers(0, 255), st.integers(0, 255))
def test_colours_equal_the_reference(red, green, blue):
    assert colour_numbers(np.array([red, green, blue], np.uint8)) == reference.colour(red, green, blue)


def random_picture(seed: int) -> np.ndarray:
    """Return an image with smooth, striped and noisy parts."""
    random = np.random.default_rng(seed)
    x, y = np.meshgrid(np.arange(256), np.arange(256))
    waves = [
        128 + 100 * np.sin(random.uniform(0, 0.8) * x + random.uniform(0, 0.8) * y + random.uniform(0, 6))
        for _ in range(3)
    ]
    pixels = np.stack(waves, axis=2)
    pixels[128:] += random.normal(0, random.uniform(5, 60), (128, 256, 3))
    pixels[40:90, 100:180] = random.integers(0, 256, 3)
    return np.clip(pixels, 0, 255).astype(np.uint8)


@pytest.mark.skipif(not has_kernels(), reason="no kernels were compiled")
@pytest.mark.parametrize("seed", range(effort(1, 300, thorough=10)))
def test_kernels_give_the_bits_of_numpy(seed):
    random = np.random.default_rng(seed)
    extreme = random.choice(np.array([0, 255], np.uint8), (256, 256, 3))
    noise = random.integers(0, 256, (256, 256, 3)).astype(np.uint8)

    for pixels in (random_picture(seed), extreme, noise, plain(WHITE)):
        colours, energy = colour_numbers(pixels), energies(pixels[..., 1])
        with without_kernels():
            expected = colour_numbers(pixels), energies(pixels[..., 1])

        assert (colours == expected[0]).all()
        assert (energy == expected[1]).all()


def photograph() -> np.ndarray:
    """Return the photograph that Matplotlib ships."""
    return read_pixels(PHOTOGRAPH.read_bytes(), ImageLimits())


@pytest.mark.long
def test_a_photograph_stays_alike_when_it_is_changed_a_little():
    image = Image.open(PHOTOGRAPH)
    width, height = image.size
    changed = {
        "brighter": ImageEnhance.Brightness(image).enhance(1.1),
        "smaller": image.resize((width // 2, height // 2)),
        "cropped": image.crop((width // 30, height // 30, width - width // 30, height - height // 30)),
        "turned": image.rotate(180),
    }
    example, other = features_of(photograph()), features_of(random_picture(seed=1))
    found = {name: features_of(read_pixels(as_png(each), ImageLimits())) for name, each in changed.items()}
    every = [example, *found.values(), other]
    scores = {name: image_scores.score(example, each, every) for name, each in found.items()}

    assert image_scores.score(example, example, every) == pytest.approx(1.0)
    assert all(0.35 < scores[name] < 1 for name in ("brighter", "smaller", "cropped"))
    assert image_scores.score(example, other, every) < scores["turned"] < min(scores["smaller"], scores["cropped"])


def as_png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.long
def test_features_of_a_drawing_over_a_photograph_equal_the_slow_reference():
    pixels = np.concatenate([random_picture(seed=1)[:128], photograph()[128:]])
    features = features_of(pixels)
    values = pixels.max(axis=2)

    levels = reference.root_mean_squares(values)

    assert features.modes.tolist() == reference.modes(pixels)
    # Coefficients are rounded to 2^-16: 35 * 35 of them at most, times 255, would be 0.02 if all were rounded alike.
    assert np.sqrt(energies(values) / 256) / STEP == pytest.approx(levels, abs=0.02)
    is_sure = np.abs(levels[..., None] - BAND_BORDERS).min(axis=2) > 0.02
    assert (features.bands == np.searchsorted(BAND_BORDERS, levels, side="right"))[is_sure].all()
    assert is_sure.mean() > 0.9


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
@pytest.mark.long
def test_features_are_ascending_and_complete(seed):
    random = np.random.default_rng(seed)
    small = random.integers(0, 256, (8, 8, 3), dtype=np.uint8)
    features = features_of(np.kron(small, np.ones((32, 32, 1), np.uint8)))

    numbers, counts = features.postings()

    assert (np.diff(numbers) > 0).all()
    assert ((numbers >= 0) & (numbers < GROUP_BORDERS[-1])).all()
    of_group = np.searchsorted(GROUP_BORDERS, numbers, side="right") - 1
    totals = np.bincount(of_group, counts, 4).tolist()
    assert totals[:2] == [340, 65536]
    assert totals[2] == np.count_nonzero(features.bands) <= 3072
    assert totals[3] == 3072
