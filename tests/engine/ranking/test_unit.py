"""What `unit = auto` returns: within a word budget passages where text blocks are long, elsewhere elements."""

from __future__ import annotations

from pathlib import Path

import pytest

import foxir

SENTENCE = "The keeper lit the lamp before dusk and wrote the hour of the night into his book"


def index_of(folder: Path, n_sentences: int) -> foxir.Index:
    """Return an index of documents whose text blocks have so many sentences of 17 words, the first about fog."""
    (folder / "documents").mkdir()
    for number in range(3):
        block = ". ".join([f"The horn calls in fog off the coast {number}", *[SENTENCE] * (n_sentences - 1)])
        (folder / "documents" / f"{number}.xml").write_text(f"<article><p>{block}.</p><p>{block}.</p></article>")
    foxir.build_index(folder / "documents", into=folder / "index")
    return foxir.open_index(folder / "index")


@pytest.mark.parametrize("n_sentences", [3, 5])
def test_auto_is_passages_within_a_budget_where_text_blocks_are_long(tmp_path: Path, n_sentences: int) -> None:
    with index_of(tmp_path, n_sentences) as index:

        def found(**settings: object) -> list[tuple[str, tuple[int, int] | None]]:
            return [(answer.path, answer.sentences) for answer in index.search("fog horn", **settings)]  # type: ignore[arg-type]

        budget = {"word_budget": 200}
        assert found(**budget, unit="element") != found(**budget, unit="sentence")
        assert found(**budget) == found(**budget, unit="sentence" if n_sentences == 5 else "element")
        assert found(**budget, answers="//p") == found(**budget, answers="//p", unit="element")
        assert found() == found(unit="element") != found(unit="sentence")
