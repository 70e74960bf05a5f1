"""Building an index from sources, and compacting it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from engine.collection.entities.entity_options import EntityOptions
from engine.collection.entities.entity_references import UNDEFINED
from engine.collection.ingest_report import IngestReport
from engine.collection.limits import Limits
from engine.collection.profiles.profile import NONE, Profile
from engine.collection.sources.patterns import exclusion
from engine.errors import ArgumentError, CollectionError, how_to_install
from engine.index.generation import MOST_SHARDS
from engine.indexing import build
from engine.indexing.build_settings import (
    CHECKS,
    LEAST_MEMORY,
    BatchReader,
    BuildSettings,
    requested_analyser,
    requested_entities,
    requested_profile,
)
from engine.object_store.url import is_url
from engine.progress import Progress, no_progress
from engine.system.files import index_around
from engine.text.analyser import ANALYSERS, CAMEL_CASE, DIACRITICS, Analyser
from engine.text.languages import STEMMERS, Stemmer
from foxir import arguments
from foxir.arguments import PathLike


def build_index(
    *sources: PathLike,
    into: PathLike,
    shards: int | None = None,
    profile: PathLike | Sequence[PathLike] | None = None,
    infer: bool = True,
    attributes: Sequence[str] | Literal["all", "none"] | None = None,
    split: Sequence[str] = (),
    analyser: Literal["default", "zettair"] | None = None,
    stem: Stemmer | None = None,
    stop: PathLike | None = None,
    diacritics: Literal["keep", "fold"] | None = None,
    camel_case: Literal["keep", "split"] | None = None,
    remove: Sequence[str] = (),
    exclude: Sequence[str] = (),
    jobs: int = 1,
    memory: int = 2**30,
    limits: Mapping[str, int | str] | None = None,
    entities: PathLike | None = None,
    catalogs: Sequence[PathLike] = (),
    undefined_entities: Literal["auto", "refuse", "keep"] | None = None,
    images: bool = True,
    vectors: str | Callable[..., object] | None = None,
    ray: str | None = None,
    stop_on_error: bool = False,
    check: Literal["time", "content"] = "time",
    progress: Progress | None = None,
) -> IngestReport:
    """Index sources into a folder and return the counts and the skipped documents; an existing index is updated.

    >>> build_index("articles/", into="wiki.foxir").documents   # doctest: +SKIP
    659387

    Args:
        sources: files, folders, patterns, archives, `@lists` (docs/formats.md); those of the index if none is given.
        into: folder of the index, or a URL of object storage such as "s3://bucket/x.foxir" (extra s3).
        shards: number of parts of a new index, each an index of its own (docs/scale.md); None: a single index.
        profile: "auto", "none", the name of a built-in profile, or a TOML file; of several, each document has the
            first that fits, files before built-in ones; that of an existing index, or "auto",
            if None. So with `analyser` ("default") and `stop` ("none", "english" or a file of words).
        infer: whether the meaning of tags that no profile names is inferred from their use in the first documents.
        stem: "auto" (by the language of each text), "none", "light", or a Snowball stemmer; see docs/text.md; None:
            that of an existing index, or "auto", with the zettair analyser "none".
        diacritics: "keep", or "fold" to make letters with and without them equal.
        camel_case: "keep", or "split" to make the parts of getElementById words.
        attributes: names of the attributes that path queries can use, "all", or "none"; ids always.
        split: tags whose outermost elements are documents, FILE/1, FILE/2 ..., such as ["entry"] or "//entry";
            none: files are.
        remove: sources whose documents leave the index.
        exclude: patterns of files that are not read, by name ("drafts") or by path below each source ("old/*.xml"). An
            index remembers them; `remove=["!drafts"]` ends one.
        jobs: processes; more than one needs a main module guarded by `if __name__ == "__main__"`.
        memory: bytes that all processes use together, at least 2**20.
        limits: limits on documents and archives by name, such as {"max_text": "128M"}.
        entities: file of declarations of entities, as in a DTD; those of HTML and ISO are known.
        catalogs: catalogs of local DTDs; by default those of XML_CATALOG_FILES. Nothing is fetched.
        undefined_entities: whether documents with other entities are refused ("refuse"), or these kept as text
            ("keep"); "auto", the default, keeps those of documents that name a DTD, which is not read. An index
            remembers `entities`, `catalogs` and `undefined_entities`.
        images: whether images that documents refer to are read, if Pillow is installed.
        vectors: encoder whose vectors the index shall have, for searches with `semantic` (docs/semantic.md): a name, or
            a function of a module; "none" removes those of an existing index; None: as it is, for a new one without.
        ray: address of a Ray cluster whose tasks read the documents, in the place of `jobs` processes (extra cluster);
            "local" starts one on this machine.
        stop_on_error: whether a document that cannot be read makes the whole build fail.
        check: how changed documents are found: "time" compares the contents of those whose size or modification time
            differs, "content" those of all documents.
        progress: is called with the stage, the units done and all units.

    Raises: CollectionError, ProfileError, SettingsError, IndexFormatError, IndexLockedError; the index then stays as it
        was.
    """
    for source in sources:
        if isinstance(source, list | tuple):
            raise TypeError("sources: expected paths one by one, got a list: write build_index(*paths, into=...).")
    chosen_profile = _profile(profile, attributes, arguments.texts("split", split))
    chosen_limits = Limits.from_assignments([f"{name}={value}" for name, value in _limits(limits).items()])
    settings = BuildSettings(
        analyser=_analyser(analyser, stem, stop, diacritics, camel_case),
        profile=chosen_profile,
        jobs=arguments.jobs(jobs),
        memory=_memory(memory),
        stop_on_error=arguments.flag("stop_on_error", stop_on_error),
        check=arguments.choice("check", check, CHECKS),
        limits=chosen_limits,
        entities=_entities(entities, catalogs, undefined_entities),
        images=arguments.flag("images", images),
        infer=arguments.flag("infer", infer),
        vectors=None if vectors is None else _encoder(vectors),
        reader=batch_reader(arguments.optional(arguments.text, "ray", ray)),
    )
    place = into if is_url(into) else arguments.path("into", into)
    read = [str(arguments.path(f"sources[{number}]", source)) for number, source in enumerate(sources)]
    ways: dict[str, Any] = {
        "n_shards": None if shards is None else arguments.count("shards", shards, highest=MOST_SHARDS),
        "forget": arguments.texts("remove", remove),
        "progress": arguments.callback("progress", progress) or no_progress,
    }
    read += map(exclusion, arguments.texts("exclude", exclude))
    if isinstance(place, str):
        from engine.object_store.publishing import update_remote  # noqa: PLC0415  (an extra)

        return update_remote(place, read, settings, **ways)
    if around := index_around(Path(place)):  # which removes what is not its own
        raise CollectionError(f"{place}: would be in the index '{around}': name another folder.")
    return build.update_index(Path(place), read, settings, **ways)


def compact_index(folder: PathLike, *, memory: int = 2**30, progress: Progress | None = None) -> None:
    """Merge all segments of an index into one, without deleted documents; answers do not change.

    Args:
        memory: bytes that may be used.
        progress: is called with the stage, the units done and all units.

    Raises: IndexFormatError, IndexLockedError; the index then stays as it was.
    """
    place = folder if is_url(folder) else arguments.path("folder", folder)
    bytes_used, report = _memory(memory), arguments.callback("progress", progress) or no_progress
    if isinstance(place, str):
        from engine.object_store.publishing import compact_remote  # noqa: PLC0415  (an extra)

        compact_remote(place, memory=bytes_used, progress=report)
    else:
        build.compact_index(Path(place), memory=bytes_used, progress=report)


def _encoder(encoder: object) -> str:
    from engine.settings.kinds.value_types import EncoderKind  # noqa: PLC0415  (most builds have no encoder)

    return EncoderKind(absent=NONE).parse("vectors", encoder) or NONE


def _memory(memory: object) -> int:
    return arguments.count("memory", memory, lowest=LEAST_MEMORY, highest=2**60)


def _profile(profile: object, attributes: object, split: Sequence[str]) -> Profile | None:
    if attributes is not None and not isinstance(attributes, str):
        attributes = ",".join(arguments.texts("attributes", attributes)) or NONE
    return requested_profile(
        _profile_names(profile), None if attributes is None else attributes or NONE, _split_tags(split)
    )


def _profile_names(profile: object) -> list[str]:
    if profile is None:
        return []
    if isinstance(profile, list | tuple):
        return [str(arguments.path(f"profile[{place}]", each)) for place, each in enumerate(profile)]
    return [str(arguments.path("profile", profile))]


def _split_tags(split: Sequence[str]) -> str | None:
    """Return tags in the form of --split, which a single text may have already; // before a tag is optional."""
    if len(split) == 1 and split[0].startswith("//"):
        return split[0]
    return f"//({'|'.join(tag.removeprefix('//') for tag in split)})" if split else None


