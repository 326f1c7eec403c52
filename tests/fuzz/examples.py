"""What is fed to readers before it is damaged: one valid example of everything that comes from outside."""

import json

DOCUMENT = json.dumps(
    {
        "atip": {"version": "0.3", "features": ["partial-discovery"]},
        "name": "notes",
        "version": "1.0",
        "description": "Keeps notes.",
        "globalOptions": [{"name": "quiet", "flags": ["-q", "--quiet"], "type": "boolean"}],
        "commands": {
            "add": {
                "description": "Keep a note.",
                "arguments": [{"name": "text", "type": "string", "variadic": True}],
                "options": [{"name": "tag", "flags": ["--tag"], "type": "enum", "enum": ["a", "b"], "default": "a"}],
                "effects": {"filesystem": {"write": True}, "network": False, "duration": {"timeout": "5s"}},
                "commands": {"many": {"description": "Keep many.", "effects": {"destructive": True}}},
            }
        },
        "patterns": [{"name": "keep", "description": "Keep it.", "steps": [{"command": "notes add"}]}],
    }
)
SCRIPT = """---
kind: agent_priming_script
version: 3
title: 环境探针
---

### record human_text_record

``````markdown
---
genseq: 1
msgId: m1
grammar: markdown
---

Look around; ```code``` stays.
``````

### record func_call_record

```json
{"genseq": 1, "id": "c1", "name": "ls", "arguments": {"path": "."}}
```

### record func_result_record

``````markdown
---
genseq: 1
id: c1
name: ls
---

a.txt
``````
"""
MATTER = """---
title: Notes, "quoted" and 'so'
count: 3
ratio: 0.5
tags: [a, "b: c", {d: null}]
nested:
  - one
  - {two: 2}
long: >-
  folded
  text
---
Body
"""
MESSAGE = json.dumps(
    {
        "id": "m-1",
        "from": {"id": "me", "name": "Me", "tier": "team"},
        "text": "Hello",
        "threadId": "t",
        "attachments": ["https://example.org/a"],
        "callbackUrl": "https://example.org/cb",
    }
)
SENDING = json.dumps(
    {
        "message": {
            "messageId": "m",
            "role": "user",
            "contextId": "c",
            "parts": [
                {"kind": "text", "text": "Hi"},
                {"kind": "file", "file": {"uri": "https://example.org/a.txt", "name": "a"}},
            ],
        },
        "configuration": {"historyLength": 3, "blocking": True},
    }
)
SENDING_1_0 = json.dumps(
    {
        "message": {
            "messageId": "m",
            "role": "ROLE_USER",
            "parts": [{"raw": "aGk=", "filename": "a.txt", "mediaType": "text/plain"}, {"data": {"x": [1, 2.5]}}],
        }
    }
)
LISTING = (
    '{"pageSize": 10, "pageToken": "x", "status": "TASK_STATE_WORKING", "lastUpdatedAfter": "2026-01-01T00:00:00Z"}'
)
HELP = """Usage: notes [OPTIONS] COMMAND [ARGS]...

  Keeps notes.

Options:
  -q, --quiet          Say nothing.
  --tag {a,b}          A word. [default: a]
  --[no-]color         Colours.
  --help               Show this message and exit.

Commands:
  add   Keep a note.
  list  Show them.
"""
OPENAI = '{"choices": [{"message": {"tool_calls": [{"id": "c", "function": {"name": "a_b", "arguments": "{\\"x\\": 1}"}}]}}]}'
GEMINI = '{"candidates": [{"content": {"parts": [{"functionCall": {"name": "a", "args": {"x": [1, null]}}}]}}]}'
ANTHROPIC = '{"content": [{"type": "tool_use", "id": "t", "name": "a", "input": {"x": {"y": 2}}}]}'
PRIMING = '{"agentId": "a", "sessionId": "s", "capabilities": {"x": true}, "locale": "en", "userRole": "admin"}'
DELEGATION = (
    '{"allowedTools": ["git", "ls *"], "deniedCommands": ["git push"], "effectRestrictions": {"network": false}}'
)
QUERY = '"payment terms" from:retailer -draft before:2026-03-01 after:2026 kind:note 价格 in:Deal'
TALK = (
    "We ship 1,200 lamps on Friday, 3 March 2026 to the warehouse in Lyon for EUR 12.50 each; the budget is 20k€. "
    "我们下周五发货到仓库，预算三万五千元，交期两周。 See https://example.org/a?b=c, call +33 1 23 45 67 89."
)
ANSWER = 'log line\n{"content": [{"type": "text", "text": "x"}], "isError": false, "structuredContent": {"a": 1}}\n'
CALL = (
    '{"jsonrpc": "2.0", "id": 7, "method": "tools/call",'
    ' "params": {"name": "a", "arguments": {"x": 1}, "_meta": {"progressToken": 1}}}'
)
BATCH = '[{"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "id": "a", "method": "ping"}]'
TOOLS = (
    '{"jsonrpc": "2.0", "id": 1,'
    ' "result": {"tools": [{"name": "t", "description": "d", "inputSchema": {"type": "object"}}]}}'
)
SECRETS = f"{DOCUMENT} password=hunter2 sk-abcdefghijklmnopqrstuvwxyz0123456789 Authorization: Bearer abc.def-123456"
