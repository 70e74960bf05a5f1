"""The description of the JSON interface is valid, and no request, allowed by it or not, ends in a failure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from starlette.testclient import TestClient

from tests.foxir.service.browser import IS_LONG
from tests.foxir.service.desk import Assessor, desk, judged_index, write_runs
from tests.trust.soak import effort

EXAMPLES = effort(100 if IS_LONG else 2, 2000)


@pytest.fixture(scope="module")
def judging(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assessor]:
    folder = judged_index(tmp_path_factory.mktemp("openapi")).parent
    with desk(folder, pool=write_runs(folder)) as found:
        found.act("a", "mark", start=0, end=3)
        yield found


@pytest.mark.long
def test_the_description_is_valid(judging: Assessor, web: TestClient) -> None:
    validator = pytest.importorskip("openapi_spec_validator", reason="needs openapi-spec-validator")
    with_judging, without = judging.web.get("/openapi.json").json(), web.get("/openapi.json").json()

    validator.validate(with_judging)
    validator.validate(without)
    assert "/api/judgements" in with_judging["paths"]
    assert "/api/judgements" not in without["paths"]


def test_what_needs_a_form_token_is_described_so(judging: Assessor) -> None:
    """As the service refuses it without; requests with a body may be sent too slowly."""
    paths = judging.web.get("/openapi.json").json()["paths"]
    described = {
        path
        for path, methods in paths.items()
        for parameter in methods.get("post", {}).get("parameters", ())
        if (parameter["in"], parameter["name"]) == ("header", "X-Form-Token")
    }
    bodies = {"/api/judgements": b"{}", "/api/judgements/import": b"1 0 a 1", "/api/session": b"{}"}
    kinds = {"Content-Type": "application/json"}
    refused = {
        path for path, body in bodies.items() if judging.web.post(path, content=body, headers=kinds).status_code == 403
    }

    assert described == refused == {"/api/judgements", "/api/judgements/import"}
    posts = [methods["post"] for methods in paths.values() if "post" in methods]
    assert all("408" in each["responses"] for each in posts)


def closed(schema: Any) -> Any:
    """Return a schema whose objects have no other members than it names."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(each) for name, each in schema.items()}
    return {**found, "additionalProperties": False} if "properties" in schema else found


PART = {"document": "a", "q": "two", "path": "/article[1]/body[1]/p[1]"}


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("/api/search", {"q": "two", "min_words": "1", "text": "1", "counts": "1"}),
        ("/api/search", {"q": "two", "passages": "1", "min_words": "1"}),
        ("/api/search", {"q": "//p[about(., two)]", "syntax": "path", "min_words": "1"}),
        ("/api/search", {"q": "xyzzy"}),
        ("/api/read", {"document": "a"}),
        ("/api/read", {"document": "a", "path": PART["path"], "readable": "1"}),
        ("/api/outline", {"document": "a", "q": "two"}),
        ("/api/explain", PART),
        ("/api/status", {}),
        ("/api/session", {}),
        ("/api/topics", {}),
        ("/api/judgements", {"topic": "1", "document": "a"}),
        ("/api/judgements/export", {}),
        ("/api/agreement", {"first": "ana", "second": "ana"}),
        ("/api/scores", {}),
        ("/api/search", {"q": "//p[about(., two", "syntax": "path"}),
        ("/api/judgements", {"topic": "9", "document": "a"}),
    ],
)
def test_answers_have_what_is_described_and_nothing_else(judging: Assessor, path: str, given: dict[str, str]) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="needs jsonschema")
    description = judging.web.get("/openapi.json").json()
    answer = judging.web.get(path, params=given)
    described = description["paths"][path]["get"]["responses"][str(answer.status_code)]["content"]
    schema = closed({**described[answer.headers["content-type"]]["schema"], "components": description["components"]})

    jsonschema.Draft202012Validator(schema).validate(answer.json())


@pytest.mark.long
def test_no_request_ends_in_a_failure(judging: Assessor) -> None:
    """Requests drawn from the description, right and wrong ones; answers are those that it promises."""
    schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis")
    schema = schemathesis.openapi.from_dict(judging.web.get("/openapi.json").json())
    right, wrong = schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE
    promised = schema.raw_schema["paths"]
    n_operations = 0
    for result in schema.get_all_operations():
        operation = result.ok()
        n_operations += 1
        responses = promised[operation.path][operation.method.lower()]["responses"]
        check(judging, operation.as_strategy(generation_mode=right), responses)
        if EXAMPLES > 2:
            with suppress(Unsatisfiable):  # an operation without parameters has no wrong ones
                check(judging, operation.as_strategy(generation_mode=wrong), responses)
    assert n_operations == 16


def check(judging: Assessor, cases: Any, promised: dict[str, Any]) -> None:
    """Send requests drawn from a strategy."""

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def send(case: Any) -> None:
        given_ = case.as_transport_kwargs(base_url="http://127.0.0.1:8080")
        given_ = {name: value for name, value in given_.items() if name in ("method", "url", "params", "json", "data")}
        content = given_.pop("data", None)
        try:
            request = judging.web.build_request(
                **given_,
                content=content if isinstance(content, str | bytes) else None,
                headers={"X-Form-Token": judging.token},
            )
        except (ValueError, TypeError, httpx2.InvalidURL):
            return  # no client can send it
        answer = judging.web.send(request)
        assert answer.status_code < 500 or answer.status_code == 503, (request, answer.text)
        if "x-form-token" in request.headers and answer.status_code not in (404, 405):
            assert str(answer.status_code) in promised, (request.url, answer.status_code, answer.text)
        if answer.status_code >= 400 and answer.status_code != 405:
            assert answer.headers["content-type"] == "application/problem+json"

    send()
