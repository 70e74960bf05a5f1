"""The number type, shape and length that each column of a segment has; they are checked when it is opened.

Columns and their checksums may come from a stranger. Kernels check types again; NumPy would compute another result from
a wrong one, or raise an error far from its cause.
"""

from __future__ import annotations

from engine.columns.checked_folder import ColumnType

# Columns of one byte a value: kinds of elements, byte columns, the low bytes of ascending columns.
_BYTES = {
    *("kind", "extent", "leaf_tf", "n_leaves", "opening_tf", "parent", "position", "subtree_words", "tf"),
    *(
        "attribute_values",
        "leaves_of_term",
        "positions_of_term",
        "postings_of_term",
        "sentence",
        "text_node",
        "word",
        "vector_word",
    ),
}
# By the count of a segment that says how many values they have, columns, and the number of values beyond the count.
_LENGTHS = {
    "n_documents": (
        "digest language leaf_count length_tokens profile size_bytes source text_bytes weight",
        "attributes_of_document fields_of_document first_row ids images_of_document",
    ),
    "n_elements": ("depth extent kind ordinal parent subtree_words tag", "word"),
    "n_terms": ("", "leaves_of_term positions_of_term postings_of_term terms"),
    "n_leaf_postings": ("leaf leaf_tf", ""),
}
_LENGTH_OF = {
    name: (count, beyond)
    for count, columns in _LENGTHS.items()
    for beyond, names in enumerate(columns)
    for name in names.split()
}
_DIGEST_BYTES = 16


def column_type(name: str, counts: dict[str, int]) -> ColumnType:
    """Return the type of a column of a segment with these counts: numbers without sign unless listed otherwise."""
    count, beyond = _LENGTH_OF.get(name, ("", 0))
    length = counts[count] + beyond if count else None
    if name == "weight":
        return ColumnType("f", 8, 1, length)
    if name == "digest":
        return ColumnType("u", 1, 2, length, _DIGEST_BYTES)
    if name == "vector":
        return ColumnType("i", 1, 2)
    if name == "tag_totals":
        return ColumnType(n_dimensions=2)
    if name.startswith("image_"):
        from engine.index.images.image_columns import WIDE  # noqa: PLC0415  (few segments have images)

        wide = WIDE.get(name.removeprefix("image_"))
        if wide is not None:
            width, dtype = wide
            return ColumnType(dtype.kind, dtype.itemsize, 2, None, width)
    return ColumnType("u", 1 if name in _BYTES else None, 1, length)
