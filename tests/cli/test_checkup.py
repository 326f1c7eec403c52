"""What `prime doctor` finds, on machines that are not well."""

import socket
from pathlib import Path

import pytest
from tests.brain.recall.models import save_model

from prime.cli.checkup import Finding, check_up
from prime.core.settings import Settings
from prime.store.store import Store


def finding(name: str, data: Path, **environment: str) -> Finding:
    settings = Settings.load({"PRIME_DATA": str(data), "PRIME_PORT": "0", "PRIME_MODEL": "offline", **environment})
    return next(found for found in check_up(settings) if found.name == name)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_whole_database_is_told_from_a_damaged_one(store: Store, tmp_path: Path) -> None:
    assert "nothing damaged" in finding("database", store.folder.path).found
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "prime.db").write_bytes(b"not a database, but long enough to be looked at" * 20)
    found = finding("database", broken)
    assert (found.state, "damaged" in found.found) == ("bad", True)
    assert "backup restore" in (found.next_step or "")
    assert "made at first start" in finding("database", tmp_path / "nothing").found


def test_embeddings_are_off_on_or_said_to_be_missing(tmp_path: Path) -> None:
    assert finding("embeddings", tmp_path).found.startswith("off")
    model = save_model(tmp_path / "model", {"price": (1.0, 0.0)})
    assert finding("embeddings", tmp_path, PRIME_EMBEDDINGS=str(model)).found.startswith("on: 2 words")
    missing = finding("embeddings", tmp_path, PRIME_EMBEDDINGS=str(tmp_path / "nothing"))
    assert (missing.state, "nothing" in missing.found) == ("bad", True)
    assert "static model" in (missing.next_step or "")


KEY = {"PRIME_SECRET_KEY": "0123456789abcdef0123456789abcdef"}


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"PRIME_DATABASE_URL": "postgresql://me:hunter2@127.0.0.1:1/prime", **KEY}, "cannot be used"),
        ({"PRIME_DATABASE_URL": "mysql://me:hunter2@localhost/prime", **KEY}, "cannot be used"),
        ({"PRIME_DATABASE_URL": "postgresql://me:hunter2@127.0.0.1:1/prime"}, "PRIME_SECRET_KEY is not set"),
    ],
)
def test_a_postgresql_that_cannot_be_used_is_said_so(tmp_path: Path, environment: dict[str, str], said: str) -> None:
    found = finding("database", tmp_path, **environment)
    assert found.state == "bad"
    assert said in found.found
    assert found.next_step
    assert "hunter2" not in found.found + found.next_step


def test_a_postgresql_that_answers_is_said_so(tmp_path: Path, postgresql_url: str) -> None:
    assert finding("database", tmp_path, PRIME_DATABASE_URL=postgresql_url, **KEY).found.endswith(
        "answers, nothing damaged"
    )


def test_whose_port_it_is_says_who_listens_at_the_socket(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, socket.socket(socket.AF_UNIX) as door:
        port = str(taken.getsockname()[1])
        door.bind(str(tmp_path / "prime.sock"))  # as a killed Prime leaves it: nobody listens
        assert finding("port", tmp_path, PRIME_PORT=port).state == "note"
        door.listen()
        assert "by Prime" in finding("port", tmp_path, PRIME_PORT=port).found


@pytest.mark.parametrize(("host", "state"), [("::1", "ok"), ("192.0.2.1", "bad")])
def test_an_address_that_is_not_here_is_not_one_in_use(tmp_path: Path, host: str, state: str) -> None:
    found = finding("port", tmp_path, PRIME_HOST=host)
    assert found.state == state
    assert "in use" not in found.found
