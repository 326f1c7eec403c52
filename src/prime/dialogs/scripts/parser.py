"""Startup scripts read from text: strictly, in one pass, with errors that say where and what to do.

The text is walked by offsets; lines are counted only when there is something to complain about.
"""

import re
from collections.abc import Mapping
from typing import NoReturn

from prime.core.bad_text import BadText, decode_utf8, line_and_column, unix_newlines
from prime.core.errors import TooLarge
from prime.core.fences import Fence, read_fence
from prime.core.frontmatter import Split, locate, read_fields, split_frontmatter
from prime.core.json_text import BadJson, Json, read_json
from prime.dialogs.scripts.building import FieldProblem, build, build_header, similar
from prime.dialogs.scripts.fields import SHAPES, RecordShape
from prime.dialogs.scripts.links import broken_link
from prime.dialogs.scripts.records import FuncCall, Record
from prime.dialogs.scripts.script import KIND, VERSION, Header, Script

MAX_BYTES = 32 * 1024 * 1024

_GAP = re.compile(r"(?:[ \t\r]*\n| {0,3}#{1,2}(?:[ \t][^\n]*)?\n)*+")
_HEADING = re.compile(r"(?:[ \t\r]*\n)*+ {0,3}(###)[ \t]+record[ \t]+([^\n]*)\n(?:[ \t\r]*\n)*+")
_LINE = re.compile(r"[^\n]*")
_INFO = {"func_call_record": ("json",)}
_MARKDOWN = ("markdown", "md", "")
_OLD_HEADING = re.compile(r"###[ \t]+(?:user|assistant|human|agent|system|tool)\b", re.IGNORECASE)
_OLD_HINT = "Use `### record human_text_record` for a person, `### record agent_words_record` for the agent."


def parse_script(data: str | bytes, *, path: str | None = None, links: bool = True) -> Script:
    """The script in a text or in a file's bytes; `path` only names it in errors.

    With `links`, tool results must belong to calls (see `links.py`); without, records are taken one by one.
    """
    if len(data) > MAX_BYTES:
        raise too_large(path)
    text = decode_utf8(data, path=path) if isinstance(data, bytes) else data.removeprefix("\ufeff")
    return _Parser(unix_newlines(text), path).script(links=links)


def too_large(path: str | None) -> TooLarge:
    """The error for a script over `MAX_BYTES`."""
    return TooLarge(
        f"{path or 'This script'} has more than {MAX_BYTES // 1024 // 1024} MiB.",
        hint="Split it into several scripts; a dialog can begin with more than one.",
        file=path,
        maxBytes=MAX_BYTES,
    )


