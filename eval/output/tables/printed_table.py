"""A printed table: title, columns, rows of cells, notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias

CellValue: TypeAlias = str | int | float | None

# Significant digits of numbers in JSON and CSV; printed tables use the decimals of the column.
DIGITS = 15

UNDEFINED = "–"


@dataclass(frozen=True)
class Column:
    """The name of a column and the decimals of its numbers; None for text, which is left-aligned.

    In a column of p-values (``is_p``), values that would be rounded to 0 are printed as <0.0001.
    """

    name: str
    decimals: int | None = None
    is_p: bool = False


@dataclass(frozen=True)
class Cell:
    """A value, its mark (``↑`` or ``↓``: significantly better or worse), and whether it is the best of its column."""

    value: CellValue
    mark: str = ""
    is_best: bool = False


@dataclass(frozen=True)
class PrintedTable:
    """A printed table; the first ``n_heads`` columns identify a row and are repeated if the table is split."""

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
        rows: Iterable[Sequence[Cell | CellValue]],
        *,
        notes: Sequence[str] = (),
        n_heads: int = 1,
    ) -> Self:
        """Return a table of plain values; a column given by its name only contains text."""
        return cls(
            title,
            tuple(Column(column) if isinstance(column, str) else column for column in columns),
            tuple(tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in row) for row in rows),
            tuple(notes),
            n_heads,
        )

    def texts(self) -> list[list[str]]:
        """Return the text of each cell, without marks."""
        return [
            [formatted(cell.value, column) for cell, column in zip(row, self.columns, strict=True)] for row in self.rows
        ]


def formatted(value: CellValue, column: Column) -> str:
    """Return a value as text in the format of a column; a dash if it is undefined.

    >>> formatted(0.12345, Column("AP", 4)), formatted(12, Column("n", 0)), formatted(None, Column("p", 4))
    ('0.1235', '12', '–')
    >>> formatted(0.00001, Column("p", 4, is_p=True))
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