def _entities(file: object, catalogs: object, undefined: object) -> EntityOptions:
    return requested_entities(
        None if file is None else arguments.path("entities", file),
        [
            arguments.path(f"catalogs[{number}]", catalog)
            for number, catalog in enumerate(arguments.items("catalogs", catalogs, "a list of paths"))
        ],
        None if undefined is None else arguments.choice("undefined_entities", undefined, UNDEFINED),
    )


def _analyser(analyser: object, stem: object, stop: object, diacritics: object, camel_case: object) -> Analyser | None:
    return requested_analyser(
        None if analyser is None else arguments.choice("analyser", analyser, ANALYSERS),
        None if stem is None else arguments.choice("stem", stem, STEMMERS),
        None if stop is None else str(arguments.path("stop", stop)),
        None if diacritics is None else arguments.choice("diacritics", diacritics, DIACRITICS),
        None if camel_case is None else arguments.choice("camel_case", camel_case, CAMEL_CASE),
    )


def _limits(limits: object) -> dict[str, int | str]:
    found = arguments.mapping("limits", limits)
    for name, value in found.items():
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise arguments.refuse_type(f"limits[{name!r}]", value, 'int, or str such as "128M"')
    return found


def batch_reader(address: str | None) -> BatchReader | None:
    """Return the reader of batches on the Ray cluster at an address, None for none.

    Raises: ArgumentError without Ray; ClusterError if there is no cluster.
    """
    if address is None:
        return None
    try:
        from foxir.cluster.batch_tasks import BatchTasks  # noqa: PLC0415  (an extra)
    except ModuleNotFoundError as error:
        raise ArgumentError(f"building on a cluster needs {error.name}: {how_to_install('cluster')}.") from None
    return BatchTasks(address)
