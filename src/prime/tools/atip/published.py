"""The JSON Schema of ATIP documents that Prime publishes (`prime tools schema`)."""

from functools import cache
from importlib.resources import files


@cache
def published_schema() -> str:
    """The schema's text, as the file in the package has it."""
    return files("prime.tools.atip").joinpath("atip.schema.json").read_text(encoding="utf-8")
