"""Numbers of bytes as text: exact, as options take them (512M, 1G), and rounded, for readers (350.3 kB)."""

from __future__ import annotations

UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def parse_bytes(text: str) -> int:
    """Return the bytes that a text such as 512M, 1.5GB or 800000 means; raises ValueError.

    >>> parse_bytes("512M"), parse_bytes("1 GiB")
    (536870912, 1073741824)
    """
    size = text.strip().upper().removesuffix("B").removesuffix("I")
    number, unit = (size[:-1], size[-1]) if size[-1:] in UNITS and size else (size, "")
    n_bytes = (int(number) if number.strip().isdecimal() else float(number)) * UNITS[unit]
    if not 0 < n_bytes < float("inf"):
        raise ValueError(f"not a size: {text!r}")
    return int(n_bytes)


def format_bytes(n_bytes: int) -> str:
    """Return a number of bytes in the largest unit that divides it, as `parse_bytes` reads it.

    >>> format_bytes(2**30), format_bytes(1_000_000)
    ('1G', '1000000')
    """
    unit = max((unit for unit, size in UNITS.items() if n_bytes % size == 0), key=UNITS.__getitem__)
    return f"{n_bytes // UNITS[unit]}{unit}"


def rounded_bytes(n_bytes: float) -> str:
    """Return a number of bytes in decimal units, with one digit after the point.

    >>> rounded_bytes(999), rounded_bytes(350_280)
    ('999 B', '350.3 kB')
    """
    if n_bytes < 1000:
        return f"{n_bytes:.0f} B"
    for unit in ("kB", "MB", "GB"):
        n_bytes /= 1000
        if n_bytes < 1000:
            return f"{n_bytes:.1f} {unit}"
    return f"{n_bytes / 1000:.1f} TB"
