"""Sentences of the command line: options as they are typed, commands that help."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from engine.settings.catalogue import KINDS, PREFIX
from engine.similarity.parameters import PARAMETERS
from foxir.messages.front_end import FrontEnd, Word

# Settings whose options have other names, as these are not words that Python takes as keywords.
SCOPES = {"inside": "--in", "outside": "--not-in"}
# Options that set a setting to one value, and those of no setting.
OTHERS = {"image=FILE": "--image FILE"}


def option_of(setting: str) -> str:
    """Return the option of a setting, or the name and value that --param takes.

    >>> option_of("max_words"), option_of("max_words=all"), option_of("inside=//sec")
    ('--max-words', '--max-words all', '--in //sec')
    """
    name, _, value = map(str.strip, setting.partition("="))
    if other := OTHERS.get(f"{name}={value}"):
        return other
    if name not in KINDS and (name in PARAMETERS or name.startswith(PREFIX)):
        return f"--param {name}={value}" if value else f"--param {name}"
    return f"{SCOPES.get(name) or '--' + name.replace('_', '-')} {value}".rstrip()


def option(text: str) -> str:
    """Return an option of a command, with its value.

    >>> option("missing_topics=skip")
    '--missing-topics skip'
    """
    name, equals, value = text.partition("=")
    return f"--{name.replace('_', '-')}{' ' if equals else ''}{value}"


def measure_option(text: str) -> str:
    """Return an option of a measure, with its value: those that commands have themselves by their own options."""
    return option(text) if text.partition("=")[0] in OWN_OPTIONS else f"--measure-option {text}"


def index(text: str) -> str:
    """Return the command that updates an index with a place, and without a source.

    >>> index("NEW_PLACE,my texts"), index(",texts")
    ("foxir index INDEX NEW_PLACE --remove 'my texts'", 'foxir index INDEX --remove texts')
    """
    place, _, source = text.partition(",")
    return f"foxir index INDEX {place and f'{place} '}--remove {shlex.quote(source)}"


# Options of measures that are options of the commands.
OWN_OPTIONS = ("alpha", "quant", "at")
WORDS: Mapping[str, Word] = {
    "setting": option_of,
    "given": lambda name: SCOPES.get(name, f"{name} ="),
    "limits": lambda _: "--limit",
    "limit": lambda text: f"--limit {text}",
    "remove": lambda source: f"--remove {shlex.quote(source)}",
    "stop_on_error": lambda _: "--on-error stop",
    "index": index,
    "index_into": lambda url: f"foxir index SOURCE --into {url}",
    "option": option,
    "topics_option": lambda topics: f"--topics {topics}",
    "measures": lambda names: f"--measures {names}",
    "measure_option": measure_option,
    "hixeval_alone": lambda _: "--measures hixeval with --alpha 1",
    "score_documents": lambda _: "foxir eval JUDGEMENTS RUN --measures trec",
    "convert_to_paths": lambda _: "'foxir runs convert RUN --format inex --index INDEX --out FILE'",
    "derive_elements": lambda _: (
        "'foxir judgements to-elements JUDGEMENTS --index INDEX --out FOLDER --exhaustivity 2'"
    ),
    "show_element": lambda _: "'foxir show INDEX DOCUMENT PATH'",
    "path_syntax": lambda _: "a path query needs the syntax path or auto",
    "a_path_query": lambda _: "a path query is such as //sec[about(., words)]",
    "list_fields": lambda _: "foxir info INDEX --fields",
    "word_budget": lambda _: "word_budget",
    "list_tags": lambda folder: f"foxir info {shlex.quote(folder)} --list-tags",
}
sentence = FrontEnd(WORDS).sentence
