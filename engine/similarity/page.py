"""The page of the framework, written from its tables.

python -m engine.similarity.page > docs/similarity.md
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.similarity.approaches import OURS as OUR_APPROACHES
from engine.similarity.approaches import PRESETS, TABLE_A9, Approach
from engine.similarity.composition import composed
from engine.similarity.parameters import TABLE, Parameter
from engine.similarity.parser import parse_expression
from engine.similarity.registry import (
    COMBINING,
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

Every scoring approach is one expression of a few letters, and every expression runs. The framework is that of Appendix
A of the thesis, after Zobel and Moffat (Exploring the similarity space, SIGIR Forum 32(1), 1998). `foxir similarity`
lists the approaches that have names, `foxir similarity NAME` or `foxir similarity 'D[BB-ABF-BAA]'` says what one
computes.

This page is written by `python -m engine.similarity.page > docs/similarity.md`.

## How an expression is read

    D [ B B - A B F - B A A ]
    |   | |   | | |   | | |
    |   | |   | | |   | | length of the query W_q             Table A.5
    |   | |   | | |   | relative frequency in the query r_q,t Table A.4
    |   | |   | | |   use of w_t in the query w_q,t           Table A.3
    |   | |   | | length of the unit W_d                      Table A.5
    |   | |   | relative frequency in the unit r_d,t          Table A.4
    |   | |   use of w_t in the unit w_d,t                    Table A.3
    |   | weight of the term w_t                              Table A.2
    |   combining function S_q,d                              Table A.1
    D documents, T text nodes, E element nodes

Scores of elements can also be constructed. `C[FB]--T[BC-ABA-BAA]` propagates those of text nodes: `F`, then a letter
of Table A.8, then what scores the text nodes. `C[G-]--D[BB-ACC-BCC]--E[BD-ACC-BCC]` fuses scores of elements with those
of their documents. An expression that is not legal is refused with its place, the letters that are legal there, and
their meaning.

Units of D are d, of T p, of E e; q is the query. A text node is a leaf: an element with words of its own (inline tags
hand theirs to the element around them). An element node is any element that is not inline, with all words in and below
it. Only units that hold a word of the query have scores. Logarithms are natural; where a formula is not defined, as a
division by 0 or the logarithm of nothing positive, it counts 0; so does a term weight where the population does not
hold the term. Parts are added in the order of the sorted terms. Query words that the collection does not hold do not
count, neither in f_q nor in |T_q|.

## Approaches by name

"""

RUNNING = """## Running one

An expression of documents ranks articles wherever `pcosine` does, on the command line, in a settings file and in
Python; parameters are set by name:

    foxir search my.foxir 'tide prediction' --similarity okapi-bm25 --set k1=0.9
    foxir run my.foxir topics/co --similarity 'D[BB-ABB-BAB]' --out cosine.xml
    index.search("tide prediction", similarity="D[CH-AEH-BEA]", b=0.4)

`pcosine`, `okapi` and `dirichlet` are presets, faster and the same: `pcosine` is `D[BB-ABE-BIA]` (with
`length=tokens` `D[BB-ABF-BIA]`, with `query_norm=true` its last letter is `B`), `okapi` is `D[CR-AEH-BEA]` (the `H` of
Table A.9 has no floor), `dirichlet` is `D[HU-AGJ-BAJ]` (with `background=documents` `D[HN-AGJ-BAJ]`, which differs
from Table A.9's `D[DN-AGJ-BAJ]` for repeated query words only).

An expression of text nodes or elements, calculated or constructed, scores elements: `--similarity multinomial`, or
`--similarity 'C[FC]--T[EA-AHA-AAA]'`; its parameters have `element_` before their names, since articles are ranked
beside it: `--set element_lambda=0.3`. In Python, `score_elements(index, expression, query, documents)` of
`engine.similarity.scoring` returns rows of the element store and scores, of any expression; `calculate` of
`engine.similarity` needs no index.

What a letter costs: lengths in words and the statistics of a query's terms are read from the index. Letters that need
all terms of every unit are counted from all postings, exactly, once for an open index, and then kept: distinct terms
(W `C` and `G`, r `C`, w_t `M`) take about a second for a million elements, largest frequencies (r `D`) and vectors (W
`B` and `E`) some seconds. W `B` and `E` of documents weighted 1 + ln f are stored.

"""

