"""A Prime with what the official conformance suite expects to find: tool folders, built-ins, resources, prompts.

Run as a program: `python conformance_house.py FOLDER` prints its address and serves until it is ended.
"""

import asyncio
import base64
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import uvicorn

from prime.app import Prime, open_prime
from prime.core.errors import JsonValue, NotFound, PrimeError
from prime.core.settings import Settings
from prime.gateway.link import LINK, Asking, ClientLink
from prime.tools.runtime import RunContext
from prime.tools.tool import NO_PARAMETERS
from prime.web.server import web_socket

Json = dict[str, Any]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
_HEAD = b"RIFF$\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00@\x1f\x00\x00\x01\x00\x08\x00"
SOUND = base64.b64encode(_HEAD + b"data\x00\x00\x00\x00").decode()
HARMLESS = {
    "filesystem": {"read": False, "write": False, "delete": False},
    "network": False,
    "subprocess": False,
    "destructive": False,
    "cost": {"billable": False},
}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def resource(uri: str, mime_type: str, words: str) -> Json:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": words}}


IMAGE = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
# Tools that say the same each time are folders with a manifest and an answer.
FOLDERS: dict[str, Json] = {
    "test_simple_text": {"content": [text("This is a simple text response for testing.")]},
    "test_image_content": {"content": [IMAGE]},
    "test_audio_content": {"content": [{"type": "audio", "data": SOUND, "mimeType": "audio/wav"}]},
    "test_embedded_resource": {"content": [resource("test://embedded-resource", "text/plain", "Embedded.")]},
    "test_multiple_content_types": {
        "content": [
            text("Multiple content types test:"),
            IMAGE,
            resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
        ]
    },
    "test_error_handling": {"content": [text("This tool intentionally returns an error for testing")], "isError": True},
}
PROMPTS = {
    "test_simple_prompt": "---\ndescription: Simple.\n---\nThis is a simple prompt for testing.\n",
    "test_prompt_with_arguments": (
        "---\ndescription: With arguments.\narguments:\n"
        '  - {name: arg1, description: First., required: true, values: ["test value", "testing"]}\n'
        "  - {name: arg2, description: Second., required: true}\n---\n"
        "Prompt with arguments: arg1='{{arg1}}', arg2='{{arg2}}'\n"
    ),
    "test_prompt_with_embedded_resource": (
        "---\ndescription: With a resource.\narguments:\n  - {name: resourceUri, required: true}\n"
        'attach: ["{{resourceUri}}"]\n---\nPlease process the embedded resource above.\n'
    ),
    "test_prompt_with_image": (
        '---\ndescription: With an image.\nattach: ["test://static-binary"]\n---\nPlease analyze the image above.\n'
    ),
    "test_input_required_result_prompt": (
        "---\ndescription: Asks for what it needs.\narguments:\n"
        '  - {name: context, description: Who asks., ask: "What context should the prompt use?"}\n---\n'
        "Use this context: {{context}}\n"
    ),
}


class TestResources:
    begins = "test://"

    async def listed(self) -> list[dict[str, JsonValue]]:
        names = ("static-text", "static-binary", "watched-resource")
        return [{"uri": f"test://{name}", "name": name, "mimeType": "text/plain"} for name in names]

    async def templates(self) -> list[dict[str, JsonValue]]:
        return [{"uriTemplate": "test://template/{id}/data", "name": "template", "mimeType": "application/json"}]

    async def contents(self, uri: str) -> list[dict[str, JsonValue]]:
        name = uri.removeprefix("test://")
        if name == "static-binary":
            return [{"uri": uri, "mimeType": "image/png", "blob": PIXEL}]
        if name.startswith("template/"):
            number = name.split("/")[1]
            words = json.dumps({"id": number, "templateTest": True, "data": f"Data for ID: {number}"})
            return [{"uri": uri, "mimeType": "application/json", "text": words}]
        if name in {"static-text", "watched-resource", "example-resource"}:
            words = "This is the content of the static text resource."
            return [{"uri": uri, "mimeType": "text/plain", "text": words}]
        raise NotFound(f"There is no resource {uri}.", code="unknown_resource", uri=uri)

    async def watch(self, uri: str) -> None:
        await self.contents(uri)


def link() -> ClientLink:
    found = LINK.get()
    assert found is not None
    return found


def form(message: str, properties: Json, required: list[str] | None = None) -> Asking:
    schema: Json = {"type": "object", "properties": properties, "required": required or []}
    return Asking("elicitation/create", {"mode": "form", "message": message, "requestedSchema": schema})


def sample(words: str) -> Asking:
    said = {"role": "user", "content": text(words)}
    return Asking("sampling/createMessage", {"messages": [said], "maxTokens": 100})


NAME = form("What is your name?", {"name": {"type": "string"}}, ["name"])
ROOTS = Asking("roots/list", {})
OK = form("Please confirm.", {"ok": {"type": "boolean"}}, ["ok"])
DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
_OPTIONS = ["option1", "option2", "option3"]
_TITLED = [{"const": f"value{n}", "title": f"{word} Option"} for n, word in enumerate(("First", "Second", "Third"), 1)]
ENUMS = {
    "untitledSingle": {"type": "string", "enum": _OPTIONS},
    "titledSingle": {"type": "string", "oneOf": _TITLED},
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
}
# Tools that ask the client for these, all at once.
ASKING: dict[str, Mapping[str, Asking]] = {
    "test_elicitation_sep1034_defaults": {"answer": form("Review and update.", DEFAULTS)},
    "test_elicitation_sep1330_enums": {"answer": form("Choose.", ENUMS)},
    "test_input_required_result_elicitation": {"user_name": NAME},
    "test_input_required_result_sampling": {"capital": sample("What is the capital of France?")},
    "test_input_required_result_list_roots": {"client_roots": ROOTS},
    "test_input_required_result_request_state": {"confirm": OK},
    "test_input_required_result_tampered_state": {"confirm": OK},
    "test_input_required_result_multiple_inputs": {
        "user_name": NAME,
        "greeting": sample("Generate a greeting."),
        "client_roots": ROOTS,
    },
    "test_streaming_elicitation": {"user_name": NAME},
    "test_missing_capability": {"capital": sample("What is the capital of France?")},
}


