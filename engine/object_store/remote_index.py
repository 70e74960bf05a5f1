"""An index in object storage.

    manifests/000000000007.json    the manifest of a generation, created once and never changed
    reports/000000000007.json      the report of the build that made it, stored after the manifest
    segments/<name>/...            the files of a segment, named by its content; segment.json is written last

A writer stores the segments first, then creates the manifest of the next generation, which only one writer can. So a
manifest never names what is not there, and readers, who take the manifest of the largest number, find a whole index.
Nothing is ever removed or changed.

The client is obstore, whose errors are given in plain words.
"""

from __future__ import annotations

import hashlib
import os
import re
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from engine.columns.folder_writer import BLOCK
from engine.errors import ArgumentError, IndexFormatError, IndexLockedError, StorageError, how_to_install
from engine.index.segment import DESCRIPTION, FOLDERS, Description, parse_description
from engine.object_store.url import checked_url

# Seconds after which a request is given up; each is tried again within the second number.
REQUEST_S, RETRIES_S = 30, 60
# Seconds before a request is tried again, the first time and at most; times in between are random, and grow.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 5.0
# Variables that name the server of a scheme; the client ends the process at one that is not a URL.
_ENDPOINTS = {"s3": ("AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")}
# Root elements of lists: of S3 and Google Cloud Storage, of Azure.
_LISTS = (b"ListBucketResult", b"EnumerationResults")
_ROOT = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z][\w.-]*)")
# Characters of an answer that are shown.
_SHOWN = 60


def open_store(url: str) -> tuple[Any, Any]:
    """Return obstore, and the store at a checked URL.

    Raises: ArgumentError for a URL that names no place, for an endpoint that is not a URL, or if obstore is missing.
    """
    try:
        import obstore  # noqa: PLC0415  (an extra)
        import obstore.exceptions  # noqa: PLC0415
        from obstore.store import from_url  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ArgumentError(f"{url}: object storage needs {error.name}: {how_to_install('s3')}.") from None
    for name in _ENDPOINTS.get(url.partition("://")[0], ()):
        _check_endpoint(name, os.environ.get(name, ""))
    allows_http = os.environ.get("AWS_ALLOW_HTTP", "").lower() in ("1", "true")
    times = {"timeout": timedelta(seconds=REQUEST_S), "allow_http": allows_http}
    pauses = {
        "init_backoff": timedelta(seconds=FIRST_PAUSE_S),
        "max_backoff": timedelta(seconds=LONGEST_PAUSE_S),
        "base": 3,  # with 2, random pauses hardly grow
    }
    retries = {"retry_timeout": timedelta(seconds=RETRIES_S), "max_retries": 10_000, "backoff": pauses}
    try:
        if url.startswith("file://"):
            return obstore, from_url(url, mkdir=True)
        return obstore, from_url(url, client_options=times, retry_config=retries)
    except (obstore.exceptions.BaseError, OSError) as error:
        raise ArgumentError(f"{url}: cannot be opened: {reason_of(str(error))}.") from None


def _check_endpoint(name: str, value: str) -> None:
    try:
        found = urlsplit(value)
        is_one = found.scheme in ("http", "https") and bool(found.hostname) and (found.port is None or found.port > 0)
    except ValueError:
        is_one = False
    if value and not (is_one and value.isprintable() and " " not in value):
        raise ArgumentError(f"{name} = {value!r}: expected a URL such as https://HOST or http://HOST:9000.")


_XML = re.compile(
    r"(?:<\?xml.*?)?<Error>.*?<Code>(.*?)</Code>\s*<Message>(?:<!\[CDATA\[)?(.*?)(?:\]\]>)?</Message>.*</Error>",
    re.DOTALL,
)
_CLOCK = "Set the clock of this machine, which differs too much from that of the server, then retry"
_CERTIFICATE = "Its certificate is not valid at this machine's time: check the clock, then the certificate"
# What the text of an error contains, and what then is to be done.
_CAUSES = (
    ("NoSuchBucket", "There is no such bucket: make it first, or correct the URL"),
    ("computeMetadata", "No credentials were found: set GOOGLE_APPLICATION_CREDENTIALS"),
    ("metadata/identity", "No credentials were found: set AZURE_STORAGE_ACCOUNT_KEY"),
    ("Account must be specified", "Set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY"),
    ("Missing SecretAccessKey", "Set AWS_SECRET_ACCESS_KEY, too"),
    ("Missing AccessKeyId", "Set AWS_ACCESS_KEY_ID, too"),
    ("os error", "Correct the folder, or make it"),
    ("169.254.169.254", "No credentials were found: set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION"),
    ("ExpiredToken", "The credentials have expired: get new ones"),
    ("RequestTimeTooSkewed", _CLOCK),  # S3
    ("Request date header too old", _CLOCK),  # Azure
    ("reasonable timeframe", _CLOCK),  # Google
    ("ExpiredContext", _CERTIFICATE),
    ("NotValidYetContext", _CERTIFICATE),
    ("UnknownIssuer", "No authority that this machine knows has signed its certificate: add one (SSL_CERT_FILE)"),
    ("NotValidForName", "Its certificate is that of another host: correct AWS_ENDPOINT"),
    ("builder error", "For an endpoint without TLS (http://) set AWS_ALLOW_HTTP=true"),
    ("InvalidContentType", "It does not speak TLS: correct AWS_ENDPOINT; for http:// set AWS_ALLOW_HTTP=true"),
    ("ConnectionRefused", "Nothing takes connections there: correct AWS_ENDPOINT, or start the server"),
    ("dns error", "There is no host of that name: correct AWS_ENDPOINT, or check the network"),
    ("invalid list response", "What answers there is no object storage: check AWS_ENDPOINT, and proxies in between"),
)
_ELSE = "Check address, credentials and network, then retry"


