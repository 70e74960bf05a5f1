"""Authentication of requests: tokens, signed cookies, and tokens against forged requests."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import ArgumentError
from engine.system.input_files import read_small_text

COOKIE = "foxir_session"
MOST_NAME = 60
SHORTEST_TOKEN = 16


@dataclass(frozen=True)
class Session:
    """A signed-in person, or a name chosen on a service without tokens ("" before one is chosen).

    key: random, of this browser. by_token: whether the request carried a token in its header, which no foreign page
    can make a browser send.
    """

    name: str
    key: str = ""
    by_token: bool = False


class Sessions:
    """Reads and signs cookies, and compares tokens.

    A cookie is signed with a secret and, where there are tokens, with its person's, so it ends with the token.
    """

    def __init__(self, secret: bytes, tokens: Mapping[str, str] | None) -> None:
        self._secret = secret
        self._tokens = tokens

    @property
    def needs_token(self) -> bool:
        """Whether requests need a token."""
        return self._tokens is not None

    def named(self, token: str) -> str | None:
        """Return the name that a token belongs to, None if it is unknown; compared in constant time."""
        given = hashlib.sha256(token.encode("utf-8", "replace")).digest()
        found = None
        for name, known in (self._tokens or {}).items():
            if hmac.compare_digest(hashlib.sha256(known.encode()).digest(), given):
                found = name
        return found

    def cookie(self, name: str) -> str:
        """Return the value of a new cookie."""
        content = json.dumps([name, secrets.token_hex(16)]).encode()
        return f"{base64.urlsafe_b64encode(content).decode()}.{self._signature(name, content)}"

    def read(self, cookie: str) -> Session | None:
        """Return the session of a cookie, None for one that was not signed here or whose token is gone."""
        content, _, signature = cookie.partition(".")
        try:
            plain = base64.urlsafe_b64decode(content.encode("ascii"))
            name, key = json.loads(plain)
        except (ValueError, TypeError, RecursionError):
            return None
        if not isinstance(name, str) or not isinstance(key, str):
            return None
        if self._tokens is not None and name not in self._tokens:
            return None
        is_ours = hmac.compare_digest(self._signature(name, plain).encode(), signature.encode("utf-8", "replace"))
        return Session(name, key) if is_ours else None

    def form_token(self, session: Session) -> str:
        """Return a CSRF token of the session; random each time, so that compressed sizes do not reveal it (BREACH)."""
        nonce = secrets.token_hex(8)
        return f"{nonce}.{self._form_signature(session, nonce)}"

    def accepts(self, session: Session, form_token: str) -> bool:
        """Return whether a form token is one of the session."""
        nonce, _, signature = form_token.partition(".")
        expected = self._form_signature(session, nonce)
        return bool(session.key) and hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace"))

    def _signature(self, name: str, content: bytes) -> str:
        token = "" if self._tokens is None else self._tokens.get(name, "")
        return self._sign(b"cookie", token.encode(), content)

    def _form_signature(self, session: Session, nonce: str) -> str:
        return self._sign(b"form", session.name.encode(), session.key.encode(), nonce.encode("utf-8", "replace"))

    def _sign(self, *parts: bytes) -> str:
        message = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        return hmac.new(self._secret, message, hashlib.sha256).hexdigest()


def read_tokens(file: Path) -> dict[str, str]:
    """Return name -> token from a file of lines `name token`; blank lines and lines that begin with # are skipped.

    Raises: ArgumentError with file and line for a line of another form, a short or a repeated token.
    """
    try:
        content = read_small_text(file)
    except OSError as error:
        expected = "expected a file in UTF-8 with lines 'name token'"
        raise ArgumentError(f"{file}: the tokens cannot be read ({error.strerror}): {expected}.") from None
    tokens: dict[str, str] = {}
    for number, line in enumerate(content.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2:
            raise ArgumentError(f"{file}:{number}: found {len(words)} words, expected a name and a token.")
        name, token = words
        if len(name) > MOST_NAME:
            raise ArgumentError(f"{file}:{number}: a name has at most {MOST_NAME} characters.")
        if len(token) < SHORTEST_TOKEN:
            raise ArgumentError(
                f"{file}:{number}: the token of {name!r} has {len(token)} characters, expected {SHORTEST_TOKEN} or "
                "more: python -c 'import secrets; print(secrets.token_urlsafe())' prints one."
            )
        if name in tokens or token in tokens.values():
            raise ArgumentError(f"{file}:{number}: this name or token is in an earlier line, too.")
        tokens[name] = token
    if not tokens:
        raise ArgumentError(f"{file}: no token found: expected lines 'name token'.")
    return tokens
