"""The tree of commands: each one's name, module, heading and line in the help."""

from __future__ import annotations

from collections.abc import Mapping

import click

from foxir.messages.text import sentence  # noqa: F401  (the text of notices inside results)
from foxir.terminal.command_class import HELP_OPTIONS
from foxir.terminal.lazy_group import Entry, LazyGroup

SECTIONS: Mapping[str, Mapping[str, Entry]] = {
    "Start here": {
        "demo": Entry("foxir.commands.demo:command", "Index the sample collection, answer its topics, score the runs.")
    },
    "Index XML": {
        "index": Entry("foxir.commands.index:command", "Index XML files, or bring an index up to date."),
        "info": Entry("foxir.commands.info:command", "Show what an index contains."),
        "profile": Entry("foxir.commands.profile:command", "List the profiles of XML vocabularies, or print one."),
        "compact": Entry("foxir.commands.compact:command", "Merge the segments of an index into one."),
    },
    "Search": {
        "search": Entry("foxir.commands.search:command", "Answer a query with the best elements."),
        "show": Entry("foxir.commands.show:command", "Show a document or an element, as text or XML."),
        "explain": Entry(
            "foxir.commands.explain:command", "Explain why an element is returned for a query, or why not."
        ),
        "run": Entry("foxir.commands.run:command", "Answer a file of topics and write a run file."),
        "export": Entry("foxir.commands.export:command", "Write answers with their texts, for a generation system."),
        "named": Entry("foxir.commands.named_runs:command", "List the runs of the thesis that --named reproduces."),
        "similarity": Entry(
            "foxir.commands.similarity:command", "List similarity functions, or show the definition of one."
        ),
    },
    "Serve": {
        "serve": Entry("foxir.commands.serve:command", "Serve pages to search, read and judge, and a JSON interface."),
        "mcp": Entry("foxir.commands.mcp:command", "Let a language model search and read (Model Context Protocol)."),
    },
    "Evaluate": {
        "eval": Entry("foxir.commands.evaluate:command", "Score runs against relevance judgements."),
        "compare": Entry("foxir.commands.compare:command", "Test whether runs differ significantly."),
        "tune": Entry("foxir.commands.tune:command", "Find the best search settings on judged topics."),
        "measures": Entry(
            "foxir.commands.measures:command", "List evaluation measures, or show the definition of one."
        ),
        "judgements": Entry(
            "foxir.terminal.commands:judgements", "Check, describe, compare, pool and convert judgements."
        ),
        "runs": Entry("foxir.terminal.commands:runs", "Convert runs, make ideal runs, correlate measures over runs."),
        "chunks": Entry("foxir.terminal.commands:chunks", "Compare chunks of any splitter with foxir's answers."),
    },
}
JUDGEMENTS: Mapping[str, Mapping[str, Entry]] = {
    "Commands": {
        "check": Entry("foxir.commands.judgements.check:command", "Compare judgements with the indexed collection."),
        "stats": Entry("foxir.commands.judgements.stats:command", "Describe the relevant elements of judgements."),
        "agreement": Entry("foxir.commands.judgements.agreement:command", "Measure how far two assessors agree."),
        "to-elements": Entry(
            "foxir.commands.judgements.to_elements:command", "Derive judged elements from highlighted passages."
        ),
        "pool": Entry("foxir.commands.judgements.pool:command", "Collect the top results of runs for judging."),
        "convert": Entry("foxir.commands.convert:judgements", "Write judgements in another format."),
    }
}
RUNS: Mapping[str, Mapping[str, Entry]] = {
    "Commands": {
        "convert": Entry("foxir.commands.convert:runs", "Write a run in another format."),
        "ideal": Entry("foxir.commands.runs.ideal:command", "Write the run of a perfect system, from judgements."),
        "correlate": Entry(
            "foxir.commands.runs.correlate:command", "Correlate the orders in which measures rank runs."
        ),
    }
}

ABOUT = "Find the right-sized elements of XML documents for a query, and measure how well they were found."
QUICK_START = """\b
Quick start:
  foxir index my.foxir my-xml/
  foxir search my.foxir tide prediction
  foxir demo                 a complete example on a sample collection, with scored runs"""
# The commands that have commands of their own.
GROUPS = ("judgements", "runs", "chunks")
CHUNKS: Mapping[str, Mapping[str, Entry]] = {
    "Commands": {
        "eval": Entry("foxir.commands.chunks.evaluate:command", "Score chunks, cut and retrieved in several ways.")
    }
}


@click.group(
    cls=LazyGroup,
    sections=SECTIONS,
    help=f"{ABOUT}\n\n{QUICK_START}",
    context_settings={"help_option_names": HELP_OPTIONS, "max_content_width": 100},
    epilog="'foxir COMMAND --help' explains a command, with examples.",
)
@click.version_option(package_name="foxir", prog_name="foxir")
def foxir() -> None:
    """Run the command `foxir`."""


@click.group(cls=LazyGroup, sections=JUDGEMENTS)
def judgements() -> None:
    """Work with relevance judgements: check, describe, compare, derive elements, pool, convert."""


@click.group(cls=LazyGroup, sections=RUNS)
def runs() -> None:
    """Work with run files: convert them, make ideal runs, correlate measures over them."""


@click.group(cls=LazyGroup, sections=CHUNKS)
def chunks() -> None:
    """Score the chunks of any splitter on the same judgements as foxir's answers."""


# Every command that does something, by the words that call it.
COMMANDS: Mapping[str, Entry] = {
    **{name: entry for name, entry in foxir.entries.items() if name not in GROUPS},
    **{f"judgements {name}": entry for name, entry in judgements.entries.items()},
    **{f"runs {name}": entry for name, entry in runs.entries.items()},
    **{f"chunks {name}": entry for name, entry in chunks.entries.items()},
}
