"""Sentences on runs, judgements and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from foxir.messages.front_end import Sentence

MOST_TOPICS = 10


def _topics(topics: Sequence[str]) -> str:
    """Return the number of topics and the first of them, of the field `topics`."""
    shown = ", ".join(f"{{topics[{place}]}}" for place in range(min(len(topics), MOST_TOPICS)))
    return f"{len(topics)} ({shown}{', ...' if len(topics) > MOST_TOPICS else ''})"


def _topics_without_results(topics: Sequence[str], count_as_0: bool, others: str) -> str:
    leave_out = "{topics_option:{others}}" if others else "{option:missing_topics=skip}"
    effect = f"they count as 0; {leave_out} leaves them out" if count_as_0 else "outside the means"
    return f"judged topics without results: {_topics(topics)}: {effect}"


def _measure_needs_index(are_passages: bool, **_: object) -> str:
    passages = "{hixeval_alone:} scores passages, " if are_passages else ""
    return f"{{family}}: {{reason}} Without one, {passages}{{measures:trec}} scores whole documents."


def _few_topics(few: int, **_: object) -> str:
    return (
        f"{{few}} of {{comparisons}} comparisons {'is' if few == 1 else 'are'} over fewer than {{enough}} topics "
        "(fewest: {fewest}): p-values of so few say little"
    )


def _no_gain(high: float, **_: object) -> str:
    conclusion = "is within noise" if high >= 0 else "is a loss"
    return (
        f"the gain {conclusion}: {{mean:+.4f}} on topics held out, {{level:.0%}} interval {{low:+.4f}} to "
        "{high:+.4f}: keep the base settings, or tune on more topics."
    )


def _ids_without_tab(comment: int, **_: object) -> str:
    comments = "; lines that begin with # are queries, not comments (line {comment}): remove them" if comment else ""
    return (
        "every line seems to begin with an id, such as '{id}', and a blank: it was read as a word of the query, and "
        f"the line number is the id. Write a tab after each id{comments}."
    )


def _contradicting_lines(lines: int, **_: object) -> str:
    more = "; so in {lines} lines" if lines > 1 else ""
    return (
        f"{{first}}{more}: scores by such lines are doubtful, correct them ('foxir judgements check JUDGEMENTS "
        "--index INDEX' compares them with an index)"
    )


SENTENCES: Mapping[str, Sentence] = {
    # runs and topics
    "ranks_missing": "ranks missing, derived from the rsv in {topics:topic|}",
    "rsv_missing": "rsv missing, derived from the rank in {topics:topic|}",
    "rsv_rising": "rsv rising with the rank (sorted by rank) in {topics:topic|}",
    "duplicate_results": "duplicate results (kept) in {topics:topic|}",
    "ranks_from_0": "ranks started at 0 in {topics:topic|}",
    "ranks_after_1": "ranks started after 1 in {topics:topic|}",
    "ranks_with_gaps": "ranks had gaps (renumbered) in {topics:topic|}",
    "ranks_out_of_order": "results were not in the order of their ranks (sorted) in {topics:topic|}",
    "unplaced_results": "results with offset {offset}, without location in their document: {results}",
    "several_run_ids": "{ids} run ids in one file; the first, '{first}', is used",
    "unknown_field": "unknown <{tag}> in {results} results was ignored",
    "ids_without_tab": _ids_without_tab,
    # judgements
    "no_assessments": "skipped, its root is <{root}>, not <assessments>",
    "too_small_elements": "{elements} elements with coverage 'too small' count as not assessed",
    "documents_judged": (
        "TREC qrels judge whole documents, here text or elements are needed: INEX XML, FOL qrels. They score runs: "
        "{score_documents:}."
    ),
    "contradicting_lines": _contradicting_lines,
    "passages_beyond_document": "passages end after the document's size (at {end} of {size})",
    "overlapping_passages": "passages overlap (characters {start}-{end} and {next_start}-{next_end})",
    "wrong_rsize": "rsize is not the number of characters in passages ({rsize}, passages have {highlighted})",
    "offsets_unknown": (
        "topic '{topic}' has passages without offsets or documents without length; give the index of the collection "
        "({option:index})."
    ),
    "skipped_document": "topic '{topic}': document '{document}' is not in the index: skipped",
    "skipped_documents": "{documents} judged documents are not in the index and were skipped",
    "skipped_results": "{count} of {results} results are not in the index and were skipped",
    "results_no_elements": "{count} of {results} results are not elements and keep their offsets",
    "documents_listed": "{results} results in documents already listed are not written",
    "no_entry_points": "{documents} documents without best entry point: the start of the first passage was taken",
    "topics_judged_once": "topics judged in one of the two only, skipped: {first} and {second}",
    "grades_not_compared": ("{first} is on the scale of {scale}, {second} of {other_scale}: grades are not compared"),
    "no_agreement_on_elements": (
        "agreement on elements is omitted where only passages are judged ({option:index} gives elements)"
    ),
    "topics_without_elements": "topics without relevant elements, skipped: {topics}",
    "no_exhaustivity": "exhaustivity was not judged: its tables are omitted",
    "asked_not_judged": "excluded, not judged: topic {topics:listed 5}",
    "judged_not_asked": "excluded, judged but not in the topic file: topic {topics:listed 5}",
    "topics_left_out": "{count} of {topics} topics are left out: without judgements, or without a title",
    # scores
    "worker_ended": (
        "a worker process ended unexpectedly, perhaps for lack of memory: use fewer processes ({option:jobs=1})."
    ),
    "topics_not_judged": lambda topics: f"topics not judged, skipped: {_topics(topics)}",
    "topics_without_results": _topics_without_results,
    "results_not_judged": "{count} of {results} results lie in documents not judged (not relevant)",
    "topics_outside_mean": lambda topics: f"topics without relevance, outside the mean: {_topics(topics)}",
    "relevant_not_in_index": lambda missing, **_: (
        f"relevant documents that are not in the index: {len(missing)} of {{relevant}}: {{missing:listed}}"
    ),
    "returned_not_in_index": (
        "{count} of {results} results lie in documents that are not in the index: {missing:listed}"
    ),
    "unsized_results": (
        "results of unknown size, so RP and precision=text cannot be computed ({option:index} gives sizes): {count}"
    ),
    "unlocated_results": "results without a place in their document (they keep their rank): {count}",
    "results_not_in_index": "results that are not in the index, counted as 0 characters: {count}",
    "no_entry_point": "documents with highlights but no best entry point (their results score 0): {count}",
    "not_computed": "not computed: {reason}",
    "left_out": lambda has_others, **_: (
        "{family} is left out, as it is not for all runs: {run}: {reason}"
        + ("; without such runs, {measures:{family}} scores the others" if has_others else "")
    ),
    "needs_paths": (
        "{place}: the result is a passage given by offsets; {family} is defined on elements and needs paths"
    ),
    "no_element_measure": (
        "{reason}. {measures:hixeval} scores passages. If all results are whole elements, {convert_to_paths:} writes "
        "their paths."
    ),
    "needs_index": "{lacking}: needs {option:index}, the index of the judged collection.",
    "measure_needs_index": _measure_needs_index,
    "overlapping_results": (
        "the result overlaps that of {first} in document '{document}'. Overlap is refused here; remove it from the "
        "run, or score with {measure_option:overlapping=union} (each character counts once)."
    ),
    "interleaved_documents": (
        "document '{document}' appears again after others. Results must be grouped by document; group them, or score "
        "with {measure_option:overlapping=union} (a document counts at its first result)."
    ),
    "one_measure": "one measure given: expected two or more ({measures:AP,iAP}), or several values of an option.",
    "no_element_for_strict": (
        "quant=strict: no judged element has exhaustivity 2, which it needs. To elements derived from passages, "
        "{derive_elements:} gives it; {measure_option:quant=fullyspec} needs none."
    ),
    "few_topics": _few_topics,
    "chunks_leave_out": (
        "chunker {chunker}: its chunks contain {covered:.1f} % of the highlighted text, and only that can be found: "
        "cut more of the text, or take other elements (paragraphs:p,li, elements)."
    ),
    # tuning
    "topics_without_relevance": "excluded, without relevance under the measure: topic {topics}",
    "no_gain": _no_gain,
    "best_on_border": ("the best {name}, {value}, is the {side} of the grid: better values may lie beyond, extend it."),
    "learned_on_border": (
        "the learned {name}, {value}, is the {side} of the values tried, {low:g} to {high:g}: better values may lie "
        "beyond."
    ),
}