INTRODUCTIONS = {
    COMBINING: """The table is lost. Four letters calculate scores (A to D), as Table A.6 counts; E stands in GPX's
expression for text nodes. F and G construct:

- F, propagation: S_q,e = Σ_p F(e, p) · S_q,p over the text nodes in and below e; given by A.3 in words.
- G, result fusion: S_q,e = pivot · S_q,d/max S_q,d + (1 - pivot) · S_q,e'/max S_q,e'; rebuilt from A.3 and Mass and
  Mandelbrod 2005. The first maximum is over the documents that are scored, the second over the elements of the same
  name, which stand for the separate index that they keep of each name; they divide by the score of the query with
  itself.""",
    TERM_WEIGHT: """The table is in the text, with its N/A cells: a letter names its population and is legal where the
table has it; E takes the letters of text nodes too, as E[BC-ABB-BAA] does (A.3).""",
    METHOD: "The table is in the text.",
    FREQUENCY: """The table is lost. Table A.6 counts seven variants for a unit and eight for the query: A to G, and A
to H. The text beside it says five for the query, and five term weights where Table A.2 has six: the tables decide.""",
    LENGTH: """The table is lost. Table A.6 counts 4+4+2 variants for a unit and six for the query: four plain (A to D),
four pivoted (E to H, not for the query), two of language models (I, J). Means are over all units of the context.""",
    PROPAGATION: """The table is in the text. dist counts arcs from the element down to the leaf, which stands for its
own text node: its own score is worth 1 to it. |D_e| counts all text nodes in and below e, whether or not they hold a
word of the query.""",
}


def page() -> str:
    """Return the page as Markdown."""
    lines = [HEAD.rstrip(), ""]
    for title, rows in (("Table A.9", TABLE_A9), ("Presets", PRESETS), ("Ours", OUR_APPROACHES)):
        lines += [f"### {title}", "", *_approaches(rows), ""]
    lines += [RUNNING.rstrip(), ""]
    for table in (COMBINING, TERM_WEIGHT, METHOD, FREQUENCY, LENGTH, PROPAGATION):
        lines += [f"## Table {NUMBERS[table]}: {table}", "", INTRODUCTIONS[table], "", *_letters(table), ""]
    lines += ["## Parameters", "", *_parameters(), ""]
    return "\n".join(lines).rstrip() + "\n"


def _approaches(rows: tuple[Approach, ...]) -> Iterator[str]:
    yield "| name | expression | formula | source |"
    yield "|---|---|---|---|"
    for each in rows:
        formula = _cell(composed(parse_expression(each.expression)))
        yield f"| `{each.name}` | `{each.expression}` | {formula} | {each.line}; {each.source} |"


def _letters(table: str) -> Iterator[str]:
    yield "| letter | | for | formula | origin |"
    yield "|---|---|---|---|---|"
    for letter, each in TABLES[table].items():
        yield f"| {letter} | {each.line} | {_contexts(each)} | {_formula(each)} | {each.origin}: {_cell(each.source)} |"
    yield ""
    yield f"Legal letters: {_counts(table)}."


def _contexts(each: Component) -> str:
    return " ".join(context for context in "DTEQ" if context in each.formulas)


def _formula(each: Component) -> str:
    """Return the formula, that of elements where contexts have the same but for the symbol; others where not."""
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
    for context in "DTEQ":
        letters = legal(table, context)
        ours = [letter for letter, each in letters.items() if each.origin == OURS]
        own = [letter for letter in letters if letter not in ours]
        if letters:
            found.append(f"{context} {''.join(own)}" + (f" and {''.join(ours)}" if ours else "") + f" ({len(own)})")
    return ", ".join(found)


def _parameters() -> Iterator[str]:
    yield "One table for presets and expressions; `--set NAME=VALUE`, or `NAME = VALUE` in a settings file."
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
    print(page(), end="")
