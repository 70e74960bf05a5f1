"""Why object storage failed, from the error of its client: one line, and what to do where the cause is known."""

from __future__ import annotations

import re

_XML = re.compile(r"(?:<\?xml.*?)?<Error>.*?<Code>(.*?)</Code>\s*<Message>(.*?)</Message>.*</Error>", re.DOTALL)
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
    """Return the reason that the text of an error gives, and what to do; causes may be in its debug output alone.

    >>> reason_of("404: <?xml?><Error><Code>NoSuchBucket</Code><Message>Not there</Message><Host>h</Host></Error>")
    '404: NoSuchBucket: Not there. There is no such bucket: make it first, or correct the URL'
    """
    reason = " ".join(_XML.sub(r"\1: \2", text.partition("\n\nDebug")[0]).split())
    to_do = next((advice for cause, advice in _CAUSES if cause in text), _ELSE)
    return f"{reason}. {to_do}"
