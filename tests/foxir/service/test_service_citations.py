"""Citations of a place in a document."""

from __future__ import annotations

import json

from foxir.service.pages.citations import citation


def test_no_value_ends_its_field_in_bibtex() -> None:
    found = citation(
        {"journal": 'J }, url = "http://evil.example", x = {', "author": ["A}} b"]}, "T}", "", "http://h/r"
    )
    depths = [0]
    for character in found["BibTeX"]:
        depths.append(depths[-1] + (character == "{") - (character == "}"))
    assert min(depths) == depths[-1] == 0
    assert depths.index(0, found["BibTeX"].index("{") + 1) == len(depths) - 1  # closed at the end and not before


def test_a_year_is_a_number_and_a_key_is_never_empty() -> None:
    found = citation({"date": "\u00b2\u00b2\u00b2\u00b2", "author": "\u738b"}, "\u738b", "", "http://h/r")
    assert found["BibTeX"].startswith("@misc{item,")
    assert "issued" not in json.loads(found["CSL-JSON"])[0]
