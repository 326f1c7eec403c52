"""The documents in docs/tool-safety.md are real ones."""

import json
import re
from pathlib import Path

import pytest

from prime.tools.policy import Delegation, Policy

PAGE = (Path(__file__).parents[3] / "docs" / "tool-safety.md").read_text()
BLOCKS = dict(re.findall(r"## (\w+(?: \w+)*)\n(?:(?!\n## ).)*?```\w+\n(.*?)```", PAGE, re.DOTALL))


def test_the_policy_shown_is_one():
    policy = Policy.from_json(json.loads(BLOCKS["The policy"]))
    assert (policy.network, policy.destructive, policy.billable) == ("allow", "ask", "deny")
    assert policy.delegation is not None


def test_the_delegation_shown_is_one():
    assert Delegation.from_json(json.loads(BLOCKS["Delegation"])).denied_commands == ("gh repo delete",)


def test_the_python_shown_runs(capsys: pytest.CaptureFixture[str]):
    exec(compile(BLOCKS["From Python"], "tool-safety.md", "exec"), {})
    assert capsys.readouterr().out == "ask ('destructive', 'write', 'effect_unknown')\n"
