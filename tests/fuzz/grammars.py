# ruff: noqa: E501  (a rule stands on a line, and its letters are odd on purpose)
"""Inputs that nobody wrote and that are nearly right: grown from a grammar for each reader.

Damage to an example stays near the example. A grammar puts together what is allowed, singly, in ways that nobody thought of:
names that become the same, numbers at the edge, fences in fences, one secret inside another.
A rule's alternatives are texts in which `{name}` stands for another rule. The first alternative ends; it is taken when the text
has grown deep.
"""

import random
import re

Grammar = dict[str, list[str]]

DEEPEST = 12
LONGEST = 6_000

_JSON: Grammar = {
    "value": ['"{text}"', "{number}", "null", "true", "false", "[]", "{{}}", "[{values}]", "{{{fields}}}"],
    "values": ["{value}", "{value}, {values}"],
    "fields": ['"{text}": {value}', '"{text}": {value}, {fields}'],
    "number": ["0", "-0", "-0.0", "1", "1.0", "1e0", "9007199254740993", "-1e-7", "1e308", "123456789012345678901234567890"],
    "text": ["a", "", " ", "\\u0000", "\\ud83d", "😀", "\\uffff", "ﬁ", "e\u0301", "é", "__proto__", "{text}{text}", "a.b/c~d", "-"],
}  # fmt: skip
_SPOKEN: Grammar = {
    "start": ["{sentence}", "{sentence} {start}", "{sentence}\n{start}"],
    "sentence": ["{word}.", "{word} {words}{end}", "{who} {verb} {words}{end}", "{cjk}{end}"],
    "words": ["{word}", "{word} {words}", "{word}, {words}", "{sum}", "{sum} {words}", "{when} {words}", "{link}"],
    "word": ["lamp", "don't", "not", "no", "O'Neill", "co-op", "A.B.C", "naïve", "ＬＡＭＰ", "ﬁ", "İ", "ß", "\u200b", "50%"],
    "who": ["We", "Ann Lee", "Prime", "They", "我们", "李雷"],
    "verb": ["ship", "pay", "never pay", "will have paid", "agreed to", "is", "是", "同意"],
    "sum": ["{cur}{digits}", "{digits} {cur}", "{digits}k{cur}", "{digits} to {digits} {cur}", "三万五千{cjk}", "{digits}%", "-{digits}"],
    "digits": ["1", "1,200", "1.200,50", "12.5", "0", "1e9", "１２", "٣", "1 000", "999999999999999999999", "½", "1'000"],
    "cur": ["€", "EUR", "$", "US$", "元", "GBP", "kr", "¥"],
    "when": ["on Friday", "3 March 2026", "31/02/2026", "2026-13-01", "tomorrow at 25:61", "in 3 weeks", "下周五", "三月三日", "Q5 2026"],
    "link": ["https://example.org/a?b=c#d", "a@b.example", "+33 1 23 45 67 89", "http://[::1]:80/x", "www.例子.中国"],
    "cjk": ["底价是三万", "好", "我们下周五发货", "，", "。"],
    "end": [".", "!", "?", "…", "。", "!?", "", ";", ".)"],
}  # fmt: skip