def add_tools(prime: Prime) -> None:
    builtins = prime.parts.workshop.builtins
    front = prime.parts.gateway.front
    one = {"type": "object", "properties": {"message": {"type": "string"}, "prompt": {"type": "string"}}}

    async def logging(_arguments: Mapping[str, JsonValue], _context: RunContext) -> JsonValue:
        for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await link().log("info", words)
            await asyncio.sleep(0.05)
        return "Logged."

    async def progress(_arguments: Mapping[str, JsonValue], _context: RunContext) -> JsonValue:
        for done in (0, 50, 100):
            await link().progress(done, 100)
            await asyncio.sleep(0.05)
        return "Done."

    async def sampling(arguments: Mapping[str, JsonValue], _context: RunContext) -> JsonValue:
        answer = (await link().ask({"sample": sample(str(arguments["prompt"]))}))["sample"]
        return f"LLM response: {cast('Json', answer['content'])['text']}"

    async def elicitation(arguments: Mapping[str, JsonValue], _context: RunContext) -> JsonValue:
        properties = {"username": {"type": "string"}, "email": {"type": "string"}}
        answer = (await link().ask({"form": form(str(arguments["message"]), properties)}))["form"]
        return f"User response: {json.dumps(answer)}"

    async def rounds(_arguments: Mapping[str, JsonValue], _context: RunContext) -> JsonValue:
        first = await link().ask({"step1": NAME})
        second = await link().ask({"step2": form("Which colour?", {"color": {"type": "string"}}, ["color"])})
        return json.dumps({**first, **second})

    async def capabilities(_arguments: Mapping[str, JsonValue], _context: RunContext) -> JsonValue:
        every = {
            "elicitation": ("user_name", NAME),
            "sampling": ("greeting", sample("Hello?")),
            "roots": ("roots", ROOTS),
        }
        wanted = dict(found for name, found in every.items() if link().able(name))
        return json.dumps(await link().ask(wanted)) if wanted else "Nothing can be asked."

    async def tool_change(_arguments: Mapping[str, JsonValue], _context: RunContext) -> JsonValue:
        await (await front()).changes.tools_changed()
        return "Told."

    async def prompt_change(_arguments: Mapping[str, JsonValue], _context: RunContext) -> JsonValue:
        await (await front()).changes.prompts_changed()
        return "Told."

    def asks(wanted: Mapping[str, Asking]) -> Any:
        async def ask(_arguments: Mapping[str, JsonValue], _context: RunContext) -> JsonValue:
            return f"Completed: {json.dumps(await link().ask(wanted))} state-ok"

        return ask

    for name, work in (
        ("test_tool_with_logging", logging),
        ("test_logging_tool", logging),
        ("test_tool_with_progress", progress),
        ("test_input_required_result_multi_round", rounds),
        ("test_input_required_result_capabilities", capabilities),
        ("test_trigger_tool_change", tool_change),
        ("test_trigger_prompt_change", prompt_change),
        *((name, asks(wanted)) for name, wanted in ASKING.items()),
    ):
        builtins.add(name, name.replace("_", " "), NO_PARAMETERS, work)
    builtins.add("test_sampling", "Asks the client's model.", one, sampling)
    builtins.add("test_elicitation", "Asks the client's user.", one, elicitation)


def furnish(folder: Path) -> None:
    """The workspace: tool folders and prompts."""
    for name, answer in FOLDERS.items():
        tool = folder / ".prime" / "tools" / name
        tool.mkdir(parents=True)
        manifest = {
            "id": name,
            "name": name,
            "version": "1.0.0",
            "description": name.replace("_", " "),
            "runtime": "process",
            "entry": {"command": "cat", "args": ["answer.json"]},
            "schema": {"parameters": NO_PARAMETERS},
            "effects": HARMLESS,
        }
        (tool / "tool.json").write_text(json.dumps(manifest))
        (tool / "answer.json").write_text(json.dumps(answer) + "\n")
    prompts = folder / ".prime" / "prompts"
    prompts.mkdir(parents=True)
    for name, words in PROMPTS.items():
        (prompts / f"{name}.md").write_text(words)


async def main(folder: Path) -> None:
    workspace = folder / "workspace"
    furnish(workspace)
    settings = Settings.load(
        {"PRIME_DATA": str(folder / "data"), "PRIME_WORKSPACE": str(workspace), "PRIME_PRIMING_MODE": "off"}
    )
    async with open_prime(settings) as prime:
        add_tools(prime)
        prime.parts.gateway.resource_sources.append(TestResources())
        server = uvicorn.Server(uvicorn.Config(prime.app, port=0, log_config=None, ws=cast("Any", web_socket)))
        task = asyncio.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        sys.stdout.write(f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}\n")
        sys.stdout.flush()
        await task


if __name__ == "__main__":
    place = Path(sys.argv[1])
    os.environ["XDG_DATA_HOME"], os.environ["XDG_CONFIG_HOME"] = str(place / "share"), str(place / "config")
    try:
        asyncio.run(main(place))
    except PrimeError as error:
        sys.exit(str(error))
