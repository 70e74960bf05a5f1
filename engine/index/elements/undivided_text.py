"""Undivided text: elements whose own text is nearly a whole document, or longer than any paragraph.

Its length says how long documents are, not how long the blocks are that texts are usually divided into. So an undivided
text counts as one block of usual length, and passages of it are runs of its sentences.
"""

from __future__ import annotations

from engine.array_types import Mask, Numbers

# Words of an element that is undivided text wherever it is.
LONGER_THAN_PARAGRAPHS = 2000
# Words of one that is, where these are nearly all of its document: NEARLY_ALL in a hundred.
LEAST_WORDS, NEARLY_ALL = 300, 90
# Words of a usual block of text, as which each undivided text counts.
USUAL_BLOCK = 100


def are_undivided(own: Numbers, of_documents: Numbers) -> Mask:
    """Return which elements are undivided text.

    Args:
        own: words of their own text. of_documents: words of their documents.
    """
    is_document = (own >= LEAST_WORDS) & (100 * own >= NEARLY_ALL * of_documents)
    return is_document | (own >= LONGER_THAN_PARAGRAPHS)
