"""Commands below `foxir judgements`: check, stats, agreement, to-elements, from-quotes, to-quotes, pool."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from engine.errors import AssessmentError
from engine.index.locator import IndexLocator
from engine.index.reader import IndexReader, open_reader
from engine.wording import counted, listed
from eval import Assessments, read_assessments
from eval.judgements.element_expansion import expand, write_fol, write_xml
from eval.judgements.judgements import NOT_JUDGED
from eval.judgements.relevance_tables.relevance import By
from foxir.evaluation.judgement_tools import agreement, assessment_statistics, check_assessments, pool
from foxir.evaluation.quotes import judge_quotes, quotes_of, topics_table, write_quotes
from foxir.terminal.command_class import FoxirCommand, count_option, headed_option
from foxir.terminal.console import print_json, print_result, warn
from foxir.terminal.control_characters import say
from foxir.terminal.exit_status import DONE, PARTLY, status
from foxir.terminal.options.options import (
    FILE,
    SELECTION,
    index_option,
    json_option,
    judgements_argument,
    out_option,
    quiet_option,
    required_index_option,
    runs_argument,
    topics_argument,
)
from foxir.terminal.output_files import (
    check_one_stdout,
    check_target,
    is_stdout,
    is_stream,
    make_folder,
    write_whole,
    written_file,
)
from foxir.terminal.score_output import Form, form_options


@click.command(name="check", cls=FoxirCommand)
@judgements_argument
@required_index_option()
@json_option
@quiet_option
def check_command(assessments: Path, index: Path, as_json: bool, quiet: bool) -> int:
    """Compare judgements with the indexed collection: documents, elements, passages, sizes.

    Nothing is repaired. The exit status is 1 if something differs.

    \b
    Example:
      foxir judgements check runs/assessments --index demo.foxir
    """
    result = check_assessments(assessments, index)
    print_result(result, as_json=as_json, quiet=quiet)
    return PARTLY if result.differences else DONE


@click.command(name="stats", cls=FoxirCommand)
@judgements_argument
@headed_option(
    "Tables", "--by", type=click.Choice(get_args(By)), multiple=True, show_default="all", help="Tables to print."
)
@headed_option(
    "Tables", "--mapping", metavar="M1 ... M20", help="Mapping from the grades of 2002-2004 to the relevance scale."
)
@index_option()
@form_options
@quiet_option
def stats_command(
    assessments: Path, by: tuple[By, ...], mapping: str | None, index: Path | None, form: Form, quiet: bool
) -> int:
    """Describe the relevant elements of judgements: by grade, name, exhaustivity and overlap.

    \b
    Examples:
      foxir judgements stats runs/assessments
      foxir judgements stats runs/assessments --by name
    """
    result = assessment_statistics(assessments, by=by or None, mapping=mapping, index=index)
    form.print_result(result, quiet=quiet)
    return status(result.notices)


@click.command(name="agreement", cls=FoxirCommand)
@click.argument("first", type=FILE, metavar="JUDGEMENTS")
@click.argument("second", type=FILE, metavar="JUDGEMENTS")
@index_option()
@form_options
@quiet_option
def agreement_command(first: Path, second: Path, index: Path | None, form: Form, quiet: bool) -> int:
    """Measure how far two sets of judgements of the same topics agree: documents, elements, characters, grades.

    \b
    Example:
      foxir judgements agreement runs/assessments topics/qrels.txt --index demo.foxir
    """
    result = agreement(first, second, index=index)
    form.print_result(result, quiet=quiet)
    return status(result.notices)


MOST_LISTED = 10  # skipped documents that are printed


@click.command(name="to-elements", cls=FoxirCommand)
@judgements_argument
@required_index_option()
@headed_option(
    SELECTION,
    "--exhaustivity",
    type=click.Choice(["1", "2", "none"]),
    default="1",
    help="Grade of elements without judged exhaustivity; 2 makes them highly relevant, as in INEX 2006; none scores "
    "them as passages are scored.",
)
@out_option("Folder for the judgements: a file for each topic, and qrels.txt.", metavar="FOLDER")
@json_option
@quiet_option
def to_elements_command(
    assessments: Path, index: Path, out: Path, exhaustivity: str, as_json: bool, quiet: bool
) -> int:
    """Derive judged elements from highlighted passages.

    JUDGEMENTS contain passages: FOL qrels, or INEX XML with passages. Every element that overlaps a passage is written
    with its size and its number of highlighted characters, in INEX 2005 form, a file for each topic; the passages are
    written beside them as FOL qrels (qrels.txt).

    \b
    Example:
      foxir judgements to-elements topics/qrels.txt --index demo.foxir --out judged
    """
    if is_stream(out):
        raise click.UsageError(f"--out {out}: several files are written: name a folder.")
    opened, judged = open_reader(index), read_assessments(assessments)
    _require_common_documents(judged, opened)
    locator = IndexLocator(opened)
    expansion = expand(judged, locator, exhaustivity=NOT_JUDGED if exhaustivity == "none" else int(exhaustivity))
    make_folder(out)
    files = write_xml(expansion.assessments, out, collection=Path(index).stem)
    qrels = write_fol(expansion.assessments, out / "qrels.txt", locator)
    quiet = quiet and as_json  # what was left out is told in any case
    for topic, document in expansion.skipped[:MOST_LISTED]:
        warn(f"skipped: topic '{topic}': document '{document}' is not in {index}", quiet=quiet)
    if len(expansion.skipped) > MOST_LISTED:
        warn(f"skipped: {len(expansion.skipped) - MOST_LISTED} more, --json lists them all", quiet=quiet)
    document_ = {
        "folder": str(out),
        "topics": len(files),
        "files": [str(file) for file in files],
        "qrels": str(qrels),
        "skipped": [{"topic": topic, "document": document} for topic, document in expansion.skipped],
    }
    if as_json:
        print_json(document_)
    else:
        say(f"{out}: {counted(len(files), 'topic')} expanded, {counted(len(expansion.skipped), 'document')} skipped")
    return PARTLY if expansion.skipped else DONE


def _require_common_documents(judged: Assessments, index: IndexReader) -> None:
    documents = [document for judgements in judged.topics.values() for document in judgements.documents]
    if all(index.number(document) is None for document in documents):
        raise AssessmentError(
            f"{judged.source}: none of its documents is in {index.folder}: it judges {listed(documents, 1)}, the index "
            f"contains {listed(index.ids, 1) or 'none'}."
        )


@click.command(name="pool", cls=FoxirCommand)
@runs_argument()
@count_option("Pool", "--depth", required=True, help="Top results taken of each run for each topic.")
@out_option("The pool: XML if the name ends in .xml, else text.")
@json_option
@quiet_option
def pool_command(runs: tuple[Path, ...], depth: int, out: Path, as_json: bool, quiet: bool) -> int:
    """Collect the top N results of several runs, to be judged.

    \b
    Example:
      foxir judgements pool runs/*.xml --depth 10 --out pool.txt
    """
    check_one_stdout(("--json", as_json), ("--out", is_stdout(out)))
    check_target(out)
    result = pool(runs, depth)
    with written_file(out) as file:
        result.write(file)
    print_result(result, as_json=as_json, quiet=quiet, err=is_stdout(out))
    return status(result.notices)


@click.command(name="from-quotes", cls=FoxirCommand)
@click.argument("quotes", type=FILE, metavar="QUOTES")
@required_index_option()
@out_option("Folder for qrels.txt, of passages, and topics.csv.", metavar="FOLDER")
@quiet_option
def from_quotes_command(quotes: Path, index: Path, out: Path, quiet: bool) -> int:
    """Make judgements and topics of questions with quotes that answer them.

    QUOTES has question, document and quote in each line: CSV or TSV with a header, or JSON. A quote is highlighted
    where it stands exactly, else where its words stand, else where most of them do in their order, which is told.

    \b
    Example:
      foxir judgements from-quotes quotes.jsonl --index demo.foxir --out judged
    Not made by 'foxir demo': quotes.jsonl, such as {"question": "...", "document": "...", "quote": "..."}.
    """
    if is_stream(out):
        raise click.UsageError(f"--out {out}: several files are written: name a folder.")
    result = judge_quotes(quotes, index)
    make_folder(out)
    write_fol(result.assessments, out / "qrels.txt")
    write_whole(out / "topics.csv", topics_table(result.topics))
    for notice in result.notices:
        warn(notice, quiet=quiet and notice.kind != "exclusion")
    found = result.found
    how = f"{found['exact']} exactly, {found['words']} by their words, {found['nearly']} nearly"
    missing = f"; {result.missing} not found" if result.missing else ""
    say(f"{out}: {counted(sum(found.values()), 'quote')} of {counted(len(result.topics), 'topic')}: {how}{missing}")
    return PARTLY if result.missing else DONE


@click.command(name="to-quotes", cls=FoxirCommand)
@judgements_argument
@topics_argument
@required_index_option()
@out_option("The quotes: CSV if the name ends in .csv, else JSON, an object a line.")
@quiet_option
def to_quotes_command(assessments: Path, topics: Path, index: Path, out: Path, quiet: bool) -> int:
    """Write highlighted passages as questions with quotes that answer them.

    \b
    Example:
      foxir judgements to-quotes topics/qrels.txt topics/co --index demo.foxir --out quotes.jsonl
    """
    found = quotes_of(assessments, topics, index)
    if not found:
        raise AssessmentError(f"{assessments}: no passages of these topics in documents of {index}.")
    with written_file(out) as file:
        write_quotes(found, file)
    if not is_stdout(out) and not quiet:
        say(f"{out}: {counted(len(found), 'quote')}")
    return DONE
