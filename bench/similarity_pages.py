"""The two pages about Q-expressions, generated from the tables of letters, names and parameters.

`python -m bench.similarity_pages`, in the root of a checkout, writes docs/similarity.md and
bench/notebook/similarity_sources.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine.similarity.description import composed
from engine.similarity.named_expressions import NAMED_PRESETS, TABLE_A9, Approach
from engine.similarity.named_expressions import OURS as OUR_APPROACHES
from engine.similarity.parameters import TABLE, Parameter
from engine.similarity.parser import parse_expression
from engine.similarity.registry import (
    COMBINING,
    CONTEXTS,
    FREQUENCY,
    LENGTH,
    METHOD,
    NUMBERS,
    OURS,
    PROPAGATION,
    TABLES,
    TERM_WEIGHT,
    Component,
    legal,
)

HEAD = """# Similarities

A Q-expression names a scoring function by letters, one letter per part of the formula. Any legal expression works
wherever a name such as `pcosine` does:

    foxir search my.foxir 'tide prediction' --similarity okapi-bm25 --param k1=0.9
    index.search("tide prediction", similarity="D[CH-AEH-BEA]", b=0.4)

`foxir similarity` lists the names; `foxir similarity 'D[BB-ABF-BAA]'` defines an expression letter by letter.

## How an expression is read

`D[BB-ABF-BAA]`, from left to right:

- `D`: the **unit** that is scored: documents (D, d in formulas), text nodes (T, p) or elements (E, e). A text node is a
  leaf; of an element all words below it count.
- `BB`: combining function S_q,d (Table A.1) and weight of the term w_t (A.2).
- `ABF`, of the unit: use of the weight w_d,t (A.3), relative frequency r_d,t (A.4), length W_d (A.5).
- `BAA`: the same three of the query q.

Elements can combine other scores: `C[FB]--T[BC-ABA-BAA]` propagates scores of text nodes (`F` of Table A.8,
the expression of the text nodes); `C[G-]--D[BB-ACC-BCC]--E[BD-ACC-BCC]` fuses scores of elements and documents.

