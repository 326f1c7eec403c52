"""How much each model takes at once."""

from dataclasses import dataclass

from prime.mind.tokens import Family, family_of

# Beginning of the model's name, without its provider -> tokens it takes at once. The longest beginning that fits counts.
_WINDOWS: dict[str, int] = {
    "chatgpt": 128_000,
    "claude": 200_000,
    "codex": 200_000,
    "deepseek": 64_000,
    "gemini": 1_000_000,
    "gemma": 128_000,
    "gpt-3.5": 16_000,
    "gpt-4": 8_000,
    "gpt-4-turbo": 128_000,
    "gpt-4.1": 1_000_000,
    "gpt-4o": 128_000,
    "gpt-5": 272_000,
    "grok": 128_000,
    "llama": 8_000,
    "llama-3": 128_000,
    "llama3": 128_000,
    "mistral": 32_000,
    "o1": 128_000,
    "o3": 200_000,
    "o4": 200_000,
    "offline": 16_000,
    "qwen": 32_000,
}
UNKNOWN = 8_000  # what a small local model takes
_MOST_FOR_THE_ANSWER = 16_000
# Every step of every turn pays for the whole context: more than this is not filled, however much a model takes.
MOST = 48_000


@dataclass(frozen=True, slots=True)
class Budget:
    """What of a model's window a context may fill; the rest is left for the answer and for counting errors.

    `model` is the whole name, `provider:model`.
    """

    model: str
    tokens: int
    family: Family


def budget_for(model: str) -> Budget:
    """The budget of `provider:model` or `offline`."""
    # An Ollama name has its size behind another colon: `ollama:qwen3:8b`.
    bare = model.casefold().partition(":")[2] or model.casefold()
    bare = bare.rpartition("/")[2]
    fitting = [name for name in _WINDOWS if bare.startswith(name)]
    window = _WINDOWS[max(fitting, key=len)] if fitting else UNKNOWN
    answer = min(window // 4, _MOST_FOR_THE_ANSWER)
    return Budget(model, min((window - answer) * 95 // 100, MOST), family_of(model))
