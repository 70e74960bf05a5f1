"""The example images of a query, in its plan."""

from __future__ import annotations

from engine.arrays import ArrayRecord
from engine.images.features import ImageFeatures
from engine.records import dataclass


@dataclass(frozen=True, eq=False, repr=False)
class ExampleImage(ArrayRecord):
    """An example image and what it is compared with.

    name: the file, or the path in the index, as messages show it.
    names: tags of the elements in which images are compared; () for any.
    support: tags of the elements whose images count for what is in them; None where an element is judged by its own.
    """

    name: str
    features: ImageFeatures
    names: tuple[str, ...] = ()
    support: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"ExampleImage({self.name!r})"


@dataclass(frozen=True)
class ImageQuery:
    """The example images of a query.

    weight: alpha, the share of the images in the score; the text has the rest.
    """

    examples: tuple[ExampleImage, ...]
    weight: float

    def __repr__(self) -> str:
        return f"ImageQuery({', '.join(example.name for example in self.examples)}; weight {self.weight:g})"
