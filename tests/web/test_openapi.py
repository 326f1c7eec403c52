"""The OpenAPI document is complete, and what it says is what happens: schemathesis tries it."""
# pyright: basic
# schemathesis comes with types that are only half known.

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from prime.app import Prime

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
WITHOUT_JSON = {
    "/events",
    "/api/attachments/{attachment_id}",
    "/api/channels/{channel_id}/archive",
    "/api/dialogs/export",
    "/api/export",
    "/metrics",
    "/site/{slug}/{path}",
}


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient


class Serving(Protocol):
    url: str
    data: Path


async def test_every_body_and_answer_is_typed(site: Site) -> None:
    document = (await site.http.get("/openapi.json")).json()
    assert document["info"]["title"] == "Prime"
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            where = f"{method} {path}"
            assert {"400", "401", "404"} <= set(operation["responses"]), where
            assert "422" not in operation["responses"], where
            for status, response in operation["responses"].items():
                shape = response.get("content", {}).get("application/json", {}).get("schema", {})
                if status in {"200", "201"} and path not in WITHOUT_JSON:
                    assert shape, where
                elif status[0] in "45":
                    assert shape == {"$ref": "#/components/schemas/ErrorAnswer"}, f"{where} {status}"
            if "requestBody" in operation:
                [content] = operation["requestBody"]["content"].values()
                schema = content["schema"]
                given, *_ = schema.get("anyOf", [schema])  # a body that may be left out
                assert "$ref" in given, where


@pytest.mark.parametrize("engine", ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)])
def test_schemathesis_finds_no_500_and_nothing_undocumented(
    serve: Callable[..., Serving], request: pytest.FixtureRequest, engine: str
) -> None:
    variables: dict[str, str] = {}
    if engine == "postgresql":
        variables = {"PRIME_DATABASE_URL": request.getfixturevalue("postgresql_url"), "PRIME_SECRET_KEY": "k" * 64}
    schema = schemathesis.openapi.from_url(f"{serve(**variables).url}/openapi.json")
    tried = 0
    for found in schema.get_all_operations():
        operation = found.ok()  # pyright: ignore[reportAttributeAccessIssue]
        # The one has no end, the other asks every program of the machine; both have tests of their own.
        if operation.path in {"/events", "/api/tools/scan"}:
            continue
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            # Any text is a name in a path: half of the time would go into looking for one that is none.
            if mode is GenerationMode.NEGATIVE and not (operation.body or operation.query or operation.headers):
                continue

            @given(case=operation.as_strategy(generation_mode=mode))
            @settings(
                max_examples=3,
                deadline=None,
                database=None,
                derandomize=True,
                phases=[Phase.generate],
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
            )
            def attempt(case: Case) -> None:
                nonlocal tried
                tried += 1
                case.call_and_validate(checks=CHECKS)

            with contextlib.suppress(Unsatisfiable):  # what takes no input has no wrong input
                attempt()
    assert tried > 100