def reason_of(text: str) -> str:
    """Return the reason in the text of an error, and the remedy; causes may be in its debug output alone.

    >>> reason_of("404: <Error><Code>NoSuchBucket</Code><Message><![CDATA[Not there]]></Message></Error>")
    '404: NoSuchBucket: Not there. There is no such bucket: make it first, or correct the URL'
    """
    reason = " ".join(_XML.sub(r"\1: \2", text.partition("\n\nDebug")[0]).split())
    to_do = next((advice for cause, advice in _CAUSES if cause in text), _ELSE)
    return f"{reason}. {to_do}"


def check_is_list(url: str) -> None:
    """Raise StorageError if the bucket of a URL answers with anything but a list; a refusal says nothing."""
    scheme, _, place = url.partition("://")
    obstore, bucket = open_store(f"{scheme}://{place.partition('/')[0]}")
    sent = b""
    with suppress(obstore.exceptions.BaseError, OSError):  # the bucket as an object is its list, as it was sent
        sent = bytes(next(iter(obstore.get(bucket, "").stream(min_chunk_size=1)), b""))
    root = _ROOT.search(sent)
    if not sent or (root and root[1] in _LISTS):
        return
    shown = " ".join(sent.decode("utf-8", "replace").split())[:_SHOWN]
    raise StorageError(
        f"{url}: no object storage answers there: in place of a list of objects came {shown!r}. Check AWS_ENDPOINT, "
        "and whether a proxy or a page to sign in is in between."
    )


# Requests at a time.
THREADS = 8
MANIFESTS, REPORTS, SEGMENTS = "manifests", "reports", "segments"
_WIDTH = 12
_MANIFEST = re.compile(rf"([0-9]{{{_WIDTH}}})\.json")

Bytes = Callable[[int], None]


