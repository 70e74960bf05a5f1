"""`foxir chunks eval`: chunks cut and retrieved in several ways, scored beside foxir on the same judgements."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click

from engine.text.languages import Stemmer
from eval.statistics.significance_tests import SEED
from foxir.chunks.chunkers import CHUNKERS
from foxir.chunks.evaluation import MEASURES, evaluate_chunks
from foxir.chunks.retrievers import RETRIEVERS
from foxir.terminal.command_class import GENERAL, FoxirCommand, count_option, headed_option
from foxir.terminal.console import progress_bar
from foxir.terminal.exit_status import status
from foxir.terminal.options.evaluation_options import MEASURES as MEASURE_OPTIONS
from foxir.terminal.options.evaluation_options import measure_options, named_measures, scoring_keywords
from foxir.terminal.options.options import (
    index_argument,
    judgements_argument,
    open_filled_index,
    quiet_option,
    topics_argument,
    topics_option,
)
from foxir.terminal.options.search_options import settings_options
from foxir.terminal.score_output import Form, form_options

CHUNKS = "Chunks"


def _explained(heading: str, names: dict[str, str]) -> str:
    return "\b\n" + "\n".join([f"{heading}:", *(f"  {name:<17} {line}" for name, line in names.items())])


HELP = f"""Measure how well chunks of documents answer judged topics, compared with foxir.

Documents are cut in every way that --chunker names, the chunks are retrieved in every way that --retriever names, and
the results are scored by highlighted characters, like foxir's answers. All use the same words, texts and offsets.
TOPICS and JUDGEMENTS are those of 'foxir run' and 'foxir eval'. Needs the extra 'chunks' for BM25, 'langchain' and
'llamaindex' for their splitters. Options of the search apply to foxir's own answers.

{_explained("Chunkers", dict(CHUNKERS))}

{_explained("Retrievers", dict(RETRIEVERS))}

\b
Examples:
  foxir chunks eval demo.foxir topics/co topics/qrels.txt --chunker documents --chunker paragraphs
  foxir chunks eval demo.foxir topics/co topics/qrels.txt --chunker langchain:512 --retriever bm25 --retriever bm25+4
  foxir chunks eval demo.foxir topics/co topics/qrels.txt --chunker llamaindex-tree --retriever auto-merging:12+4
  foxir chunks eval demo.foxir topics/co topics/qrels.txt --chunker mine:sentences --json
Not made by 'foxir demo': mine.py, which has a function sentences. langchain and llamaindex need their extras.
"""


@click.command(
    name="eval",
    cls=FoxirCommand,
    usual="--chunker --retriever --measures --topics --stem --unit --word-budget --settings --json --quiet",
    help=HELP,
)
@index_argument
@topics_argument
@judgements_argument
@headed_option(
    CHUNKS,
    "--chunker",
    "chunkers",
    multiple=True,
    metavar="NAME|MODULE:FUNCTION",
    default=("paragraphs",),
    help="A way to cut documents; repeatable.",
)
@headed_option(
    CHUNKS,
    "--retriever",
    "retrievers",
    multiple=True,
    metavar="NAME|MODULE:FUNCTION",
    default=("bm25",),
    help="A way to retrieve chunks; repeatable.",
)
@headed_option(
    CHUNKS,
    "--stem",
    type=click.Choice(get_args(Stemmer)[1:]),
    metavar="STEMMER",
    show_default="that of the index",
    help="Stemmer of the words of chunks.",
)
@headed_option(
    MEASURE_OPTIONS, "--measures", metavar="M,M", show_default=",".join(MEASURES), help="Measures, as in 'foxir eval'."
)
@measure_options
@topics_option()
@settings_options
@form_options
@quiet_option
@count_option(
    GENERAL, "--seed", default=SEED, minimum=0, help="Seed of the bootstrap samples for intervals and p-values."
)
def command(
    index: Path, topics: Path, assessments: Path, measures: str | None, form: Form, quiet: bool, **given: Any
) -> int:
    """Evaluate and print."""
    names = MEASURES if measures is None else named_measures(measures)
    keywords = scoring_keywords(given, names)
    with progress_bar(quiet=quiet) as progress:
        compared = evaluate_chunks(
            open_filled_index(index), topics, assessments, measures=names, progress=progress, **keywords
        )
    form.print_result(compared, quiet=quiet)
    return status(compared.notices)
