"""One printed table: a title, columns, rows of cells, and what stands below it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias

Value: TypeAlias = str | int | float | None

DIGITS = 15
"""Significant digits of numbers for programs; people get the decimals of the column."""

UNDEFINED = "–"


@dataclass(frozen=True)
class Column:
    """The name of a column and the decimals of its numbers; a column of text has None and stands to the left.

    In a column of p-values one that would round to 0 is written as less than the last decimal.
    """

    name: str
    decimals: int | None = None
    is_p: bool = False


@dataclass(frozen=True)
class Cell:
    """A value, a mark behind it (``↑`` or ``↓``: significantly better or worse), and whether it is the best."""

    value: Value
    mark: str = ""
    is_best: bool = False


@dataclass(frozen=True)
class Sheet:
    """A printed table; the first ``n_heads`` columns name the row and are repeated where it is split for width."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    n_heads: int = 1

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.title!r}: a row of {len(row)} cells under {len(self.columns)} columns")

    @classmethod
    def of(
        cls,
        title: str,
        columns: Sequence[Column | str],
        rows: Iterable[Sequence[Cell | Value]],
        *,
        notes: Sequence[str] = (),
        n_heads: int = 1,
    ) -> Self:
        """Return the table of plain values and names; a name alone is a column of text."""
        return cls(
            title,
            tuple(Column(column) if isinstance(column, str) else column for column in columns),
            tuple(tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in row) for row in rows),
            tuple(notes),
            n_heads,
        )

    def texts(self) -> list[list[str]]:
        """Return what each cell says, without marks."""
        return [
            [plain(cell.value, column) for cell, column in zip(row, self.columns, strict=True)] for row in self.rows
        ]


def plain(value: Value, column: Column) -> str:
    """Return a value as a column writes it; a dash where it is not defined.

    >>> plain(0.12345, Column("AP", 4)), plain(12, Column("n", 0)), plain(None, Column("p", 4))
    ('0.1235', '12', '–')
    >>> plain(0.00001, Column("p", 4, is_p=True))
    '<0.0001'
    """
    if value is None:
        return UNDEFINED
    if isinstance(value, str):
        return value
    decimals = column.decimals or 0
    if column.is_p and 0 <= value < 0.5 * 10**-decimals:
        return f"<{10**-decimals:.{decimals}f}"
    return f"{value:.{decimals}f}"


def rounded(value: float | None) -> float | None:
    """Return a number with 15 significant digits, as JSON and CSV write it."""
    return None if value is None else float(f"{value:.{DIGITS}g}")
