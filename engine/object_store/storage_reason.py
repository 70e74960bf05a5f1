"""Why object storage failed, from the error of its client: one line, and what to do where the cause is known."""

from __future__ import annotations

import re

_XML = re.compile(r"(?:<\?xml.*?)?<Error>.*?<Code>(.*?)</Code>\s*<Message>(.*?)</Message>.*</Error>", re.DOTALL)
# What the text of an error contains, and what then is to be done.
_CAUSES = (
    ("NoSuchBucket", "There is no such bucket: make it first, or correct the URL"),
    ("169.254.169.254", "No credentials were found: set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION"),
    ("builder error", "For an endpoint without TLS (http://) set AWS_ALLOW_HTTP=true"),
)
_ELSE = "Check address, credentials and network, then retry"


def reason_of(text: str) -> str:
    """Return the reason that the text of an error gives, and what to do.

    >>> reason_of("404: <?xml?><Error><Code>NoSuchBucket</Code><Message>Not there</Message><Host>h</Host></Error>")
    '404: NoSuchBucket: Not there. There is no such bucket: make it first, or correct the URL'
    """
    reason = " ".join(_XML.sub(r"\1: \2", text.partition("\n\nDebug")[0]).split())
    to_do = next((advice for cause, advice in _CAUSES if cause in reason), _ELSE)
    return f"{reason}. {to_do}"
