"""Names in other programs of foxir's functions, commands and parameters: hints in messages about unknown names."""

from __future__ import annotations

from collections.abc import Mapping

# Name -> the call of foxir that does it.
FUNCTIONS: Mapping[str, str] = {
    **dict.fromkeys(
        ("index", "create_index", "make_index", "update_index", "ingest"), "foxir.build_index(source, into=folder)"
    ),
    **dict.fromkeys(("load_index", "read_index", "load", "open"), "foxir.open_index(folder)"),
    **dict.fromkeys(("search", "query", "retrieve", "find"), "foxir.open_index(folder).search(query)"),
    **dict.fromkeys(("evaluate", "eval", "measure"), "foxir.score(assessments, runs)"),
    **dict.fromkeys(("read_qrels", "load_qrels", "qrels", "read_judgements"), "foxir.read_assessments(path)"),
    **dict.fromkeys(("write_qrels", "write_judgements"), "foxir.write_assessments(assessments, path)"),
    **dict.fromkeys(("load_run", "read_runs"), "foxir.read_run(path)"),
    **dict.fromkeys(("load_topics", "read_queries"), "foxir.read_topics(path)"),
    **dict.fromkeys(("significance", "ttest", "t_test"), "foxir.compare(assessments, runs, measure)"),
    **dict.fromkeys(("grid_search", "optimise", "optimize"), "foxir.tune(index, topics, assessments, grid, measure)"),
    **dict.fromkeys(("train", "fit"), "foxir.learn(index, topics, assessments, measure)"),
    **dict.fromkeys(("compact", "merge"), "foxir.compact_index(folder)"),
    **dict.fromkeys(("export", "to_jsonl", "write_jsonl"), "foxir.exporting.export(index, topics)"),
    **dict.fromkeys(("settings", "config", "options"), "foxir.make_settings(passages=True)"),
}

# Name -> the attribute of an open index, or the function, that does it.
OF_INDEX: Mapping[str, str] = {
    "passages": "index.search(query, passages=True)",
    **dict.fromkeys(("query", "find", "retrieve", "answers"), "index.search(query)"),
    **dict.fromkeys(("search_many", "batch_search", "run_topics"), "index.run(topics)"),
    "export": "foxir.exporting.export(index, topics)",
    **dict.fromkeys(("get", "get_document", "document", "doc"), "index.text(document)"),
    **dict.fromkeys(("get_element", "outline", "tree"), "index.element(document, path)"),
    **dict.fromkeys(("add", "update", "index", "remove", "delete"), "foxir.build_index(source, into=index.folder)"),
    **dict.fromkeys(("compact", "merge", "optimize"), "foxir.compact_index(index.folder)"),
    **dict.fromkeys(("score", "evaluate"), "foxir.score(assessments, index.run(topics), index=index)"),
    **dict.fromkeys(("tune", "learn"), "foxir.tune(index, topics, assessments, grid, measure)"),
    **dict.fromkeys(("ids", "docs", "document_ids", "docids"), "index.documents"),
    **dict.fromkeys(("size", "count", "doc_count", "n_docs"), "index.n_documents"),
    **dict.fromkeys(("statistics", "stats"), "index.reader.statistics"),
    **dict.fromkeys(("path", "directory"), "index.folder"),
    **dict.fromkeys(("reload", "reopen"), "index.refresh()"),
    "check": "index.verify()",
}

# Name -> the attribute of answers, or the expression, that does it.
OF_ANSWERS: Mapping[str, str] = {
    **dict.fromkeys(("total", "n", "size", "length", "hits"), "len(answers)"),
    **dict.fromkeys(("top", "head", "first", "limit"), "answers[:10]"),
    "texts": "[answer.text for answer in answers]",
    **dict.fromkeys(("to_pandas", "to_df", "dataframe", "df"), "answers.to_frame()"),
    **dict.fromkeys(("to_json", "json"), "answers.to_dict()"),
    "explain": "index.explain(query, answer.document, answer.path)",
    **dict.fromkeys(("results", "items", "answers"), "list(answers)"),
    **dict.fromkeys(("took", "time", "elapsed"), "answers.seconds"),
}

# Name -> the attribute of an answer, or the expression, that does it.
OF_ANSWER: Mapping[str, str] = {
    **dict.fromkeys(("title", "titles", "headings", "context"), "answer.breadcrumb"),
    **dict.fromkeys(("highlight", "highlights", "excerpt"), "answer.snippet"),
    **dict.fromkeys(("content", "page_content", "body"), "answer.text"),
    **dict.fromkeys(("doc", "doc_id", "docid", "docno", "document_id", "id"), "answer.document"),
    **dict.fromkeys(("xpath", "location"), "answer.path"),
    **dict.fromkeys(("xml", "source", "file", "line"), "answer.element.source()"),
    **dict.fromkeys(("tag", "name"), "answer.element.tag"),
    **dict.fromkeys(("parent", "ancestors"), "answer.element.parent"),
    "children": "answer.element.children",
    "neighbours": "answer.element.next",
    "offset": "answer.start",
    "length": "answer.words",
    **dict.fromkeys(("explain", "explanation", "why"), "index.explain(query, answer.document, answer.path)"),
    **dict.fromkeys(("to_json", "json", "metadata"), "answer.to_dict()"),
}

