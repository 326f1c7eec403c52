"""Errors as they leave over HTTP: one shape, one table, translated here and nowhere else."""

import logging
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from prime.core.errors import Forbidden, InvalidInput, NotFound, PrimeError, RateLimited, wire_codes
from prime.core.ids import new_id
from prime.store.disk import trouble

log = logging.getLogger(__name__)

# What is wrong with a body is told up to here: an answer is not larger than what it answers.
MOST_PROBLEMS = 20


class NotAllowed(PrimeError):
    """The path is there, the method is not."""

    code = "method_not_allowed"


def error_response(error: PrimeError, status: int | None = None) -> JSONResponse:
    headers: dict[str, str] = {}
    if isinstance(error, RateLimited) and "retryAfter" in error.data:
        headers["Retry-After"] = str(error.data["retryAfter"])
    return JSONResponse({"error": error.as_json()}, status or wire_codes(error).http, headers)


def add_error_handlers(app: FastAPI) -> None:
    app.add_exception_handler(PrimeError, _prime_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(OSError, _system_error)
    app.add_exception_handler(Exception, _unexpected_error)


async def answer_to(request: Request, error: Exception) -> JSONResponse:
    """What whoever asked is told of an error, outside of FastAPI's handlers."""
    told = _trouble(request, error) or error
    return error_response(told) if isinstance(told, PrimeError) else await _unexpected_error(request, error)


async def _prime_error(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, PrimeError)
    return error_response(error)


async def _validation_error(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    problems = [
        {"field": ".".join(str(part) for part in problem["loc"][1:])[:200], "problem": str(problem["msg"])}
        for problem in error.errors()[:MOST_PROBLEMS]
    ]
    first = problems[0]
    if error.errors()[0]["type"] == "json_invalid":
        return error_response(
            InvalidInput(f"The body is not JSON, from character {first['field']} on.", hint="Mend it.")
        )
    if not first["field"] and error.errors()[0]["type"] == "missing":
        return error_response(InvalidInput("This call needs a JSON body.", hint="Send {} if there is nothing to say."))
    where = f"{first['field']}: " if first["field"] else ""
    return error_response(InvalidInput(f"{where}{first['problem']}.", problems=problems))


async def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    path = request.url.path
    if error.status_code == HTTPStatus.NOT_FOUND:
        return error_response(NotFound(f"There is nothing at {path}.", hint="/openapi.json lists what there is."))
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        refused = error_response(NotAllowed(f"{request.method} is not for {path}."), HTTPStatus.METHOD_NOT_ALLOWED)
        refused.headers.update(error.headers or {})
        return refused
    if error.status_code == HTTPStatus.FORBIDDEN:
        return error_response(Forbidden(str(error.detail)))
    if isinstance(error.__cause__, UnicodeDecodeError):
        return error_response(InvalidInput("JSON must be UTF-8."))
    return error_response(InvalidInput(str(error.detail)), error.status_code)


async def _system_error(request: Request, error: Exception) -> JSONResponse:
    if told := _trouble(request, error):
        return error_response(told)
    raise error  # it is nobody's here: unexpected


def _trouble(request: Request, error: Exception) -> PrimeError | None:
    """What the machine cannot give just now, whoever asked for it: no disk that takes it, no file that may be opened."""
    told = trouble("This cannot be done now", error) if isinstance(error, OSError) else None
    if told:
        log.warning("%s %s was not answered: %s", request.method, request.url.path, error)
    return told


async def _unexpected_error(request: Request, error: Exception) -> JSONResponse:
    # The person gets a name for what happened, the log gets the rest.
    incident = new_id("err")
    log.error("%s %s failed (%s)", request.method, request.url.path, incident, exc_info=error)
    return error_response(
        PrimeError(
            "Something went wrong inside Prime.", hint=f"The server's log has it as {incident}.", incident=incident
        )
    )
