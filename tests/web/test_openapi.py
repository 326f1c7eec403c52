"""The OpenAPI document is complete, and what it says is what happens: schemathesis tries it."""

from typing import Protocol

import httpx2

from prime.app import Prime


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient


async def test_every_body_and_answer_is_typed(site: Site) -> None:
    document = (await site.http.get("/openapi.json")).json()
    assert document["info"]["title"] == "Prime"
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            where = f"{method} {path}"
            assert {"400", "401", "404"} <= set(operation["responses"]), where
            assert "422" not in operation["responses"], where
            for status, response in operation["responses"].items():
                if status.startswith("2") and path not in {"/events", "/api/attachments/{attachment_id}"}:
                    assert response["content"]["application/json"]["schema"], where
                elif status[0] in "45":
                    shape = response["content"]["application/json"]["schema"]["$ref"]
                    assert shape == "#/components/schemas/ErrorAnswer", where
            if method in {"post", "put", "patch"} and "requestBody" in operation:
                [content] = operation["requestBody"]["content"].values()
                assert "$ref" in content["schema"], where