GRAMMARS: dict[str, Grammar] = {
    "atip-document": _JSON | {
        "start": ['{{"atip": {atip}, "name": "{name}", "version": "1", "description": "{text}"{more}, "commands": {{{commands}}}}}'],
        "atip": ['"0.3"', '{{"version": "0.3", "features": ["partial-discovery"]}}', '"0.1"', '"0.6.1"'],
        "more": ["", ', "globalOptions": [{options}]', ', "effects": {{{effect}}}', ', "partial": true, "totalCommands": {number}'],
        "name": ["a", "a-b", "a_b", "A", "a.b", "ab", "prime", "é", "{name}{name}{name}{name}"],
        "commands": ['"{name}": {command}', '"{name}": {command}, {commands}', '"": {command}'],
        "command": ['{{"description": "{text}"}}', '{{"description": "{text}", "commands": {{{commands}}}, "effects": {{{effect}}}}}',
                    '{{"description": "[🔒 READ-ONLY] {text}", "arguments": [{arguments}], "options": [{options}], "effects": {{{effect}}}}}'],
        "arguments": ['{{"name": "{name}", "type": "{type}"}}', '{{"name": "{name}", "type": "{type}", "variadic": true}}, {arguments}'],
        "options": ['{{"name": "{name}", "flags": ["--{name}"], "type": "{type}"}}',
                    '{{"name": "{name}", "flags": ["-{name}", "--{name}"], "type": "enum", "enum": [{values}], "default": {value}}}, {options}',
                    '{{"name": "{name}", "flags": ["--{name}"], "type": "{type}", "required": true, "x-position": {number}}}, {options}'],
        "type": ["string", "integer", "number", "boolean", "file", "directory", "url", "array", "object"],
        "effect": ['"destructive": {yes}', '"network": {yes}, {effect}', '"filesystem": {{"write": {yes}, "delete": {yes}}}, {effect}',
                   '"creates": ["{text}"], {effect}', '"cost": {{"billable": {yes}}}, {effect}'],
        "yes": ["true", "false", "null"],
    },
    "startup-script": {
        "start": ["{record}", "---\nkind: agent_priming_script\nversion: 3\ntitle: {word}\n---\n\n{records}", "# {word}\n\n{records}"],
        "records": ["{record}", "{record}\n\n{records}", "## {word}\n\n{records}"],
        "record": ["### record human_text_record\n\n{open}markdown\n---\ngenseq: {n}\nmsgId: {word}\ngrammar: markdown\n---\n\n{body}\n{close}\n",
                   "### record agent_words_record\n\n{open}markdown\n---\ngenseq: {n}\n---\n\n{body}\n{close}\n",
                   '### record func_call_record\n\n```json\n{{"genseq": {n}, "id": "{word}", "name": "{word}", "arguments": {{"{word}": {n}}}}}\n```\n',
                   "### record func_result_record\n\n{open}markdown\n---\ngenseq: {n}\nid: {word}\nname: {word}\n---\n\n{body}\n{close}\n",
                   "### record gen_start_record\n\n{open}markdown\n---\ngenseq: {n}\n---\n{close}\n"],
        "open": ["``````", "```", "~~~~", "`````````"],
        "close": ["``````", "```", "~~~~~~", "`````````   "],
        "n": ["1", "0", "2", "-1", "1.0", "007", "9999999999999"],
        "word": ["a", "中文", '"quoted: x"', "null", "1", "~", "- a", "{{x}}", "a: b", "'", "true", "2026-01-01"],
        "body": ["x", "", "---", "---\na: b\n---", "### record x", "```\ncode\n```", "{body}\n{body}", "  {body}", "~~~~~~~", "\u2028x", "\\```"],
    },
    "frontmatter": {
        "start": ["---\n{lines}---\n{body}", "\ufeff---\r\n{lines}---\r\n{body}"],
        "lines": ["{line}\n", "{line}\n{lines}", "# x\n{lines}"],
        "line": ["{key}: {scalar}", "{key}:\n  - {scalar}\n  - {key}: {scalar}", "{key}: [{scalar}, {scalar}]", "{key}: {{{key}: {scalar}}}",
                 "{key}: |-\n  {scalar}\n\n   {scalar}", "{key}: >\n  {scalar}\n  {scalar}", "{key}: &x {scalar}", "{key}: *x", "? {key}\n: {scalar}"],
        "key": ["a", "b", "a b", '"q"', "'q'", "1", "null", "~", "yes", "é", "a.b", "<<"],
        "scalar": ["x", "1", "01", "0o7", "0x1F", "1_000", ".inf", "-.5", "1e3", "yes", "No", "null", "~", "''", '""', '"\\x41\\u00e9"', "'it''s'",
                   "2026-01-01", "12:30:45", "a #b", "a: b", "!x y", "@a", "`a`", "%a", "- -", "{{a: 1}}", "[", "\t", "+1", "1.", "0.10"],
        "body": ["x", "---", ""],
    },
    "fences": {
        "start": ["{line}\n", "{line}\n{start}"],
        "line": ["x", "{space}{mark}", "{space}{mark}{info}", "> {line}", "- {line}", ""],
        "space": ["", " ", "   ", "    ", "\t", "\u00a0"],
        "mark": ["```", "~~~", "````", "~~~~~", "``", "`````` "],
        "info": ["", "json", " a `b`", " ~", "markdown\r"],
    },
    "prime-message": _JSON | {
        "start": ['{{"text": "{text}"}}', '{{"text": "x{text}", {parts}}}'],
        "parts": ['"id": "{text}"', '"from": {{{fields}}}, {parts}', '"threadId": {value}, {parts}', '"attachments": [{attachments}], {parts}',
                  '"callbackUrl": "{url}", {parts}', '"taskId": "{text}", {parts}'],
        "attachments": ['"{url}"', '{{"url": "{url}", "name": "{text}", "mediaType": "{text}"}}, {attachments}'],
        "url": ["https://a.example/x", "http://[::1]/", "HTTPS://A", "ftp://a", "http://", "https://a\\u0000", "//a", "https://é.example/%zz", "javascript:x"],
    },
    "a2a-sending": _JSON | {
        "start": ['{{"message": {{"messageId": "m", "role": "{role}", "parts": [{parts}]{more}}}{outer}}}'],
        "role": ["user", "ROLE_USER", "agent", "ROLE_UNSPECIFIED", "{text}"],
        "parts": ['{{"kind": "text", "text": "x{text}"}}', '{{"text": "x"}}, {parts}', '{{"data": {value}}}, {parts}', '{{"raw": "{b64}", "filename": "{text}"}}, {parts}',
                  '{{"kind": "file", "file": {{"bytes": "{b64}", "mimeType": "{text}"}}}}, {parts}', '{{"url": "https://a.example/", "mediaType": "{text}"}}, {parts}',
                  '{{"kind": "data", "data": {value}, "metadata": {value}}}, {parts}'],
        "b64": ["aGk=", "aGk", "", "====", "a-_b", "é", "aGk=\\n"],
        "more": ["", ', "contextId": {value}', ', "taskId": "{text}"', ', "referenceTaskIds": [{values}]', ', "extensions": {value}'],
        "outer": ["", ', "configuration": {{{fields}}}', ', "configuration": {{"historyLength": {number}, "blocking": {value}}}', ', "metadata": {value}'],
    },
    "mcp-frame": _JSON | {
        "start": ["{frame}", "[{frames}]", "[]"],
        "frames": ["{frame}", "{frame}, {frames}", "{value}, {frames}"],
        "frame": ['{{"jsonrpc": "2.0", "id": {id}, "method": "ping"}}', '{{"jsonrpc": "2.0", "id": {id}, "result": {{"tools": [{tools}]}}}}',
                  '{{"jsonrpc": "2.0", "id": {id}, "error": {value}}}', '{{"jsonrpc": "2.0", "method": "{text}", "params": {value}}}',
                  '{{"jsonrpc": "2.0", "id": {id}, "id": {id}, "method": "tools/call", "params": {{"name": {value}, "arguments": {value}}}}}'],
        "id": ["1", '"1"', "1.0", "null", "true", "-1", '""', "[]", "18446744073709551616", "1e400"],
        "tools": ['{{"name": "{text}", "inputSchema": {{"type": "object"}}}}', '{{"name": {value}, "description": {value}, "inputSchema": {value}}}, {tools}',
                  '{{"name": "t", "inputSchema": {{"type": "object", "properties": {value}, "required": {value}}}, "annotations": {value}}}, {tools}'],
    },
    "help-text": {
        "start": ["{usage}\n\n{sections}", "{word}\n{usage}\n{sections}", "{sections}"],
        "usage": ["Usage: notes [OPTIONS]", "usage: notes [-h] [--{name} {meta}] {{{name},{name}}} ...", "USAGE\n    notes <{name}> [<{name}>...] [--] [args]",
                  "Usage:\n  notes {name} [flags]\n  notes [command]", "Usage: notes [{name}|{name}"],
        "sections": ["{section}", "{section}\n{sections}"],
        "section": ["Options:\n{lines}", "Commands:\n{commands}", "{word}:\n{lines}", "Available Commands:\n{commands}", "positional arguments:\n{commands}", "\x1b[1mFLAGS\x1b[0m\n{lines}"],
        "lines": ["  {option}\n", "  {option}\n{lines}", "\t{option}\n{lines}", "      {word} {word}\n{lines}", "\n{lines}"],
        "option": ["-{letter}, --{name} {meta}    {word} {note}", "--{name}[={meta}]  {word}", "--[no-]{name}\t{word}", "-{letter}{meta}", "--{name} {{a,b,{name}}}   {note}",
                   "/{letter}  {word}", "--{name}=<{meta}> | -{letter}  x", "--{name}, --{name}  {word}"],
        "commands": ["  {name}   {word}\n", "  {name}, {letter}  {word}\n{commands}", "    {name} ({letter})   {word} {note}\n{commands}", "  {{{name}}}\n{commands}"],
        "name": ["a", "no-color", "a_b", "Äb", "help", "version", "{name}-{name}", "0", "a.b"],
        "letter": ["a", "h", "?", "1", "é", "-"],
        "meta": ["FILE", "<n>", "[WORD]", "N...", "a|b", "{{a,b}}", "string", "KEY=VALUE", ""],
        "note": ["", "[default: a]", "(default 3)", "[required]", "[default: ]", "(one of: a, b)", "[env var: X]", "[deprecated]"],
        "word": ["Say nothing.", "x", "中文", "Use --{name} instead", "", "word:"],
    },
    "search": {
        "start": ["{term}", "{term} {start}", "{term}  {start}"],
        "term": ["lamp", '"{words}"', "-{term}", "{field}:{value}", "{field}:", '{field}:"{words}"', "“{words}”", "‘{words}’", "'{words}", "价格{term}", "(", "OR", "AND", "*", ":", "--", "who said {term}?"],
        "words": ["a", "a b", "lamp {words}", "", "价 格", "the", "\t"],
        "field": ["from", "in", "kind", "before", "after", "on", "FROM", "ｆｒｏｍ", "x"],
        "value": ["a", "2026", "2026-02-30", "2026-03", "yesterday", "last week", "0000", "99999", "ch_x", "me", "-1", "note", "三月"],
    },
    "tool-output": _JSON | {
        "start": ["{line}\n", "{line}\n{start}", "{line}\r\n{start}", "{line}"],
        "line": ["log", "{{{fields}}}", '{{"content": [{blocks}]{more}}}', '{{"value": {value}}}', "{value}", "", "NaN", "\ufeff{{}}", " {{}} ", '{{"isError": {value}}}'],
        "blocks": ['{{"type": "text", "text": "{text}"}}', '{{"type": "image", "data": "{text}", "mimeType": "{text}"}}, {blocks}', '{{"type": "json", "json": {value}}}, {blocks}',
                   '{{"type": "resource", "resource": {{"uri": "{text}", "text": {value}}}}}, {blocks}', '{{"type": "resource_link", "uri": "{text}", "name": "{text}"}}, {blocks}', "{value}, {blocks}"],
        "more": ["", ', "isError": {value}', ', "structuredContent": {value}', ', "structuredContent": {{{fields}}}', ', "_meta": {value}'],
    },
    "canonical-json": _JSON | {"start": ["{value}", "[{values}]", "{{{fields}}}"]},
    "redaction": {
        "start": ["{piece}", "{piece}{gap}{start}"],
        "gap": ["", " ", "\n", "\\n", '"', "'", "&", ",", "; "],
        "piece": ["x", "{key}{is}{secret}", "{secret}", "https://{word}:{secret}@a.example/?{key}={secret}", "Authorization: {scheme} {secret}", '{{"{key}": "{secret}"}}',
                  "-----BEGIN {word} PRIVATE KEY-----{gap}{secret}{gap}-----END {word} PRIVATE KEY-----", "-----BEGIN", "[redacted]", "--{key} {secret}", "<{key}>{secret}</{key}>"],
        "key": ["password", "api_key", "TOKEN", "client-secret", "passwd", "key", "pass word", "Passwort"],
        "is": ["=", ": ", " = ", ":=", "=>", '="', "%3D", " is "],
        "scheme": ["Bearer", "Basic", "bearer", "Digest", ""],
        "word": ["a", "RSA", "EC", "me%40x", "é"],
        "secret": ["hunter2", "sk-abcdefghijklmnopqrstuvwxyz0123456789", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "AKIAABCDEFGHIJKLMNOP", "xoxb-123456789012-abcdefghijkl",
                   "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijk_-lmnop", "AIzaSyA-abcdefghijklmnopqrstuvwxyz01234", "123456789:AAabcdefghijklmnopqrstuvwxyz0123456", "{secret}{secret}", 'Tr0ub4dor&3 "quoted"', "Tr0ub4dor\\u00263"],
    },
    "clamp": _SPOKEN | {
        "word": [*_SPOKEN["word"], "margin", "our floor price", "walk-away", "底价", "m a r g i n", "mar\u00adgin", "ｍａｒｇｉｎ", "Marge", "budget"],
    },
    "talk": _SPOKEN,
    "words": _SPOKEN,
    "class-matching": _SPOKEN,
    "openai-calls": _JSON | {
        "start": ['{{"choices": [{{"message": {{"tool_calls": [{calls}]}}}}]}}', '{{"output": [{items}]}}'],
        "calls": ['{{"id": {value}, "function": {{"name": "a", "arguments": "{{}}"}}}}', '{{"id": "c", "type": "{text}", "function": {{"name": {value}, "arguments": {value}}}}}, {calls}',
                  '{{"id": "c", "function": {{"name": "a", "arguments": "{{\\"x\\": {number}}}"}}}}, {calls}'],
        "items": ['{{"type": "function_call", "call_id": "c", "name": "a", "arguments": "{{}}"}}', '{{"type": "function_call", "call_id": {value}, "name": {value}, "arguments": {value}}}, {items}'],
    },
    "gemini-calls": _JSON | {
        "start": ['{{"candidates": [{{"content": {{"parts": [{parts}]}}}}]}}'],
        "parts": ['{{"functionCall": {{"name": "a", "args": {{}}}}}}', '{{"function_call": {{"name": {value}, "args": {value}}}}}, {parts}', '{{"text": {value}}}, {parts}',
                  '{{"functionCall": {{"id": {value}, "name": "a", "args": {{{fields}}}}}}}, {parts}'],
    },
    "anthropic-calls": _JSON | {
        "start": ['{{"content": [{blocks}]}}'],
        "blocks": ['{{"type": "tool_use", "id": "t", "name": "a", "input": {{}}}}', '{{"type": "tool_use", "id": {value}, "name": {value}, "input": {value}}}, {blocks}', '{{"type": "text", "text": {value}}}, {blocks}'],
    },
    "prime-request": _JSON | {
        "start": ['{{"agentId": "a", "sessionId": "s"{more}}}', '{{"agentId": {value}, "sessionId": {value}{more}}}'],
        "more": ["", ', "userRole": "{role}"', ', "capabilities": {value}{more}', ', "locale": "{locale}"{more}', ', "metadata": {{{fields}}}{more}', ', "{text}": {value}{more}'],
        "role": ["admin", "user", "Admin", "{text}"],
        "locale": ["en", "zh-Hans-CN", "en_US.UTF-8", "x-klingon", "{text}"],
    },
    "delegation": _JSON | {
        "start": ['{{"allowedTools": [{patterns}]}}', '{{"allowedTools": [{patterns}], "deniedCommands": [{patterns}], "effectRestrictions": {{{fields}}}}}', "{{{fields}}}"],
        "patterns": ['"{pattern}"', '"{pattern}", {patterns}', "{value}, {patterns}"],
        "pattern": ["git", "git *", "*", "**", "git push **", "git [a-z]", "", " ", "a\\\\b", "git  push", "{pattern} {pattern}"],
    },
    "a2a-listing": _JSON | {
        "start": ["{{}}", "{{{parts}}}"],
        "parts": ['"pageSize": {value}', '"pageToken": {value}, {parts}', '"status": "{status}", {parts}', '"lastUpdatedAfter": "{time}", {parts}', '"contextId": {value}, {parts}', '"historyLength": {number}, {parts}'],
        "status": ["TASK_STATE_WORKING", "working", "input-required", "{text}"],
        "time": ["2026-01-01T00:00:00Z", "2026-01-01", "9999-12-31T23:59:60Z", "0001-01-01T00:00:00+23:59", "2026-02-30T00:00:00Z", "{text}"],
    },
}  # fmt: skip
# What reads the same as another: doors are given it, too.
ALIKE = {
    "mcp-door": "mcp-frame",
    "prime-message-door": "prime-message",
    "recall-door": "search",
    "upload-door": "tool-output",
    "a2a-door": "mcp-frame",
}

_PLACE = re.compile(r"\{\{|\}\}|\{(\w+)\}")


def grown(name: str, chance: random.Random) -> bytes:
    """One input for this reader."""
    grammar = GRAMMARS[ALIKE.get(name, name)]
    return _grow(grammar, "start", chance, 0).encode("utf-8", "surrogatepass")[:LONGEST]


def _grow(grammar: Grammar, rule: str, chance: random.Random, depth: int) -> str:
    choices = grammar[rule]
    chosen = chance.choice(choices) if depth < DEEPEST else choices[0]
    return _PLACE.sub(lambda found: _filled(grammar, found, chance, depth), chosen)


def _filled(grammar: Grammar, found: "re.Match[str]", chance: random.Random, depth: int) -> str:
    return _grow(grammar, found[1], chance, depth + 1) if found[1] else found[0][0]
