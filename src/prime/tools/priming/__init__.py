"""The Prime Directive, both sides: a tool says how it is to be used before it is used.

What stands here is for a tool's author and needs the standard library only.
"""

from prime.tools.priming.directive import Directive, directive
from prime.tools.priming.request import InvalidPrimeRequest, PrimeRequest
from prime.tools.priming.schemas import prime_schema

__all__ = ["Directive", "InvalidPrimeRequest", "PrimeRequest", "directive", "prime_schema"]
