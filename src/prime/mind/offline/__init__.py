"""The offline engine: deterministic, without network or weights. It works by rules and never pretends to be a model."""

from prime.mind.offline.mind import OfflineMind

__all__ = ["OfflineMind"]
