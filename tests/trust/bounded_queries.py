"""A process that searches within limits: `python -m tests.trust.bounded_queries INDEX MEMORY SECONDS...`.

It prints a line of JSON for each way to search, within that memory: its name, the bytes by which the process grew at
most, and the error ("" for answers); then, for each of some times, the seconds by which it computed longer.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import foxir

WORDS = [f"x{chr(97 + number // 26)}{chr(97 + number % 26)}q" for number in range(64)]
ALL = " ".join(WORDS)
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "elements": (ALL, {}),
    "passages": (ALL, {"passages": True}),
    "word budget": (ALL, {"word_budget": 1000}),
    "runs of siblings": (ALL, {"unit": "siblings", "max_answers": 100_000}),
    "runs of siblings in a budget": (ALL, {"unit": "siblings", "word_budget": 1000}),
    "phrase": (f'{ALL} "{WORDS[0]} {WORDS[1]}"', {}),
    "overlap": (ALL, {"overlap": "keep"}),
    "structure": (ALL, {"rank_by": "structure", "answers": "nCRE"}),
    "whole articles": (ALL, {"approach": "fulltext"}),
    "gpx": (ALL, {"element_similarity": "gpx"}),
    "path": (f"//*[about(., {ALL})]", {}),
    "strict path": (f"//*[about(., {ALL})]//*", {"reading": "SS"}),
    "or": ("//*[" + " or ".join(f"about(.//*, {word})" for word in WORDS) + "]", {"reading": "SS"}),
    "articles in order": (ALL, {"group_by_article": True}),
    "native": (ALL, {"approach": "native"}),
    "few words": (" ".join(WORDS[:2]), {}),
    "pattern": ("x* *a*", {}),
    "many patterns": (" ".join(f"*{word[1:3]}* {word}z~2" for word in WORDS * 3), {}),
    "misspelt": ("xaaz~2", {}),
    "unknown": ("xaaqz xabqz xacqz", {}),
    "comparisons": ("//*[.//* > 5 and .//* < 100000]", {}),
    "synonyms": (ALL, {"synonyms": "synonyms.toml"}),
    "budget of a word": (ALL, {"word_budget": 1}),
    "rows": (ALL, {"answers": "//p", "max_table_words": 1}),
    "fields in the query": (f"{ALL} author:s1 year:1900..", {}),
    "fields": (ALL, {"where": "year != 1901 and author != s2", "facets": "author,year,keyword", "sort": "-year"}),
    "explanation": (ALL, {"explained": "0:1"}),
    "explanation within a budget": (ALL, {"explained": "0:1", "word_budget": 1000}),
    "explanation of passages": (ALL, {"explained": "0:1", "passages": True}),
    "explanation of a pattern": ("x* *a*", {"explained": "0:1"}),
    "group of thousands": (f"({' | '.join(f'x{n}q' for n in range(20_000))}) {ALL}", {}),
    "long phrases": (" ".join(f'"{ALL}" "{ALL}"~9' for _ in range(40)), {}),
    "many fields": (f"{ALL} " + " ".join(f"author:s{n}|s{n + 1}" for n in range(99)), {}),
    "proximity": (f'"{WORDS[0]} {WORDS[1]} {WORDS[2]}"~90 "x* *a*"~50', {}),
    "near-duplicates": (ALL, {"repetitions": "once"}),
    "near-duplicates within a budget": (ALL, {"repetitions": "once", "word_budget": 1000}),
    "parts": (ALL, {"max_per_article": 3, "min_score": 0.1}),
    "exact forms": (" ".join(f"={word}" for word in WORDS), {}),
    "early spelling": (ALL, {"old_spelling": True}),
}


def memory(name: str) -> int:
    """Return the bytes that the process has (VmRSS), or had at most (VmHWM)."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) << 10


def main(folder: str, limit: str, *times: str) -> None:
    os.chdir(folder)  # not looked at by readers; the files of settings are here
    groups = [[WORDS[n], WORDS[n - 1], f"{WORDS[n - 2]} {WORDS[n - 3]}"] for n in range(len(WORDS))]
    Path("synonyms.toml").write_text(f"groups = {groups}", "utf-8")
    with foxir.open_index(folder) as index:
        for name, (query, settings) in WAYS.items():  # what is imported and cached once
            if name != "exact forms":  # which are cached
                error(index, query.replace(ALL, WORDS[0]), **settings)
        for name, (query, settings) in WAYS.items():
            Path("/proc/self/clear_refs").write_text("5", "ascii")  # the most memory so far is that of now
            before = memory("VmRSS")
            refused = error(index, query, max_query_memory=limit, **settings)
            most, late = memory("VmHWM") - before, []
            for seconds in map(float, times):
                began = time.process_time()
                error(index, query, max_query_memory="8G", max_seconds=seconds, **settings)
                late.append(time.process_time() - began - 1.2 * seconds)
            print(json.dumps([name, most, refused, late]), flush=True)


def error(index: foxir.Index, query: str, *, explained: str = "", **settings: Any) -> str:
    """Return the name of the error that a query ends with, "" if it is answered, or a path explained by it."""
    try:
        if explained:
            index.explain(query, "d", explained, **settings)
        else:
            index.search(query, **settings)
    except foxir.QueryLimitError as found:
        return type(found).__name__
    except foxir.FoxirError as found:
        if "field" not in str(found) and "word_budget = 1000: the shortest" not in str(found):
            raise  # neither documents without fields nor long ones alone
    return ""


if __name__ == "__main__":
    main(*sys.argv[1:])
