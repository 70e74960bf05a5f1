"""An encoder behind an address: any server that answers as OpenAI's does, such as Ollama or a server of one's own.

    POST URL   {"model": MODEL, "input": [TEXT, ...]}   ->   {"data": [{"index": 0, "embedding": [...]}, ...]}

The address and, where one is needed, a key are in the environment, never in settings or an index.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
from numpy.typing import NDArray

from engine.errors import SettingsError

URL, KEY = "FOXIR_EMBEDDINGS_URL", "FOXIR_EMBEDDINGS_KEY"
# Seconds without an answer, and bytes of one, at most.
MOST_SECONDS, MOST_BYTES = 60.0, 2**26
# Characters of a refusal that are shown.
SHOWN = 200


def endpoint(name: str) -> Callable[[list[str]], NDArray[np.float32]]:
    """Return the encoder `endpoint:MODEL` at the address in the environment.

    Raises: SettingsError without an address; so does the function for an answer that is late, missing or of another
        form.
    """
    url, key = os.environ.get(URL, ""), os.environ.get(KEY)
    if not url.startswith(("http://", "https://")):
        raise SettingsError(
            f"encoder '{name}': the environment variable {URL} is {url!r}, expected the address of an endpoint for "
            "embeddings, such as http://localhost:11434/v1/embeddings."
        )
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}

    def encode(texts: list[str]) -> NDArray[np.float32]:
        body = json.dumps({"model": name.partition(":")[2], "input": texts}).encode()
        try:
            with urlopen(Request(url, body, headers), timeout=MOST_SECONDS) as answer:
                return _vectors(json.loads(answer.read(MOST_BYTES)), len(texts))
        except HTTPError as error:
            with error:
                reason = f"status {error.code}: {error.read(SHOWN).decode('utf-8', 'replace')}"
        except TimeoutError:
            reason = f"no answer within {MOST_SECONDS:g} s"
        except OSError as error:
            late = isinstance(getattr(error, "reason", None), TimeoutError)
            reason = f"no answer within {MOST_SECONDS:g} s" if late else str(error)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            reason = f"its answer is not one vector for each text ({error})"
        raise SettingsError(f"encoder '{name}': {url}: {reason}.")

    return encode


def _vectors(answer: Any, n_texts: int) -> NDArray[np.float32]:
    """Return the vectors in an answer, in the order of the texts; raises ValueError, KeyError, TypeError."""
    found = sorted(answer["data"], key=lambda each: each["index"])
    if [each["index"] for each in found] != list(range(n_texts)):
        raise ValueError(f"{len(found)} for {n_texts} texts")
    return np.array([each["embedding"] for each in found], np.float32)
