"""Tools in the formats of OpenAI, Gemini and Anthropic, calls and results back and forth (RFC 7 and 8)."""

from prime.tools.providers.calls import PROVIDERS, MalformedArguments, Provider, ToolCall, parse_tool_calls
from prime.tools.providers.compiling import CompiledTools, ResolvedCall, compile_tools
from prime.tools.providers.flags import safety_flags
from prime.tools.providers.merging import STRATEGIES, Strategy
from prime.tools.providers.prompt import patterns_prompt, safety_prompt
from prime.tools.providers.results import CallResult, tool_result_message, tool_result_messages

__all__ = [
    "PROVIDERS",
    "STRATEGIES",
    "CallResult",
    "CompiledTools",
    "MalformedArguments",
    "Provider",
    "ResolvedCall",
    "Strategy",
    "ToolCall",
    "compile_tools",
    "parse_tool_calls",
    "patterns_prompt",
    "safety_flags",
    "safety_prompt",
    "tool_result_message",
    "tool_result_messages",
]
