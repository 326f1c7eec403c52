"""What can go wrong between here and a model, in Prime's own words."""

from prime.core.errors import InvalidInput, PrimeError, RateLimited, TimedOut, Unauthorized, Unavailable


class ModelNonsense(Unavailable):
    """The model answered, twice, with something that is not what was asked for."""

    code = "model_nonsense"


class ModelRefused(InvalidInput):
    """The provider does not take the request: a model that does not exist, a context that is too long."""

    code = "model_refused"


class ModelKeyRefused(Unauthorized):
    """The provider does not take the key."""

    code = "model_key_refused"


def translated(error: Exception, name: str) -> PrimeError:
    """An error of pydantic-ai as one of ours. Only called where a request has failed, so the import costs nothing new."""
    from pydantic_ai import exceptions as theirs

    status = getattr(error, "status_code", None)
    if isinstance(error, theirs.ModelAuthenticationError):
        return ModelKeyRefused(
            f"{name}: the key was refused (HTTP {status}).", hint="Check the key, and that it may use this model."
        )
    if isinstance(error, theirs.ModelRateLimitError | theirs.ModelQuotaExceededError):
        return RateLimited(
            f"{name}: too many requests, or the quota is used up.", hint="Wait, or use another model.", retryAfter=30
        )
    if isinstance(error, theirs.ModelTimeoutError | theirs.ModelRequestTimeout | TimeoutError):
        return TimedOut(f"{name} did not answer in time.", hint="Try again, or use a quicker model.")
    if isinstance(error, theirs.ModelNotFoundError):
        return ModelRefused(f"{name}: there is no such model at the provider.", hint="Check the model's name.")
    if isinstance(error, theirs.ModelRequestRejectedError):
        return ModelRefused(
            f"{name} refused the request (HTTP {status}).", hint="Check the model's name and what it takes."
        )
    if isinstance(error, theirs.ModelConnectionError):
        return Unavailable(f"{name} cannot be reached.", hint="Check the address and the network.")
    if isinstance(error, theirs.UnexpectedModelBehavior):
        return ModelNonsense(
            f"{name} answered with something that cannot be read.", hint="Try again, or use another model."
        )
    return Unavailable(
        f"{name} failed: {type(error).__name__}{f' (HTTP {status})' if status else ''}.", hint="Try again later."
    )


def is_passing(error: PrimeError, status: int | None) -> bool:
    """Whether trying again may help."""
    if isinstance(error, RateLimited | TimedOut):
        return True
    return isinstance(error, Unavailable) and not isinstance(error, ModelNonsense) and (status is None or status >= 500)
