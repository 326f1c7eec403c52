"""Which sentences the server can say to somebody at the page, read from its sources.

They are raised as errors, given as reasons, or kept as what a setting means; a place in them that is filled in is `{}`.
"""

import ast
import gc
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from prime.store.disk import HINTS

SOURCES = Path(__file__).parents[2] / "src" / "prime"

# Whose words are shown in the page. What is not here speaks to programs, models, other agents or a terminal.
SHOWN = (
    *("accounts/guests.py", "accounts/links.py", "accounts/mail.py", "accounts/push/push.py"),
    *("accounts/sessions.py", "accounts/signing_in.py"),
    *("brain/facts/keys.py", "brain/notes", "brain/reading", "brain/recall"),
    *("connectors/connectors.py", "connectors/contract.py", "connectors/rest.py", "connectors/values.py"),
    *("connectors/profiles", "connectors/publish"),
    *("core/bad_text.py", "core/fences.py", "core/frontmatter.py", "core/http/refusal.py", "core/http/transport.py"),
    *("core/json_text.py", "core/rate.py", "core/settings.py", "core/yaml_text.py"),
    *("dialogs/dialogs.py", "dialogs/opening.py", "dialogs/scripts", "dialogs/turn.py", "dialogs/turns"),
    *("gateway/behind", "gateway/tokens.py"),
    *(
        "hub/commands.py",
        "hub/connector.py",
        "hub/directive",
        "hub/gate",
        "hub/learning.py",
        "hub/metrics",
        "hub/spending.py",
        "hub/swarm",
    ),
    *("mind/connection.py", "mind/model/errors.py", "mind/model/spec.py", "mind/present.py", "mind/spend.py"),
    *("network/contacts.py", "network/directory/index.py", "network/names.py", "network/peer.py", "network/threads.py"),
    "rooms",
    *("tools/argv.py", "tools/batch.py", "tools/batching.py", "tools/catalog.py", "tools/execution", "tools/policy"),
    *(
        "tools/pipeline/approvals.py",
        "tools/pipeline/approving.py",
        "tools/pipeline/check.py",
        "tools/pipeline/failing.py",
    ),
    *("tools/pipeline/patterns.py", "tools/pipeline/pipeline.py", "tools/pipeline/stages.py", "tools/workshop.py"),
    *("web/bodies.py", "web/cursor.py", "web/errors.py", "web/gate.py", "web/guest.py", "web/routes"),
)
# Inside those, what nobody reads in the page.
ELSEWHERE = (
    "connectors/profiles/story.py",  # an invented correspondence
    "connectors/publish/tool.py",  # a description for models
    "gateway/behind/importing.py",  # `prime mcp import`
    "hub/directive/updates.py",  # said in the owner's room, in the language that is spoken there
    "hub/gate/style.py",  # for the model
    "web/routes/network.py",  # between agents
    "web/routes/telegram.py",  # to Telegram
)
# The document above every conversation; its headings name the parts of what a model is shown.
CONTEXT = SOURCES / "dialogs" / "context.md"
_SENTENCE = re.compile(r"[A-Z{`'“].* .*[.?…]", re.DOTALL)
_MAIL = "It works once, within fifteen minutes"


@cache
def _trees() -> dict[str, ast.Module]:
    # In Python 3.11 a tree that is being made fails when another is made meanwhile, and the collector may come to free
    # something that prints a traceback, for which Python reads the line in question.
    collects = gc.isenabled()
    gc.disable()
    try:
        return {str(path.relative_to(SOURCES)): ast.parse(path.read_text()) for path in sorted(SOURCES.rglob("*.py"))}
    finally:
        if collects:
            gc.enable()


def _base_name(base: ast.expr) -> str:
    return base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""