An expression of documents ranks articles, any other scores elements; parameters of the latter have the prefix
`element_`: `--param element_lambda=0.3`. `module:function` in the place of an expression is a
[function of yours](scoring.md#a-function-of-yours), which scores elements; `D[module:function]` ranks articles.

Only units with a query term are scored. Logarithms are natural; an undefined value counts 0. Query terms outside the
collection are ignored, also in f_q and |T_q|.

Letters that need all terms of each unit (r `C` and `D`, w_t `M`, W `B`, `C`, `E` and `G`) take seconds per million
elements, once per open index; other statistics are stored.

## Names

"""

PRESETS_NOTE = """The presets have fast implementations. Options change letters: `length=tokens` makes
`pcosine` `D[BB-ABF-BIA]`, `query_norm=true` makes its last letter `B`; `background=documents` makes `dirichlet`
`D[HN-AGJ-BAJ]`."""

SOURCES_HEAD = """# Sources of the similarities

The framework is that of Appendix A of the thesis, after Zobel and Moffat (Exploring the similarity space, SIGIR Forum
32(1), 1998).

Where the letters and names of [similarities](../../docs/similarity.md) come from. *Given*: in the text of the thesis.
*Rebuilt*: the thesis's text has lost the table, and the letter follows from the equations, Table A.6 and Table A.9.
*Ours*: an extension. Numbers of sections, tables and equations are those of the thesis.

`okapi` differs from Table A.9's `okapi-bm25` by a floor of the term weight (`R` for `H`). `dirichlet` counts the
background in words (`U` for `N`) and repeated query words (`H` for `D`).

## Names
"""

INTRODUCTIONS = {
    COMBINING: """F and G construct scores of elements:

- F, propagation: S_q,e = Σ_p F(e, p) · S_q,p over the text nodes in and below e.
- G, result fusion: S_q,e = pivot · S_q,d/max S_q,d + (1 - pivot) · S_q,e'/max S_q,e', the maxima over documents and
  over elements of the same name.""",
    TERM_WEIGHT: """N counts units, N_t those that contain the term: documents (D), text nodes (P), elements (E),
elements of the same name (En).""",
    LENGTH: "Means are over all units of the context.",
    PROPAGATION: """dist counts arcs from e down to the text node; a leaf keeps the whole score of its own text. |D_e|
counts all text nodes in and below e.""",
}

NOTES = {
    COMBINING: """The table is lost. Four letters calculate scores (A to D), as Table A.6 counts; E occurs in GPX's
expression for text nodes. F is given by A.3 in words. G is rebuilt from A.3 and Mass and Mandelbrod 2005, who keep a
separate index for each element name and divide by the score of the query with itself.""",
    TERM_WEIGHT: """The table is in the text, with its N/A cells. Each letter names the units that it counts and is
legal where the table has it; E also takes the letters of text nodes, as E[BC-ABB-BAA] does (A.3).""",
    METHOD: "The table is in the text.",
    FREQUENCY: """The table is lost. Table A.6 counts seven variants for a unit and eight for the query: A to G, and A
to H. The text beside it says five for the query, and five term weights where Table A.2 has six: the tables decide.""",
    LENGTH: """The table is lost. Table A.6 counts 4+4+2 variants for a unit and six for the query: four plain (A to D),
four pivoted (E to H, not for the query), two of language models (I, J).""",
    PROPAGATION: "The table is in the text.",
}

APPROACHES = (("Table A.9", TABLE_A9), ("Presets", NAMED_PRESETS), ("Ours", OUR_APPROACHES))
LETTERS = (COMBINING, TERM_WEIGHT, METHOD, FREQUENCY, LENGTH, PROPAGATION)
PAGES = ("docs/similarity.md", "bench/notebook/similarity_sources.md")


def page() -> str:
    """Return the page of names, letters and parameters as Markdown."""
    lines = [HEAD.rstrip(), ""]
    for title, rows in APPROACHES:
        lines += [f"### {title}", "", *([PRESETS_NOTE, ""] if title == "Presets" else []), *_names(rows), ""]
    for table in LETTERS:
        introduction = [INTRODUCTIONS[table], ""] if table in INTRODUCTIONS else []
        lines += [f"## Table {NUMBERS[table]}: {table}", "", *introduction, *_letters(table), ""]
    lines += ["## Parameters", "", *_parameters(), ""]
    return "\n".join(lines).rstrip() + "\n"


def sources_page() -> str:
    """Return the page of the sources of names and letters as Markdown."""
    lines = [SOURCES_HEAD.rstrip(), ""]
    for title, rows in APPROACHES:
        lines += [f"### {title}", "", *_formulas(rows), ""]
    for table in LETTERS:
        lines += [f"## Table {NUMBERS[table]}: {table}", "", NOTES[table], "", *_origins(table), ""]
    return "\n".join(lines).rstrip() + "\n"


def _names(rows: tuple[Approach, ...]) -> Iterator[str]:
    yield "| name | expression | |"
    yield "|---|---|---|"
    for each in rows:
        yield f"| `{each.name}` | `{each.expression}` | {each.line} |"


def _formulas(rows: tuple[Approach, ...]) -> Iterator[str]:
    yield "| name | formula | source |"
    yield "|---|---|---|"
    for each in rows:
        yield f"| `{each.name}` | {_cell(composed(parse_expression(each.expression)))} | {each.source} |"


def _letters(table: str) -> Iterator[str]:
    yield "| letter | | for | formula |"
    yield "|---|---|---|---|"
    for letter, each in TABLES[table].items():
        yield f"| {letter} | {each.line} | {_contexts(each)} | {_formula(each)} |"


def _origins(table: str) -> Iterator[str]:
    yield "| letter | origin | source |"
    yield "|---|---|---|"
    for letter, each in TABLES[table].items():
        yield f"| {letter} | {each.origin} | {_cell(each.source)} |"
    yield ""
    yield f"Legal letters: {_counts(table)}."


def _contexts(each: Component) -> str:
    return "".join(context for context in "DTEQ" if context in each.formulas)


def _formula(each: Component) -> str:
    """Return the formula of the first context, then those of other contexts that differ by more than the symbol."""
    first, *others = each.formulas.items()
    symbols = {"D": "d", "T": "p", "E": "e", "Q": "q"}
    shown = [_cell(first[1])]
    for context, formula in others:
        as_first = first[1].replace(f"_{symbols[first[0]]}", f"_{symbols[context]}")
        as_first = as_first.replace(f",{symbols[first[0]]}", f",{symbols[context]}")
        if as_first.replace(f"if {symbols[first[0]]}", f"if {symbols[context]}") != formula:
            shown.append(f"{context}: {_cell(formula)}")
    return "; ".join(shown)


def _counts(table: str) -> str:
    found = []
    for context in CONTEXTS:
        letters = legal(table, context)
        ours = [letter for letter, each in letters.items() if each.origin == OURS]
        given = [letter for letter in letters if letter not in ours]
        if letters:
            found.append(f"{context} {''.join(given)}" + (f" and {''.join(ours)}" if ours else "") + f" ({len(given)})")
    return ", ".join(found)


def _parameters() -> Iterator[str]:
    yield "`--param NAME=VALUE`, or `NAME = VALUE` in a settings file."
    yield ""
    yield "| name | default | legal | |"
    yield "|---|---|---|---|"
    for name, each in TABLE.items():
        yield f"| `{name}` | {_default(each)} | {_legal(each)} | {_cell(each.line)} |"


def _default(each: Parameter) -> str:
    default = each.default
    return str(default).lower() if isinstance(default, str | bool) else f"{default:g}"


def _legal(each: Parameter) -> str:
    first, *_, last = each.legal
    if isinstance(first, str | bool):
        return ", ".join(str(choice).lower() for choice in each.legal)
    return f"{first:g} to {last:g}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    for name, text in zip(PAGES, (page(), sources_page()), strict=True):
        Path(name).write_text(text, encoding="utf-8")
