"""The settings of a search as options, shared by search, explain, run and tune."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

import click

from engine.settings import choices
from engine.settings.definitions import KINDS
from engine.settings.settings import default_settings
from foxir.terminal.command_class import headed_option
from foxir.terminal.options.given_settings import collect

LENGTH = "WORDS|0.5x"


def _option(name: str, heading: str, help: str, **attributes: Any) -> Callable[[Any], Any]:
    if (default := _default(name)) is not None:
        attributes["show_default"] = default
    return headed_option(heading, *name.split(), help=help, **attributes)


def _default(name: str) -> str | None:
    """Return the default of the setting that an option sets as text, None if it sets none."""
    option, *_ = name.removeprefix("--").split("/")
    value = _defaults().get(option.replace("-", "_"))
    if isinstance(value, bool):
        return f"{'' if value else 'no-'}{option}"
    return None if value is None else str(value)


@functools.cache
def _defaults() -> Mapping[str, Any]:
    return {**default_settings().all_values(), **default_settings().to_dict()}


def _choice(values: Any) -> click.Choice[str]:
    return click.Choice(get_args(values))


_answers = functools.partial(_option, heading="Answers")
_ranking = functools.partial(_option, heading="Ranking")
_scores = functools.partial(_option, heading="Scores of elements")
_structure = functools.partial(_option, heading="Structure")
_meaning = functools.partial(_option, heading="Meaning")
_bounds = functools.partial(_option, heading="Bounds of a query")
_sets = functools.partial(_option, heading="Sets of settings")

OPTIONS = [
    _answers(
        "--answers",
        metavar="KIND|//TAG",
        help="Which elements can be answers: auto; matching; oCRE, nCRE (built from matches); target (of a path "
        "query); with --rank-by score also any (with a match), blocks (the lowest that are "
        "long enough), or tags: //p, '//(sec|p)'.",
    ),
    _answers(
        "--in --inside inside", metavar="//TAG", help="Only answers inside such elements: //body, '//(abstract|body)'."
    ),
    _answers(
        "--not-in --outside outside", metavar="//TAG", help="No answers inside such elements: '//(ref-list|back)'."
    ),
    _answers("--documents", metavar="PATTERN", help="Only answers from documents with such ids: 'jats/*'."),
    _answers(
        "--passages/--no-passages",
        default=None,
        help="Return passages: sentences, and whole tables, lists or other elements where these fit better.",
    ),
    _answers("--max-sentences", metavar="N", help="Sentences per passage; implies --passages."),
    _answers("--min-passage-words", metavar=LENGTH, help="Minimum length of a passage, unless its element is shorter."),
    _answers(
        "--across-elements/--no-across-elements",
        default=None,
        help="Let a passage of several sentences continue in the next element, if that has a query word.",
    ),
    _answers(
        "--whole-weight",
        metavar="X",
        help="Factor of the score of a whole element that is returned as a passage; 0: only sentences are.",
    ),
    _answers(
        "--passage-focus",
        metavar="X",
        help="With --passages: return elements for queries of a lower focus, which many articles answer; 0: never.",
    ),
    _answers("--overlap", type=_choice(choices.Overlap), help="Keep or remove answers that overlap."),
    _answers(
        "--min-words",
        metavar=LENGTH,
        help="Minimum length of an element other than a whole document: words, or a multiple of the text block (1x), "
        "which may have a limit (0.2x up to 10); for sentences: --min-passage-words.",
    ),
    _answers(
        "--max-words",
        metavar=f"{LENGTH}|all",
        help="Maximum length of an element; for passages of sentences: --max-sentences.",
    ),
    _answers(
        "--max-table-words",
        metavar=f"{LENGTH}|all",
        help="Length of a table above which its rows answer a question in its place.",
    ),
    _answers(
        "--word-budget",
        metavar="N|all",
        help="Maximum number of words in all answers together; the best that fit are chosen.",
    ),
    _answers("--group-by-article/--no-group-by-article", default=None, help="List the answers of an article together."),
    _answers("--max-per-article", metavar="N|all", help="Maximum number of answers per article."),
    _answers("--max-answers", metavar="N", help="Maximum number of answers."),
    _ranking("--rank-by", type=_choice(choices.RankBy), help="Order elements by score, or by structure (--heuristic)."),
    _ranking(
        "--similarity",
        metavar="bm25|okapi|pcosine|dirichlet|Q-EXPRESSION",
        help="Score of articles; an expression of elements (gpx, xfirm, 'E[DM-AFI-BAA]') sets --element-similarity. "
        "See foxir similarity.",
    ),
    _ranking("--preset", type=_choice(choices.Preset), help="Parameters of the article similarity."),
    _ranking(
        "--param parameters",
        multiple=True,
        metavar="NAME=VALUE",
        help="A parameter of a similarity, of articles (k1=1.95) or elements (element_k1=3.4); repeatable.",
    ),
    _ranking(
        "--approach",
        type=_choice(choices.Approach),
        help="What is ranked: elements of the best articles, articles, or elements of all.",
    ),
    _ranking("--max-articles", metavar="N|all", help="Number of top-ranked articles that are searched."),
    _scores(
        "--element-similarity",
        metavar="Q-EXPRESSION",
        help="Score of elements: adaptive, text-blocks, 'E[DM-AFI-BAA]'.",
    ),
    _scores("--article-weight", metavar="NUMBER", help="Weight of the article's score in the scores of its elements."),
    _scores(
        "--opening-weight",
        metavar="NUMBER",
        help="Weight of query words among the first words of an article, which adds to the article's score; 0: off.",
    ),
    _scores("--parent-weight", metavar="NUMBER", help="Share of the parent's score that is added."),
    _scores("--heading-weight", metavar="NUMBER", help="Weight of query words in headings of an element and above it."),
    _scores("--header-rows/--no-header-rows", default=None, help="Count the first rows of a table as headings of it."),
    _scores("--neighbour-weight", metavar="NUMBER", help="Weight of the better of the elements before and after."),
    _scores(
        "--coverage",
        metavar="NUMBER",
        help="Exponent of the share of the query that an element contains, a factor of its score and headings; 0: off.",
    ),
    _scores(
        "--focus",
        metavar="auto|NUMBER",
        help="From 0 to 1, how much of the answer one article contains; multiplies the weights of article, parent and "
        "neighbour; auto estimates it.",
    ),
    _scores(
        "--block-words",
        metavar=LENGTH,
        help="Length of a text block; shorter elements are scored as if they were that long.",
    ),
    _scores(
        "--min-leaf-words",
        metavar=LENGTH,
        help="Tags whose leaves are usually shorter are fragments (cells, dates), which are not returned.",
    ),
    _structure("--operator", type=_choice(choices.Operator), help="Matches contain any query term, or all."),
    _structure("--max-matches", metavar="N|all", help="Matches per topic from which answers are built."),
    _structure(
        "--heuristic",
        type=_choice(choices.Heuristic),
        metavar="MpE|...|TPF|PTF",
        help="Order inside an article; implies --rank-by structure.",
    ),
    _ranking(
        "--function-words", type=_choice(choices.FunctionWords), help="Drop or keep words such as 'the' and 'what'."
    ),
    _structure(
        "--reading",
        type=_choice(choices.Reading),
        help="How a path query is read: target, support (S strict, V vague); CO: its words.",
    ),
    _answers(
        "--syntax",
        type=_choice(choices.Syntax),
        help="How the query is written: plain words without operators, keywords with signs and phrases, or a path; "
        "auto is path if the query can be parsed as one, or only a path query with a mistake is written so; "
        "else keywords.",
    ),
    _structure(
        "--tags", type=_choice(choices.TagComparison), help="Tags in a query: exact, or classes of the profile."
    ),
    _ranking(
        "--image-weight", metavar="NUMBER", help="Weight of the images, from 0 to 1, in a query with example images."
    ),
    _meaning(
        "--semantic",
        metavar="none|wordllama|MODULE:FUNCTION",
        help="Encoder whose cosines re-rank the best answers (docs/semantic.md; extra semantic).",
    ),
    _meaning("--semantic-weight", metavar="NUMBER", help="Weight of the cosine, as a share of the best score."),
    _meaning("--semantic-answers", metavar="N", help="Number of best answers that are re-ranked."),
    _meaning(
        "--semantic-failures",
        type=_choice(choices.SemanticFailures),
        help="If the encoder is missing or fails: stop with an error, or skip it with a notice.",
    ),
    _bounds(
        "--max-terms",
        metavar="N|all",
        help="Maximum number of words in a query; only the rarest of a longer one are searched.",
    ),
    _bounds(
        "--max-query-memory",
        metavar="SIZE|all",
        help="Maximum memory for the intermediate results of a query: 512M, 2G.",
    ),
    _bounds(
        "--max-seconds",
        metavar="NUMBER|all",
        help="Maximum time for a query; one that takes longer ends with an error.",
    ),
    _sets("--named", metavar="RUN", help="A run of thesis Table 3.6 or 6.3: H-oCRE-MpE."),
    _sets("--settings settings_file", type=click.Path(path_type=Path), metavar="FILE", help="Settings in TOML."),
]
# Names of the options as arguments of a command.
NAMES = (*KINDS, "preset", "parameters", "named", "settings_file")


def settings_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the settings of a search to a command as options; it receives them as one argument `settings`.

    From weakest to strongest: the engine's defaults, --settings, --task (where the command has it), --named, options.
    """

    @functools.wraps(function)
    def with_settings(**given: Any) -> Any:
        chosen = {name: given.pop(name) for name in NAMES}
        return function(settings=collect(chosen, given.get("task"), quiet=given.get("quiet", False)), **given)

    for option in reversed(OPTIONS):
        with_settings = option(with_settings)
    return with_settings
