"""What can go wrong between here and a model, in Prime's own words."""

import logging
from http import HTTPStatus

from prime.core.errors import InvalidInput, PrimeError, RateLimited, TimedOut, Unauthorized, Unavailable

log = logging.getLogger(__name__)


class ModelNonsense(Unavailable):
    """The model answered with something that is not what was asked for."""

    code = "model_nonsense"


class ModelRefused(InvalidInput):
    """The provider does not take the request: a model that does not exist, a context that is too long."""

    code = "model_refused"


class ModelUnknown(ModelRefused):
    """There is no such model at the provider, or nothing at all where it would be."""


class ModelKeyRefused(Unauthorized):
    """The provider does not take the key."""

    code = "model_key_refused"


def translated(error: Exception, name: str) -> PrimeError:
    """An error of a request as one of ours. Only called where one has failed, so the imports cost nothing new.

    What is no error of a request at all is what the packages between here and the provider make of an answer that has another
    shape than they take for granted: JSON that is a list, a stream of nulls.
    """
    import httpx2
    from pydantic_ai import exceptions as theirs

    # Pictures fail by their status alone, all else by a class of its own as well.
    status = getattr(error, "status_code", None)
    if (
        isinstance(error, theirs.ModelRateLimitError | theirs.ModelQuotaExceededError)
        or status == HTTPStatus.TOO_MANY_REQUESTS
    ):
        return RateLimited(
            f"{name}: too many requests, or the quota is used up.", hint="Wait, or use another model.", retryAfter=30
        )
    if isinstance(error, theirs.ModelAuthenticationError) or status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return ModelKeyRefused(
            f"{name}: the key was refused (HTTP {status}).", hint="Check the key, and that it may use this model."
        )
    if isinstance(error, theirs.ModelTimeoutError | theirs.ModelRequestTimeout | TimeoutError):
        return TimedOut(f"{name} did not answer in time.", hint="Try again, or use a quicker model.")
    rejected = isinstance(error, theirs.ModelRequestRejectedError | theirs.ContentFilterError)
    if rejected or (status and status < HTTPStatus.INTERNAL_SERVER_ERROR):
        return _refused(error, name, status)
    if isinstance(error, theirs.ModelConnectionError):
        return Unavailable(f"{name} cannot be reached.", hint="Check the address and the network.")
    known = isinstance(error, theirs.AgentRunError | httpx2.HTTPError | OSError)
    if not known or isinstance(error, theirs.UnexpectedModelBehavior):
        log.log(logging.DEBUG if known else logging.WARNING, "%s gave an answer of another shape", name, exc_info=error)
        return unreadable(name)
    return Unavailable(
        f"{name} failed: {type(error).__name__}{f' (HTTP {status})' if status else ''}.", hint="Try again later."
    )


def _refused(error: Exception, name: str, status: int | None) -> ModelRefused:
    from pydantic_ai import exceptions as theirs

    if isinstance(error, theirs.ContentFilterError):
        return declined(name)
    if isinstance(error, theirs.ModelNotFoundError) or status == HTTPStatus.NOT_FOUND:
        return ModelUnknown(f"{name}: there is no such model at the provider.", hint="Check the model's name.")
    return ModelRefused(
        f"{name} refused the request (HTTP {status}).", hint="Check the model's name and what it takes."
    )


def declined(name: str) -> ModelRefused:
    return ModelRefused(f"{name} declined to answer.", hint="Word it differently, or use another model.")


def unreadable(name: str) -> ModelNonsense:
    return ModelNonsense(
        f"{name} answered with something that cannot be read.", hint="Try again, or use another model."
    )


def is_passing(error: PrimeError, status: int | None) -> bool:
    """Whether trying again may help."""
    if isinstance(error, RateLimited | TimedOut):
        return True
    return isinstance(error, Unavailable) and not isinstance(error, ModelNonsense) and (status is None or status >= 500)
