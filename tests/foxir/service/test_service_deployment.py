"""What docs/service.md says of deployment fits the program: its commands are accepted, its addresses answer."""

from __future__ import annotations

import http.client
import json
import os
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from foxir.service.http import server
from foxir.service.options import ServiceOptions
from tests.foxir.commands.command import foxir
from tests.foxir.conftest import ROOT, Sample
from tests.foxir.service.living import client, running

PAGE = (ROOT / "docs/service.md").read_text("utf-8")
UNIT = re.search(r"^ExecStart=\S*/foxir (.*)$", PAGE, re.M)
CONTAINER = re.search(r"^ +command: (\[.*\])$", (ROOT / "compose.yaml").read_text("utf-8"), re.M)


def commands() -> dict[str, list[str]]:
    """Return the arguments of `foxir` in the unit and in the file of the container."""
    assert UNIT is not None
    assert CONTAINER is not None
    return {"unit": shlex.split(UNIT[1]), "container": json.loads(CONTAINER[1])}


@pytest.mark.parametrize("name", ["unit", "container"])
def test_commands_of_the_documentation_start_a_service(
    name: str, sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tokens").write_text("ana correct-horse-battery\n", "utf-8")
    places = dict.fromkeys(["/srv/foxir/library.foxir", "demo.foxir"], sample.folder / "sample.foxir")
    places["/run/secrets/tokens"] = tmp_path / "tokens"
    found: list[ServiceOptions] = []

    def serve(options: ServiceOptions, listening: socket.socket, **_: object) -> None:
        listening.close()
        found.append(options)

    monkeypatch.setattr(server, "serve", serve)
    done = foxir(*(places.get(word, word) for word in commands()[name]), "--port", "0")

    assert done.status == 0, done.err
    (options,) = found
    assert options.hosts == (("search.example.org",) if name == "unit" else ())
    assert options.host == ("127.0.0.1" if name == "unit" else "0.0.0.0")


def test_addresses_of_the_documentation_answer(web: TestClient) -> None:
    for address in ("/healthz", "/readyz", "/metrics", "/openapi.json", "/status"):
        assert address in PAGE
        assert web.get(address).status_code == 200


def test_a_proxy_reaches_the_service_by_the_name_of_the_site(sample: Sample) -> None:
    with client(sample.folder / "sample.foxir", hosts=("search.example.org",)) as web:
        headers = {"Host": "search.example.org", "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"}
        assert web.get("/", headers=headers).status_code == 200
        assert "33m" in PAGE
        assert web.post("/example-image", headers={**headers, "Content-Length": str(34 << 20)}).status_code == 413


def of_nginx(folder: Path, port: int, service: int) -> list[str]:
    """Write nginx's part of the page as a configuration for other ports, and return the command that starts it."""
    found = re.search(r"```nginx\n(.*?)```", PAGE, re.S)
    assert found is not None
    made = "req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -subj /CN=search.example.org"
    subprocess.run(
        ["openssl", *made.split(), "-keyout", "key.pem", "-out", "cert.pem"],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    certificate = f"ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;"
    server = found[1].replace("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl; {certificate}")
    server = server.replace("127.0.0.1:8080", f"127.0.0.1:{service}")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        f"{user} pid {folder}/pid; worker_processes 1; events {{}} http {{ access_log off; {paths} {server} }}", "utf-8"
    )
    return ["nginx", "-p", str(folder), "-c", "nginx.conf", "-e", "stderr", "-g", "daemon off;"]


def of_caddy(folder: Path, port: int, service: int) -> list[str]:
    """Write Caddy's lines of the page as a configuration for other ports, and return the command that starts it."""
    found = re.search(r"^    (search.example.org)\n    (reverse_proxy .*)$", PAGE, re.M)
    assert found is not None
    options = (
        f"admin off\nauto_https disable_redirects\nlocal_certs\nskip_install_trust\ndefault_bind 127.0.0.1\n"
        f"storage file_system {folder}"
    )
    lines = found[2].replace("127.0.0.1:8080", f"127.0.0.1:{service}")
    (folder / "Caddyfile").write_text(f"{{\n{options}\n}}\n{found[1]}:{port}\n{lines}\n", "utf-8")
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


def free_port() -> int:
    with server.bind("127.0.0.1", 0) as listening:
        return int(listening.getsockname()[1])


class NamedConnection(http.client.HTTPSConnection):
    """A connection to this machine, for the name of the site."""

    def connect(self) -> None:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        bare = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        try:
            self.sock = context.wrap_socket(bare, server_hostname=self.host)
        except OSError:
            bare.close()
            raise


@contextmanager
def proxied(program: str, folder: Path, service: int) -> Iterator[Callable[[], NamedConnection]]:
    """Yield a function that connects to the service through a proxy."""
    port = free_port()
    command = {"nginx": of_nginx, "caddy": of_caddy}[program](folder, port, service)
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def connect() -> NamedConnection:
        return NamedConnection("search.example.org", port)

    try:
        deadline = time.monotonic() + 20
        while True:
            try:
                with closing(connect()) as connection:
                    connection.connect()
            except OSError:
                assert process.poll() is None, f"{program} did not start: {shlex.join(command)}"
                assert time.monotonic() < deadline
                time.sleep(0.02)
            else:
                break
        yield connect
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.mark.parametrize("program", ["nginx", "caddy"])
def test_proxies_of_the_documentation_let_through_what_the_service_takes(
    program: str, sample: Sample, tmp_path: Path
) -> None:
    if shutil.which(program) is None or shutil.which("openssl") is None:
        pytest.skip(f"needs {program} and openssl")
    tokens = tmp_path / "tokens"
    tokens.write_text("ana correct-horse-battery\n", "utf-8")
    options = ServiceOptions(
        (sample.folder / "sample.foxir",), hosts=("search.example.org",), token_file=tokens, quiet=True
    )
    site = {"Host": "search.example.org"}  # as at port 443
    by_token = {**site, "Authorization": "Bearer correct-horse-battery"}
    form = {**site, "Content-Type": "application/x-www-form-urlencoded", "Origin": "https://search.example.org"}
    with running(options) as service, proxied(program, tmp_path, service) as connect:
        # of a proxy that hands on another Host, the first would be 421, and the sign-in 403
        asked = {
            "search": ("GET", "/api/search?q=fog", None, by_token, 200),
            "long query": ("GET", f"/api/search?{urlencode({'q': '🐋' * 10_000})}", None, by_token, 200),
            "too long query": ("GET", f"/api/search?{urlencode({'q': 'a' * 10_001})}", None, by_token, 413),
            "no token": ("GET", "/api/search?q=fog", None, site, 401),
            "large file": ("POST", "/api/example-image", bytes(2 << 20), by_token, 422),
            "sign-in": ("POST", "/sign-in", b"token=correct-horse-battery&next=/", form, 303),
        }
        found = {}
        for name, (method, address, body, headers, _) in asked.items():
            with closing(connect()) as connection:
                connection.request(method, address, body, headers)
                answer = connection.getresponse()
                answer.read()
                found[name] = answer
    assert {name: answer.status for name, answer in found.items()} == {name: each[-1] for name, each in asked.items()}
    assert "secure" in str(found["sign-in"].headers["set-cookie"]).lower()
    assert found["search"].headers["content-security-policy"]