class RemoteIndex:
    """An index in object storage, by its URL.

    Raises: StorageError where the storage fails or refuses; ArgumentError for a wrong URL, or if obstore is missing.
    """

    def __init__(self, url: str) -> None:
        self.url = checked_url(url)
        self._obstore, self._store = open_store(self.url)

    def newest(self) -> int:
        """Return the number of the newest generation, 0 if there is none; raises StorageError if no storage answers."""
        with self._errors():
            numbers = [
                int(found[1])
                for batch in self._obstore.list(self._store, prefix=MANIFESTS)
                for entry in batch
                if (found := _MANIFEST.fullmatch(entry["path"].rpartition("/")[2]))
            ]
        if not numbers and not self.url.startswith("file://"):
            check_is_list(self.url)
        return max(numbers, default=0)

    def manifest(self, generation: int) -> bytes:
        """Return the manifest of a generation, as it was written."""
        return self._get(_numbered(MANIFESTS, generation))

    def manifest_url(self, generation: int) -> str:
        """Return the address of the manifest of a generation."""
        return f"{self.url}/{_numbered(MANIFESTS, generation)}"

    def report(self, generation: int) -> bytes | None:
        """Return the report of the build of a generation; None if there is none."""
        return self._find(_numbered(REPORTS, generation))

    def publish(self, generation: int, manifest: bytes, report: bytes | None, follows: bytes | None = None) -> None:
        """Create the manifest of a generation, whose segments are stored, then store the report of its build.

        A report that cannot be stored is left out: then other machines compare contents instead of times.

        Args:
            follows: the manifest of the generation before, on which this one builds; None for the first one.
        Raises: IndexLockedError if another writer has created the manifest: its report is left, too; or if another
            index is in the place of the generation before.
        """
        if follows is not None and self._find(_numbered(MANIFESTS, generation - 1)) != follows:
            raise IndexLockedError(
                f"{self.url}: the index was removed or built anew meanwhile, and nothing of this build is published: "
                "run it again."
            )
        path = _numbered(MANIFESTS, generation)
        with self._errors():
            try:
                self._obstore.put(self._store, path, manifest, mode="create")
            except self._obstore.exceptions.AlreadyExistsError:
                if (
                    self.manifest(generation) != manifest
                ):  # else it is ours: a request was repeated after its answer was lost
                    raise IndexLockedError(
                        f"{self.url}: another writer published generation {generation} meanwhile, and nothing of this "
                        "build is published: run it again, on top of that generation."
                    ) from None
        if report is not None:
            with suppress(StorageError):
                self._put(_numbered(REPORTS, generation), report)

    def store_segment(self, folder: Path, progress: Bytes) -> None:
        """Store the files of a segment, unless it is stored already."""
        name = folder.name
        with self._errors():
            try:
                self._obstore.head(self._store, f"{SEGMENTS}/{name}/{DESCRIPTION}")
                return
            except FileNotFoundError:
                pass
        files = [path for inner in FOLDERS for path in sorted((folder / inner).iterdir())]
        _each(lambda path: self._store_file(path, f"{SEGMENTS}/{name}/{path.parent.name}/{path.name}", progress), files)
        self._store_file(folder / DESCRIPTION, f"{SEGMENTS}/{name}/{DESCRIPTION}", progress)

    def describe_segment(self, name: str, digest: str) -> tuple[bytes, Description]:
        """Return the description of a segment, checked: as bytes, and read; raises IndexFormatError."""
        path = f"{SEGMENTS}/{name}/{DESCRIPTION}"
        raw = self._get(path)
        shown = f"{self.url}/{path}"
        if hashlib.sha256(raw).hexdigest() != digest:
            raise _damaged(shown)
        return raw, parse_description(shown, raw)

    def fetch_segment(self, name: str, described: Description, target: Path, progress: Bytes) -> None:
        """Write the files of a segment, their description excepted, into an empty folder; each block is checked.

        Raises: IndexFormatError for a file that is missing, cut or changed.
        """
        files = []
        for inner in FOLDERS:
            (target / inner).mkdir(parents=True)
            entries = getattr(described, inner).items()
            files += [(f"{inner}/{file}", entry["size"], entry["crc32"]) for file, entry in entries]

        def fetch(file: tuple[str, int, list[int]]) -> None:
            path, size, checksums = file
            self._fetch_file(f"{SEGMENTS}/{name}/{path}", target / path, size, checksums, progress)

        _each(fetch, files)

    def _fetch_file(self, path: str, target: Path, size: int, checksums: list[int], progress: Bytes) -> None:
        left, found = b"", []
        with self._errors(), target.open("xb") as file:
            try:
                if not size:
                    return
                for chunk in self._obstore.get(self._store, path).stream(min_chunk_size=16 * BLOCK):
                    left += bytes(chunk)
                    whole = len(left) - len(left) % BLOCK
                    found += [zlib.crc32(left[start : start + BLOCK]) for start in range(0, whole, BLOCK)]
                    file.write(left[:whole])
                    left = left[whole:]
                    progress(whole)
            except FileNotFoundError:
                raise _damaged(f"{self.url}/{path}") from None
            file.write(left)
            found += [zlib.crc32(left)] if left else []
            progress(len(left))
            if file.tell() != size or found != checksums:
                raise _damaged(f"{self.url}/{path}")

    def _store_file(self, source: Path, path: str, progress: Bytes) -> None:
        self._put(path, source)
        progress(source.stat().st_size)

    def _put(self, path: str, data: bytes | Path) -> None:
        with self._errors():
            self._obstore.put(self._store, path, data)

    def _get(self, path: str) -> bytes:
        found = self._find(path)
        if found is None:
            raise _damaged(f"{self.url}/{path}")
        return found

    def _find(self, path: str) -> bytes | None:
        """Return the content of an object, None if there is none."""
        with self._errors():
            try:
                return bytes(self._obstore.get(self._store, path).bytes())
            except FileNotFoundError:
                return None

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Raise StorageError for an error of the storage."""
        try:
            yield
        except self._obstore.exceptions.BaseError as error:
            raise StorageError(
                f"{self.url}: the object storage failed: {reason_of(str(error))}; what was published is not affected."
            ) from None


def _numbered(folder: str, generation: int) -> str:
    return f"{folder}/{generation:0{_WIDTH}d}.json"


def _damaged(path: str) -> IndexFormatError:
    return IndexFormatError(
        f"{path}: missing, or not as it was stored: the copy in the object storage is damaged. Restore it, or index "
        "the sources into a new place."
    )


def _each(function: Callable[[Any], None], items: list[Any]) -> None:
    """Call a function for each item, in several threads; the first error ends it."""
    with ThreadPoolExecutor(THREADS) as threads:
        for _ in threads.map(function, items):
            pass