@cache
def _errors() -> dict[str, str]:
    """Every class of error, by name, with its code."""
    classes = [node for tree in _trees().values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    found = {"PrimeError": "internal_error"}
    while True:
        new = {
            node.name: _own_code(node) or found[parent]
            for node in classes
            if node.name not in found and (parent := next((n for b in node.bases if (n := _base_name(b)) in found), ""))
        }
        if not new:
            return found
        found |= new


def _own_code(node: ast.ClassDef) -> str | None:
    for line in node.body:
        target = (
            line.targets[0]
            if isinstance(line, ast.Assign)
            else line.target
            if isinstance(line, ast.AnnAssign)
            else None
        )
        if isinstance(target, ast.Name) and target.id == "code" and isinstance(line, ast.Assign | ast.AnnAssign):
            return line.value.value if isinstance(line.value, ast.Constant) else None  # type: ignore[return-value]
    return None


def _templates(value: ast.expr | None) -> Iterator[str]:
    """The text of an expression with `{}` for what is filled in; both texts of a choice."""
    match value:
        case ast.Constant(value=str(text)):
            yield re.sub(r"\{[a-z_]+\}", "{}", text)  # filled in later by format()
        case ast.JoinedStr(values=values):
            yield "".join(str(v.value) if isinstance(v, ast.Constant) else "{}" for v in values)
        case ast.IfExp(body=body, orelse=orelse):
            yield from _templates(body)
            yield from _templates(orelse)
        case ast.Call(func=ast.Attribute(value=inner, attr="strip" | "rstrip")):
            yield from _templates(inner)
        case _:
            pass


def _raised(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := _base_name(node.func)) in _errors():
            yield name, node


def _shown(name: str) -> bool:
    return name not in ELSEWHERE and any(name == place or name.startswith(place + "/") for place in SHOWN)


def codes() -> set[str]:
    """Every code of an error, of a class or given where it is raised, and every code of a reason."""
    found = set(_errors().values())
    for tree in _trees().values():
        for _, call in _raised(tree):
            found.update(t for k in call.keywords if k.arg == "code" for t in _templates(k.value) if "{" not in t)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _base_name(node.func) in {"ask", "deny", "Danger"} and node.args:
                found.update(t for t in _templates(node.args[0]) if re.fullmatch(r"[a-z]+(_[a-z]+)*", t))
    return found


def sentences() -> dict[str, str]:
    """What can be said in the page, each with the file that says it."""
    found: dict[str, str] = {}
    for name, tree in _trees().items():
        if _shown(name):
            for text in _sentences_of(tree):
                found.setdefault(text, name)
    return found | dict.fromkeys(part_names(), CONTEXT.name) | dict.fromkeys(troubles(), "store/disk.py")


def part_names() -> list[str]:
    """How the parts of what a model is shown are called."""
    return [*re.findall(r"^#{1,2} +(.+?) *$", CONTEXT.read_text(), re.MULTILINE), "History"]


def troubles() -> list[str]:
    """What a full disk and its like are told as: what could not be done, why in the system's words, and what to do."""
    calls = (node for tree in _trees().values() for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args)
    told = [
        call.args[0] for call in calls if isinstance(call.func, ast.Name) and call.func.id in {"telling", "trouble"}
    ]
    reasons = [os.strerror(number) for number in HINTS]
    return [*(f"{what}: {{}}." for each in told for what in _templates(each)), *reasons, *set(HINTS.values())]


def _sentences_of(tree: ast.Module) -> Iterator[str]:
    for _, call in _raised(tree):
        hints = (k.value for k in call.keywords if k.arg == "hint")
        for value in (*call.args[:1], *hints):
            yield from (text for text in _templates(value) if re.search("[A-Za-z]", text.replace("{}", "")))
    passed_over = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    passed_over |= {id(v) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for v in n.values}
    for node in ast.walk(tree):
        if id(node) not in passed_over and isinstance(node, ast.Constant | ast.JoinedStr):
            yield from (
                t for t in _templates(node) if _SENTENCE.fullmatch(t) and not t.startswith(_MAIL) and len(t) < 400
            )


def every_text() -> str:
    """All that stands in quotes anywhere, to look whether something is said at all."""
    found = (node.value for tree in _trees().values() for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return "\0".join([*(text for text in found if isinstance(text, str)), *part_names(), *troubles()])