# Name -> the command that does it.
COMMANDS: Mapping[str, str] = {
    **dict.fromkeys(("build", "create", "ingest", "add", "update"), "foxir index INDEX SOURCE"),
    **dict.fromkeys(("remove", "delete"), "foxir index INDEX --remove SOURCE"),
    **dict.fromkeys(("query", "find", "retrieve", "ask"), "foxir search INDEX QUERY"),
    "passages": "foxir search INDEX QUERY --passages",
    **dict.fromkeys(("outline", "text", "read", "get", "cat", "view", "open"), "foxir show INDEX DOCUMENT"),
    **dict.fromkeys(("documents", "docs"), "foxir info INDEX --list-documents"),
    **dict.fromkeys(("stats", "statistics", "describe", "list", "ls"), "foxir info INDEX"),
    **dict.fromkeys(("verify", "check"), "foxir info INDEX --verify"),
    **dict.fromkeys(("optimize", "optimise", "merge"), "foxir compact INDEX"),
    **dict.fromkeys(("evaluate", "score", "measure"), "foxir eval JUDGEMENTS RUN"),
    **dict.fromkeys(("significance", "ttest"), "foxir compare JUDGEMENTS RUN RUN --measure AP"),
    **dict.fromkeys(("train", "learn"), "foxir tune INDEX TOPICS JUDGEMENTS --learn --measure hixeval:AP"),
    **dict.fromkeys(("topics", "batch"), "foxir run INDEX TOPICS --out RUN"),
    **dict.fromkeys(("web", "server", "ui", "judge"), "foxir serve INDEX"),
    **dict.fromkeys(("qrels", "assessments"), "foxir judgements"),
    "chat": "foxir mcp INDEX",
}

# Option of a search -> the option or command that does it.
OPTIONS: Mapping[str, str] = {
    **dict.fromkeys(
        ("--stem", "--no-stem", "--no-stemming", "--stemmer"),
        "foxir index INDEX SOURCE --stem none (words are stemmed when they are indexed)",
    ),
    **dict.fromkeys(("--jsonl", "--json-lines"), "foxir export INDEX TOPICS"),
    **dict.fromkeys(("--only", "--tag", "--tags-only", "--element", "--elements"), "--answers //TAG, or --in //TAG"),
    "--budget": "--word-budget N",
    **dict.fromkeys(
        ("--rerank", "--reranker", "--reranking", "--embedding", "--embeddings", "--embedder", "--encoder"),
        "--semantic ENCODER",
    ),
    **dict.fromkeys(("--max-tokens", "--token-budget"), "--word-budget N, or the --token-budget of foxir export"),
}

# Command -> option -> the option, argument or command that does it.
OPTIONS_OF: Mapping[str, Mapping[str, str]] = {
    "search": {
        **dict.fromkeys(("--limit", "--size", "--num"), "--top N (answers shown), or --max-answers N (answers ranked)"),
        **dict.fromkeys(("--format", "--output", "--out"), "--json, or foxir run INDEX TOPICS --out RUN"),
        "--index": "the first argument: foxir search INDEX QUERY",
        "--explain": "foxir explain INDEX QUERY DOCUMENT PATH",
        "--xml": "foxir show INDEX DOCUMENT PATH --xml",
        "--verbose": "--text, or --lines",
    },
    "run": {
        **dict.fromkeys(("--top", "-n", "-k", "--limit"), "--max-answers N"),
        **dict.fromkeys(("--queries", "--query"), "the argument TOPICS, a file of queries"),
    },
    "explain": {"--limit": "--max-answers N"},
    "tune": {"--limit": "--max-answers N"},
    "export": {"--text": "--jsonl, which has the text of each answer"},
    "eval": {
        **dict.fromkeys(("--qrels", "--judgements"), "the first argument: foxir eval JUDGEMENTS RUN"),
        **dict.fromkeys(("--measure", "-m"), "--measures NAME,NAME"),
    },
    "compare": {"--measures": "--measure NAME"},
    "index": {
        **dict.fromkeys(("--lang", "--language"), "--stem LANGUAGE"),
        **dict.fromkeys(("--workers", "--threads", "--processes"), "--jobs N"),
        **dict.fromkeys(("--rebuild", "--force", "--overwrite"), "a new folder: foxir index NEW SOURCE"),
    },
}

# Name -> the parameter of an address of the service.
PARAMETERS: Mapping[str, str] = {
    **dict.fromkeys(("query", "search", "terms", "words"), "q"),
    **dict.fromkeys(("top", "top_k", "topk", "k", "n", "size", "rows", "num_results", "max_results"), "limit"),
    **dict.fromkeys(("start", "skip", "from"), "offset"),
    **dict.fromkeys(("collection", "name"), "index"),
    **dict.fromkeys(("budget", "max_tokens"), "word_budget"),
}


def no_attribute(of: str, name: str, synonyms: Mapping[str, str]) -> AttributeError:
    """Return the error for an unknown attribute, with what to use where the name is a synonym.

    To other names Python itself adds the nearest attribute where it prints the error.
    """
    message = f"{of} has no attribute '{name}'"
    if name not in synonyms:
        return AttributeError(message)
    return AttributeError(f"{message}: use {synonyms[name]}.", name=name)
