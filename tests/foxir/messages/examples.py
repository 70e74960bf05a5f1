"""Notices of every code, with fields that show what its sentence can say.

`python -m tests.foxir.messages.examples` writes the sentences of the front ends into tests/golden/messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from engine.notices import Notice, about
from foxir.messages import command_line, python, service

GOLDEN = Path(__file__).parents[2] / "golden/messages"
# Each front end, and the one of which it has all sentences that it does not say otherwise.
FRONT_ENDS: dict[str, tuple[Callable[[object], str], Callable[[object], str] | None]] = {
    "command_line": (command_line.sentence, None),
    "python": (python.sentence, command_line.sentence),
    "service": (service.sentence, python.sentence),
    "pages": (service.sentence_of_page, service.sentence),
}


def setting(name: str, value: str) -> Notice:
    return Notice("setting", {"name": name, "value": value})


IN_QUERY = Notice("without_condition", {"where": "year:1857"})
SCOPE = Notice("without_scope", {"settings": (setting("inside", ""), setting("documents", ""))})
NO_ELEMENT = Notice("no_element_named", {"setting": "inside", "value": "//bodi", "near": "body"})
NEEDS_PATHS = Notice("needs_paths", {"place": "r.xml:5: topic '2'", "family": "overlap"})
TOPICS = tuple(map(str, range(1, 13)))
FITS, HAS_WORD = Notice("no_element_fits_query"), Notice("no_answer_has_word")
NXML = Notice("extension", {"ending": ".nxml", "files": 1200})
OUTSIDE = Notice("without_scope", {"settings": (setting("outside", ""),)})
EXAMPLES: list[Notice] = [
    Notice(
        "query_syntax",
        {"position": 6, "mistake": "no comma", "shown": "//sec[x]", "caret": "      ^", "fix": "Write it."},
    ),
    Notice(
        "query_syntax",
        {
            "position": 1,
            "mistake": "no positions",
            "shown": "//sec[2]",
            "caret": "^",
            "fix": Notice("remove_positions", {"position": "2"}),
        },
    ),
    Notice("show_or_search", {"tag": "sec"}),
    Notice("not_closed", {"position": 2, "sign": '"'}),
    Notice("stands_alone", {"position": 1, "sign": "+"}),
    Notice("closes_nothing", {"position": 4, "sign": ")"}),
    Notice("element_path_as_words", {"position": 1}),
    Notice("path_needs_syntax", {"position": 7}),
    Notice("condition_as_words", {"position": 9}),
    Notice("no_operator", {"position": 5, "operator": "AND"}),
    Notice("foreign_operator", {"position": 5, "operator": "&&"}),
    Notice("lone_near", {"position": 5, "operator": "NEAR/3"}),
    Notice("lone_or", {"position": 5}),
    Notice("no_field", {"position": 1, "field": "title", "word": "fog"}),
    Notice(
        "other_fields",
        {
            "position": 1,
            "field": "yaer",
            "word": "1857",
            "near": "year",
            "known": ("author", "title", "year"),
            "element": "",
        },
    ),
    Notice("without_fields", {"position": 1, "field": "author", "word": "strand", "profile": "auto", "element": ""}),
    Notice("without_fields", {"position": 1, "field": "n", "word": "a", "profile": "auto", "element": "sec"}),
    Notice("text_field_compared", {"field": "author", "sign": "=", "word": "strand"}),
    Notice("no_pattern", {"position": 5, "word": "light*"}),
    Notice("no_fuzziness", {"position": 1, "word": "f2~"}),
    Notice("sign_in_parentheses", {"position": 2, "word": "-lamp"}),
    Notice("exact_phrase", {"position": 1}),
    Notice("alternative_phrase", {"position": 1}),
    Notice("too_many_alternatives", {"words": 5000, "most": 256}),
    Notice("no_proximity", {"position": 13, "sign": "~2~3"}),
    Notice("sign_in_field", {"field": "author", "value": "strnad~"}),
    Notice("sign_in_phrase", {"word": "=lens"}),
    Notice("field_in_about", {"word": "author:strand"}),
    Notice("no_wildcard", {"position": 1, "word": "wom?n"}),
    Notice("other_edits", {"position": 1, "word": "barograf~3", "read_as": "~2"}),
    Notice("signs", {"required": ("ve",), "unwanted": ("ab", "cd", "ef")}),
    Notice(
        "read_as_words", {"why": Notice("no_path_query", {"position": 12, "mistake": "unexpected 'is'", "write": ""})}
    ),
    Notice(
        "read_as_words",
        {"why": Notice("no_path_query", {"position": 7, "mistake": "no '.'", "write": "write [.//{yr}]"})},
    ),
    Notice("read_as_words", {"why": Notice("path_without_words")}),
    Notice(
        "read_as_words",
        {"why": Notice("path_of_no_document", {"names": ("songs",), "of_attribute": False, "near": "song"})},
    ),
    Notice(
        "read_as_words",
        {"why": Notice("path_of_no_document", {"names": ("@a", "b"), "of_attribute": True, "near": ""})},
    ),
    Notice("too_many_signs", {"signed": 1200, "most": 256}),
    Notice("too_many_words", {"words": 4, "most": 3, "kept": 3, "splits_phrase": False}),
    Notice("too_many_words", {"words": 400, "most": 256, "kept": 256, "splits_phrase": True}),
    Notice("absent_phrases", {"phrases": ('"fog hour"',), "others": 0}),
    Notice("absent_phrases", {"phrases": ('"fog hour"', '"fog keeper"'), "others": 3}),
    Notice("stands_for", {"word": "light*", "n": 2, "words": ("light", "lights"), "others": 0, "kept": 0}),
    Notice("stands_for", {"word": "fgo~1", "n": 1, "words": ("fog",), "others": 0, "kept": 0}),
    Notice("stands_for", {"word": "*a*", "n": 900, "words": ("a", "sea"), "others": 254, "kept": 256}),
    Notice("no_word_fits", {"word": "xq*"}),
    Notice("list_without_budget"),
    Notice("too_many_patterns", {"n": 400, "most": 32, "max_terms": 256}),
    Notice("spelt_alike", {"word": "signla", "meant": "signal"}),
    Notice("in_no_document", {"words": ("semaglutide",)}),
    Notice("in_no_document", {"words": ("semaglutide", "xqzzyvtw")}),
    Notice("no_word_known", {"words": ("semaglutide", "xqzzyvtw")}),
    Notice("encoder_fails", {"reason": "encoder 'x:y': it failed."}),
    Notice("by_words_alone", {"reason": "encoder 'x:y': it failed."}),
    Notice("unknown_image", {"image": "src:x.png"}),
    Notice("no_images", {"image": "x.png"}),
    Notice("no_document_fits", {"pattern": "jats", "below": "jats/*", "example": "", "is_list": False}),
    Notice("no_document_fits", {"pattern": "c*", "below": "", "example": "a", "is_list": False}),
    Notice("no_document_fits", {"pattern": "c*", "below": "", "example": "", "is_list": False}),
    Notice("no_document_fits", {"pattern": "@ids.txt", "below": "", "example": "a", "is_list": True}),
    NO_ELEMENT,
    Notice("no_document_sorted", {"field": "date"}),
    Notice("no_element_named", {"setting": "answers", "value": "//xyz", "near": ""}),
    Notice("budget_too_small", {"budget": 5, "shortest": 9}),
    Notice("passages_instead", {"budget": 5, "shortest": 9}),
    Notice("all_too_long", {"budget": 5, "shortest": 9}),
    Notice("too_many_tokens", {"budget": 5, "shortest": 9}),
    Notice("no_answer", {"reasons": (NO_ELEMENT,)}),
    Notice("no_answer_to_attributes", {"names": ("@langg",), "near": "lang"}),
    Notice("no_answer_to_attributes", {"names": ("@a", "@b"), "near": ""}),
    Notice(
        "no_answer_to_names",
        {"names": ("songs",), "near": "song", "with_images": (), "folder": "my demo.foxir", "may_be_words": True},
    ),
    Notice(
        "no_answer_to_names",
        {
            "names": ("a", "b"),
            "near": "",
            "with_images": ("fig", "graphic"),
            "folder": "demo.foxir",
            "may_be_words": False,
        },
    ),
    Notice("no_answer_to_words", {"words": ("xyzzy",), "documents": 34, "needs_sign": True}),
    Notice("no_answer_to_words", {"words": ("xyzzy", "plugh"), "documents": 1, "needs_sign": False}),
    Notice(
        "no_answer_to_query",
        {"words": ("xyzzy",), "documents": 1234, "unfulfilled": FITS, "others": (setting("operator", "or"),)},
    ),
    Notice(
        "no_answer_to_query",
        {
            "words": (),
            "documents": 3,
            "unfulfilled": Notice("no_answer_fits_query"),
            "others": (Notice("fewer_signs"), Notice("no_phrases"), setting("reading", "VV"), SCOPE),
        },
    ),
    Notice("no_answer_to_query", {"words": (), "documents": 3, "unfulfilled": HAS_WORD, "others": ()}),
    Notice("no_answer_to_query", {"words": (), "documents": 3, "unfulfilled": HAS_WORD, "others": (IN_QUERY,)}),
    Notice("no_answer_without_words", {"reasons": (Notice("no_letter"),)}),
    Notice(
        "no_answer_without_words",
        {"reasons": (Notice("no_wanted_word"), Notice("path_not_satisfied", {"others": (setting("min_words", "0"),)}))},
    ),
    Notice("no_answer_without_words", {"reasons": (Notice("path_not_satisfied", {"others": ()}),)}),
    Notice("no_image_in_bounds", {"images": 67, "others": (setting("answers", "auto"), OUTSIDE)}),
    Notice("no_image_alike", {"images": 1, "has_path": True, "with_images": ("fig",)}),
    Notice("no_image_alike", {"images": 67, "has_path": False, "with_images": ()}),
    Notice("no_element_at_path", {"path": "'/a[1]/p[9]'", "document": "d", "near": "/a[1]", "meant": ""}),
    Notice("no_element_at_path", {"path": "'/b[1]'", "document": "d", "near": "", "meant": ""}),
    Notice("no_element_at_path", {"path": "'/a[1]/q[1]'", "document": "d", "near": "/a[1]", "meant": "/a[1]/p[1]"}),
    Notice("no_element_with_id", {"id": "'intor'", "document": "d", "near": "intro", "has_ids": True}),
    Notice("no_element_with_id", {"id": "'x'", "document": "d", "near": "", "has_ids": True}),
    Notice("no_element_with_id", {"id": "'x'", "document": "d", "near": "", "has_ids": False}),
    Notice(
        "no_topic_answered", {"topics": 3, "only": "1-3", "first": about("t.txt:1: topic '1'", "the query is empty.")}
    ),
    Notice("no_topic_answered", {"topics": 1, "only": "", "first": "none is given"}),
    Notice("setting_value", {"name": "inside", "value": "'body!'", "reason": "expected tags."}),
    Notice("setting_value", {"name": "max_words", "value": "'x'", "reason": "expected a number."}),
    Notice("scope_of_whole_articles", {"name": "outside", "selector": "//fn"}),
    Notice(
        "unused_setting",
        {"name": "max_sentences", "owner": "passages", "found": "these are elements", "needs": "unit = sentence"},
    ),
    Notice(
        "unused_setting",
        {
            "name": "image_weight",
            "owner": "queries with example images",
            "found": "this query has none",
            "needs": "image = FILE",
        },
    ),
    Notice(
        "unused_setting",
        {
            "name": "element_k1",
            "owner": "headings",
            "found": Notice("headings_without_weight"),
            "needs": "heading_weight = 1",
        },
    ),
    Notice(
        "unused_setting",
        {
            "name": "max_table_words",
            "owner": "tables",
            "found": Notice("tables_stay_whole", {"name": "overlap", "value": "keep"}),
            "needs": "overlap = remove",
        },
    ),
    Notice(
        "unused_setting",
        {"name": "min_words", "owner": "elements", "found": Notice("lengths_of_passages"), "needs": ""},
    ),
    Notice("entities_changed"),
    Notice("large_documents", {"document": "a.xml", "others": 0, "needed": 1200, "allowed": 512}),
    Notice("large_documents", {"document": "a.xml", "others": 2, "needed": 1200, "allowed": 512}),
    Notice("text_outside", {"characters": 1300, "tags": ("entry", "post")}),
    Notice("no_xml_file", {"sources": ("a", "b"), "found": (), "others": 0, "pattern": ""}),
    Notice("no_xml_file", {"sources": ("a",), "found": (NXML,), "others": 2, "pattern": "'a/**/*.0'"}),
    Notice("another_extension", {"files": 1, "ending": ".nxml", "pattern": "'a/**/*.nxml'"}),
    Notice("another_extension", {"files": 1200, "ending": ".nxml", "pattern": "'a/**/*.nxml'"}),
    Notice("nothing_excluded", {"patterns": ("drafts", "old/*.xml")}),
    Notice("unused_split_tags", {"tags": ("entri", "post"), "files_are_whole": True, "near": "entry"}),
    Notice("unused_split_tags", {"tags": ("post",), "files_are_whole": False, "near": ""}),
    Notice("misspelt_tags", {"tags": (Notice("misspelt_tag", {"tag": "sek", "kind": "headings", "near": "sec"}),)}),
    Notice(
        "long_titles",
        {"profile": "a", "most": 25, "tags": (Notice("long_title", {"tag": "body", "elements": 3, "words": 140}),)},
    ),
    Notice(
        "inline_with_blocks",
        {"profile": "a", "tags": (Notice("holds_blocks", {"tag": "sec", "elements": 3, "with_blocks": 2}),)},
    ),
    Notice("no_words"),
    Notice("inclusions_not_followed", {"elements": 1}),
    Notice("references_kept", {"references": 3, "names": ("logo", "tm")}),
    Notice("references_kept", {"references": 50_006, "names": tuple(f"e{number}" for number in range(50_006))}),
    Notice("inferred_otherwise", {"root": "gesetz", "tags": ("absatz", "nr")}),
    Notice("held_text", {"root": "ui", "attributes": ("entry/@label",), "tags": ("note",)}),
    Notice("held_text", {"root": "ui", "attributes": (), "tags": ("note",)}),
    Notice("pages_read_as_html", {"pages": 3}),
    Notice("wrong_ids", {"files": 1}),
    Notice("no_document_fulfils", {"where": "year > 2100"}),
    Notice("unknown_documents", {"unknown": 2, "given": 3, "example": "a", "near": ""}),
    Notice("unknown_documents", {"unknown": 1, "given": 1, "example": "a.xml", "near": "a"}),
    Notice("unknown_documents", {"unknown": 0, "given": 0, "example": "", "near": ""}),
    Notice("field_without_value", {"position": 1, "field": "author", "word": "strand||"}),
    Notice("field_as_words", {"field": "year", "value": "spring", "kind": "a year or a date", "example": "1857"}),
    Notice("field_as_words", {"field": "author", "value": "!", "kind": "text", "example": ""}),
    Notice("reversed_range", {"field": "year", "value": "1900..1800", "instead": "1800..1900"}),
    Notice("fields_among_words", {"group": "author:strand OR fog"}),
    Notice("shared_document_id", {"name": "fog", "ids": ("bells/fog", "lamps/fog")}),
    Notice("no_second_index", {"word": "typo.foxir"}),
    Notice("misread_field", {"field": "year", "expected": "a number", "text": "spring", "document": "a", "others": 2}),
    Notice("too_many_values", {"values": 7, "most": 5000}),
    Notice("unread_images", {"references": 1200, "install": "pip install X"}),
    Notice("part_of_source", {"source": "a/b", "whole": "a"}),
    Notice("unknown_source", {"source": "c", "known": ("a", "b")}),
    Notice("unknown_source", {"source": "c", "known": ()}),
    Notice("contains_source", {"source": "a", "inner": "a/my b"}),
    Notice("source_is_gone", {"source": "a/my b"}),
    about("x.foxir", Notice("index_without_shards")),
    Notice("texts_encoded", {"texts": 7, "encoder": "x:y"}),
    Notice("no_vectors", {"encoder": "x:y"}),
    Notice("other_encoder", {"encoder": "x:y", "known": "wordllama"}),
    Notice("encoder_changed", {"encoder": "x:y", "dimensions": 7, "known": 26}),
    Notice("encoder_not_named", {"encoder": "x:y"}),
    Notice("other_shards", {"shards": 2, "asked": 3}),
    Notice("stopped", {"reason": "not well-formed", "skipped": 3}),
    Notice("no_memory_to_read"),
    Notice("reader_died"),
    Notice("no_remote_index", {"url": "s3://b/x.foxir"}),
    Notice("unknown_limit", {"given": "'max_txt=1'", "near": "max_text", "known": ("max_text", "max_depth")}),
    Notice("wrong_limit", {"given": "'max_text=x'", "name": "max_text"}),
    *(
        Notice(c, {"topics": 2})
        for c in (
            *(
                "ranks_missing",
                "rsv_missing",
                "rsv_rising",
                "rsv_tied",
                "ranks_equal",
                "ranks_repeated",
                "duplicate_results",
            ),
            *("ranks_from_0", "ranks_after_1", "ranks_with_gaps", "ranks_out_of_order"),
        )
    ),
    Notice("unplaced_results", {"offset": "X", "results": 1}),
    Notice("several_run_ids", {"ids": 2, "first": "me"}),
    Notice("quote_of_no_document", {"line": "q.csv:2", "quote": "a lamp", "reason": "no document"}, "exclusion"),
    Notice("quote_incomplete", {"line": "q.csv:2", "missing": "quote"}, "exclusion"),
    Notice("quote_not_found", {"line": "q.csv:2", "quote": "a lamp", "document": "d1"}, "exclusion"),
    Notice("quote_nearly", {"line": "q.csv:2", "quote": "a lamp", "passage": "a lamps", "shared": 75}),
    Notice("quote_several_times", {"line": "q.csv:2", "quote": "a lamp", "times": 2}),
    Notice("run_without_settings", {"run": "runs/a.trec", "is_text": True}),
    Notice("run_without_settings", {"run": "runs/a.xml", "is_text": False}),
    Notice("sidecar_of_another", {"file": "runs/a.trec.json"}),
    Notice("unknown_origin", {"run": "a.xml"}),
    Notice("another_origin", {"run": "a.xml", "found": "documents 34, now 35"}),
    Notice("function_of_run", {"run": "a.xml", "name": "similarity", "value": "mine:pl2"}),
    Notice("weights_of_fields", {"fields": "title^2,description", "similarity": "bm25"}),
    Notice("unknown_field", {"tag": "paht", "results": 1}),
    Notice("ids_without_tab", {"id": "T1", "comment": 0}),
    Notice("ids_without_tab", {"id": "1", "comment": 2}),
    about("a.xml", Notice("no_assessments", {"root": "topics"})),
    Notice("too_small_elements", {"elements": 3}),
    Notice("documents_judged"),
    Notice(
        "contradicting_lines",
        {"first": about("q.txt:2", Notice("passages_beyond_document", {"end": 12, "size": 10})), "lines": 1},
    ),
    Notice(
        "contradicting_lines",
        {
            "first": about(
                "q.txt:2", Notice("overlapping_passages", {"start": 0, "end": 9, "next_start": 5, "next_end": 12})
            ),
            "lines": 4,
        },
    ),
    Notice("wrong_rsize", {"rsize": 7, "highlighted": 0}),
    Notice("offsets_unknown", {"topic": "7"}),
    Notice("skipped_document", {"topic": "7", "document": "d"}),
    Notice("skipped_documents", {"documents": 2}),
    Notice("skipped_results", {"count": 1, "results": 4}),
    Notice("results_no_elements", {"count": 1, "results": 4}),
    Notice("documents_listed", {"results": 2}),
    Notice("no_entry_points", {"documents": 2}),
    Notice("topics_judged_once", {"first": 2, "second": 0}),
    Notice("grades_not_compared", {"first": "a", "scale": "2002", "second": "b", "other_scale": "2005"}),
    Notice("no_agreement_on_elements"),
    Notice("topics_without_elements", {"topics": 2}),
    Notice("no_exhaustivity"),
    Notice("asked_not_judged", {"topics": TOPICS}),
    Notice("judged_not_asked", {"topics": ("1", "2")}),
    Notice("topics_left_out", {"count": 2, "topics": 9}),
    Notice("worker_ended"),
    Notice("topics_not_judged", {"topics": TOPICS}),
    Notice("topics_without_results", {"topics": ("8", "9"), "count_as_0": True, "others": "1-7"}),
    Notice("topics_without_results", {"topics": ("8", "9"), "count_as_0": True, "others": ""}),
    Notice("topics_without_results", {"topics": ("8", "9"), "count_as_0": False, "others": ""}),
    Notice("results_not_judged", {"count": 1, "results": 2}),
    Notice("topics_outside_mean", {"topics": ("9",)}),
    Notice("relevant_not_in_index", {"missing": ("b", "c"), "relevant": 3}),
    Notice("returned_not_in_index", {"count": 4, "results": 5, "missing": ("u",)}),
    *(
        Notice(c, {"count": 2})
        for c in ("unsized_results", "unlocated_results", "results_not_in_index", "no_entry_point")
    ),
    Notice("not_computed", {"reason": Notice("no_element_measure", {"reason": NEEDS_PATHS})}),
    Notice("left_out", {"family": "overlap", "reason": NEEDS_PATHS, "has_others": True}),
    Notice("left_out", {"family": "overlap", "reason": NEEDS_PATHS, "has_others": False}),
    Notice(
        "measure_needs_index",
        {"family": "xcg", "reason": Notice("needs_index", {"lacking": "q: no sizes"}), "are_passages": True},
    ),
    Notice(
        "measure_needs_index",
        {"family": "xcg", "reason": Notice("needs_index", {"lacking": "q: no sizes"}), "are_passages": False},
    ),
    Notice("overlapping_results", {"first": "rank 1", "document": "d"}),
    Notice("interleaved_documents", {"document": "d"}),
    Notice("one_measure"),
    Notice("no_element_for_strict"),
    Notice("few_topics", {"few": 1, "comparisons": 3, "enough": 5, "fewest": 4}),
    Notice("few_topics", {"few": 3, "comparisons": 3, "enough": 5, "fewest": 4}),
    Notice("chunks_leave_out", {"chunker": "paragraphs:list", "covered": 41.23}),
    Notice("topics_without_relevance", {"topics": ("t0", "t1")}),
    Notice("gain_in_noise", {"mean": 0.025, "level": 0.95, "low": -0.1, "high": 0.15}),
    Notice("loss", {"mean": -0.3, "level": 0.95, "low": -0.4, "high": -0.2}),
    Notice("best_on_border", {"name": "k", "value": "3", "side": "highest"}),
    Notice("learned_on_border", {"name": "a", "value": "4", "side": "highest", "low": 0.0, "high": 4.0}),
]


def sentences(front_end: str) -> Iterator[str]:
    """Yield the examples and their sentences that the front end has not from another one."""
    sentence, other = FRONT_ENDS[front_end]
    for example in EXAMPLES:
        if other is None or sentence(example) != other(example):
            yield f"{example.code}: {sentence(example)}\n"


if __name__ == "__main__":
    for name in FRONT_ENDS:
        (GOLDEN / f"{name}.txt").write_text("".join(sentences(name)), "utf-8")