class _Parser:
    def __init__(self, text: str, path: str | None) -> None:
        self._text = text if text.endswith("\n") else text + "\n"
        self._path = path
        self._counted = (0, 1)

    def script(self, *, links: bool) -> Script:
        header, position = self._header()
        records: list[Record] = []
        starts: list[int] = []
        end = len(self._text)
        while position < end:
            heading = _HEADING.match(self._text, position)
            if heading is None:
                position = self._skip(position)
                continue
            record, position = self._record(heading)
            records.append(record)
            starts.append(heading.start(1))
        if not records:
            self._fail(end - 1, "There is no record in this script.", expected="a heading `### record <type>`")
        broken = broken_link(records) if links else None
        if broken is not None:
            self._fail(starts[broken.index], broken.message, hint=broken.hint)
        return Script(header=header, records=tuple(records))

    def _header(self) -> tuple[Header, int]:
        split = split_frontmatter(self._text, path=self._path)
        if split is None:
            return Header(), 0
        values = read_fields(split.yaml, path=self._path, first_line=2, max_bytes=MAX_BYTES)
        try:
            _check_kind(values)
            fields = {key: value for key, value in values.items() if key not in {"kind", "version"}}
            return build_header(fields), split.end
        except FieldProblem as problem:
            raise self._field_error(problem, split, 1) from problem

    def _skip(self, position: int) -> int:
        """Past blank lines and # or ## headings; anything else but a record is an error."""
        gap = _GAP.match(self._text, position)
        assert gap is not None
        if gap.end() < len(self._text) and _HEADING.match(self._text, gap.end()) is None:
            self._not_a_record(gap.end())
        return gap.end()

    def _record(self, heading: re.Match[str]) -> tuple[Record, int]:
        named = heading[2].rstrip()
        shape = SHAPES.get(named)
        if shape is None:
            hint = similar(named, SHAPES) or f"Known are: {', '.join(SHAPES)}."
            self._fail(heading.start(2), f"There is no record type {named[:80]!r}.", hint=hint)
        fence = read_fence(self._text, heading.end(), path=self._path)
        infos = _INFO.get(shape.type, _MARKDOWN)
        if fence is None or fence.info.lower() not in infos:
            self._no_block(heading.end(), shape, infos[0])
        if shape.cls is FuncCall:
            return self._from_json(shape, fence), fence.end
        return self._from_markdown(shape, fence), fence.end

    def _from_markdown(self, shape: RecordShape, fence: Fence) -> Record:
        body, line = fence.body, self._line(fence.body_start)
        split = split_frontmatter(body, path=self._path, first_line=line)
        if split is None:
            self._fail(
                fence.body_start,
                f"This block does not begin with frontmatter, which {shape.type} needs.",
                expected="--- on the block's first line, `key: value` lines, and --- again",
            )
        values = read_fields(split.yaml, path=self._path, first_line=line + 1, max_bytes=MAX_BYTES)
        # One empty line sets the text off from the frontmatter; the last line end belongs to the fence.
        start = split.end + 1 if body.startswith("\n", split.end) else split.end
        try:
            return build(shape, values, body[start:-1])
        except FieldProblem as problem:
            raise self._field_error(problem, split, line) from problem

    def _from_json(self, shape: RecordShape, fence: Fence) -> Record:
        try:
            values = read_json(fence.body)
        except BadJson as error:
            self._fail(fence.body_start + error.offset, error.message, expected="one JSON object", hint=error.hint)
        if not isinstance(values, dict):
            self._fail(fence.body_start, "This is JSON, but not an object.", expected="one JSON object")
        if values.pop("type", shape.type) != shape.type:
            hint = f'Write "type": "{shape.type}", or leave it out.'
            self._fail(self._key_offset(fence, "type"), "The JSON's `type` is not the heading's.", hint=hint)
        try:
            return build(shape, values, "")
        except FieldProblem as problem:
            offset = self._key_offset(fence, problem.key)
            self._fail(offset, problem.message, expected=problem.expected, hint=problem.hint)

    def _line(self, offset: int) -> int:
        """The line of an offset that is not before the last one asked for: all calls together count the text once."""
        seen, line = self._counted
        line += self._text.count("\n", seen, offset)
        self._counted = (offset, line)
        return line

    def _key_offset(self, fence: Fence, key: str | None) -> int:
        found = self._text.find(f'"{key}"', fence.body_start, fence.end) if key else -1
        return found if found >= 0 else fence.body_start

    def _not_a_record(self, position: int) -> NoReturn:
        line = _LINE.match(self._text, position)
        assert line is not None
        shown = line.group().strip()
        expected = "a heading `### record <type>`"
        if _OLD_HEADING.match(shown):
            self._fail(position, f"`{shown[:60]}` is a heading of an older format.", expected=expected, hint=_OLD_HINT)
        if shown.startswith(("```", "~~~")):
            hint = "Give it a heading; each record has one block."
            self._fail(position, "This block belongs to no record.", expected=expected, hint=hint)
        hint = "Move text into a record's block; only # and ## headings may stand between records."
        self._fail(position, "This text belongs to no record.", expected=expected, hint=hint)

    def _no_block(self, position: int, shape: RecordShape, info: str) -> NoReturn:
        marks = "```" if info == "json" else "``````"
        self._fail(
            min(position, len(self._text) - 1),
            f"Here the block of {shape.type} must begin.",
            expected=f"a fence such as {marks}{info}",
            hint="Put the fence right below the heading.",
        )

    def _field_error(self, problem: FieldProblem, split: Split, line: int) -> BadText:
        column = 1
        if problem.key is not None:
            line, column = locate(split.yaml, first_line=line + 1, max_bytes=MAX_BYTES).places[problem.key]
        elif problem.in_text:
            line += split.yaml.count("\n") + 2
        return BadText(
            problem.message, line=line, column=column, path=self._path, expected=problem.expected, hint=problem.hint
        )

    def _fail(self, offset: int, message: str, *, expected: str | None = None, hint: str | None = None) -> NoReturn:
        line, column = line_and_column(self._text, offset)
        raise BadText(message, line=line, column=column, path=self._path, expected=expected, hint=hint)


def _check_kind(values: Mapping[str, Json]) -> None:
    if values.get("kind", KIND) != KIND:
        raise FieldProblem("This `kind` is not a startup script's.", key="kind", expected=KIND)
    if type(values.get("version", VERSION)) is not int or values.get("version", VERSION) != VERSION:
        hint = f"Write `version: {VERSION}`."
        raise FieldProblem("This `version` is not known.", key="version", expected=str(VERSION), hint=hint)
