"""`prime serve --demo`, and looking on from the terminal."""

import functools
import json
import os
import subprocess
import time
from pathlib import Path

import httpx2
import pytest
from tests.ready import ReadyPrime


@pytest.mark.holds("D-HUB-22")
def test_a_demo_has_a_project_under_way_and_leaves_nothing_behind(tmp_path: Path, ready_prime: ReadyPrime) -> None:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = ready_prime.start("serve", "--demo", "--port", "0", env=os.environ, cwd=tmp_path, **pipes)
    try:
        assert process.stdout
        url = process.stdout.readline().split()[-1]
        data = Path(process.stdout.readline().split()[-1])
        with httpx2.Client(base_url=url, timeout=30) as http:
            agents = {item["name"] for item in http.get("/api/directory/agents").json()["items"]}
            assert agents == {"Scout (simulated)", "Press & Print (simulated)"}
            begin = time.monotonic()
            while not (kinds := _kinds_in_the_hub(http)) & {"plan"} and time.monotonic() - begin < 60:
                time.sleep(0.1)  # a real process is at work
            assert "plan" in kinds, "the project is under way"
        assert data.is_dir()
        assert "prime-demo-" in data.name
    finally:
        process.terminate()
        _, told = process.communicate(timeout=30)
    assert "nothing of it is kept" in told
    assert not data.exists()


def _kinds_in_the_hub(http: httpx2.Client) -> set[str]:
    return {message["kind"] for message in http.get("/api/channels/ch_hub/messages").json()["items"]}


def test_a_demo_takes_no_data_folder(tmp_path: Path, ready_prime: ReadyPrime) -> None:
    said = ready_prime("serve", "--demo", "--data", str(tmp_path), env=os.environ)
    assert said.returncode == 2
    assert "--demo" in said.stderr


def test_looking_on_and_answering_from_the_terminal(tmp_path: Path, ready_prime: ReadyPrime) -> None:
    chat = functools.partial(ready_prime, "chat", "--data", str(tmp_path), env=os.environ)
    said = chat("--json", "--watch", "1", "Hello")
    assert said.returncode == 0, said.stderr
    decoder = json.JSONDecoder()
    _, end = decoder.raw_decode(said.stdout)
    happened = json.loads(said.stdout[end:])
    assert set(happened) == {"feed", "questions", "pausedBecause"}
    wrong = chat("/answer q_1")
    assert (wrong.returncode, "needs a question and an answer" in wrong.stderr) == (2, True)
    missing = chat("/answer q_1 yes")
    assert missing.returncode == 1
