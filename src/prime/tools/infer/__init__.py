"""Describes a tool from its own help text, where nobody has described it better; effects stay unknown."""

from prime.tools.infer.infer import infer_tool, write_shim
from prime.tools.infer.reader import Help, read_help

__all__ = ["Help", "infer_tool", "read_help", "write_shim"]
