"""Asking programs: what counts as an answer, what is never asked, what is remembered."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from prime.tools.discovery import Discovery, Folders, Listing

Make = Callable[..., Path]


def reasons(listing: Listing) -> dict[str, str]:
    return {skipped.name: skipped.reason for skipped in listing.skipped}


def found(listing: Listing) -> dict[str, str]:
    return {tool.name: tool.source for tool in listing.tools}


@pytest.mark.holds("D-ATIP-11")
def test_a_program_that_answers_is_found(discovery: Discovery, native: Make, script: Make, bin_folder: Path) -> None:
    native("good", commands={"go": {"description": "Go"}})
    script("mute", "exit 2")
    script("chatty", "echo hello")
    listing = discovery.scan(paths=[str(bin_folder)])
    assert found(listing) == {"good": "native"}
    assert (listing.asked, listing.silent, listing.skipped) == (3, 2, ())
    (tool,) = listing.tools
    assert (tool.path, tool.document.trust.source, tool.document.trust.verified) == (
        str(bin_folder / "good"),
        "native",
        False,
    )


@pytest.mark.holds("D-ATIP-11")
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('echo \'{"atip": "0.3", "name": "other", "version": "1", "description": "x"}\'', "'other', another tool"),
        ('echo \'{"atip": "0.3", "name": "../../x", "version": "1", "description": "x"}\'', "name"),
        ('echo \'{"atip": "0.3", "name": 5, "version": "1", "description": "x"}\'', "/name"),
        ('echo \'{"atip": "0.3", "name": "bad",\'', "Not JSON"),
        (r'printf \'{"atip": "0.3", "name": "bad", "version": "1", "description": "\\ud800"}\'', "surrogate"),
        ("trap '' TERM INT HUP; sleep 1000", "no end after"),
        ("(setsid sleep 1000 &); sleep 1000", "no end after"),
        ("head -c 50000000 /dev/zero | tr '\\0' '{'", "more than"),
    ],
)
def test_a_bad_answer_is_refused_and_leaves_the_registry_intact(
    discovery: Discovery, folders: Folders, native: Make, script: Make, bin_folder: Path, body: str, reason: str
) -> None:
    (folders.config).mkdir()
    (folders.config / "config.json").write_text('{"scan": {"timeoutMs": 400}}')
    native("good")
    discovery.scan(paths=[str(bin_folder)])
    script("bad", body.replace("\\'", "'"))
    listing = discovery.scan(paths=[str(bin_folder)])
    assert found(listing) == {"good": "native"}
    assert reason in reasons(listing)["bad"]
    assert list(json.loads(folders.registry.read_text())["tools"]) == ["good"]
    # It costs its time once.
    assert discovery.scan(paths=[str(bin_folder)]).asked == 0


@pytest.mark.holds("D-ATIP-11")
def test_a_document_with_a_hundred_thousand_commands(discovery: Discovery, script: Make, bin_folder: Path) -> None:
    head = '{"atip": "0.3", "name": "huge", "version": "1", "description": "x", "commands": {'
    script(
        "huge",
        f"""printf '%s' '{head}'; seq 100000 | sed 's/.*/"c&": {{}},/' | tr -d '\\n'; printf '"z": {{}}}}}}'""",
    )
    listing = discovery.scan(paths=[str(bin_folder)])
    assert found(listing) == {}
    assert "huge" in reasons(listing)


@pytest.mark.holds("D-ATIP-11")
def test_a_long_answer_is_asked_for_again_without_depth(
    discovery: Discovery, script: Make, document: Callable[..., object], bin_folder: Path
) -> None:
    short = json.dumps(document("big", partial=True, commands={"pods": {"description": "Pods", "commands": {}}}))
    part = json.dumps(
        document(
            "big",
            partial=True,
            commands={"pods": {"description": "Pods", "commands": {"list": {"description": "All"}}}},
        )
    )
    script(
        "big",
        f"""case "$*" in
"--agent") head -c 2000000 /dev/zero;;
"--agent --depth=1") echo '{short}';;
"--agent --commands=pods") echo '{part}';;
esac""",
    )
    (tool,) = discovery.scan(paths=[str(bin_folder)]).tools
    assert tool.document.partial
    part_of_it = discovery.subtree("big", ["pods"]).commands
    assert part_of_it is not None
    assert list(part_of_it["pods"].commands or {}) == ["list"]


@pytest.mark.holds("D-ATIP-11")
def test_the_first_on_path_wins(discovery: Discovery, native: Make, script: Make, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    script("tool", "exit 2", first)
    native("tool", second)
    native("only", second)
    listing = discovery.scan(paths=[str(first), str(second)])
    assert found(listing) == {"only": "native"}


@pytest.mark.holds("D-ATIP-11")
def test_what_is_never_asked(
    discovery: Discovery, native: Make, bin_folder: Path, tmp_path: Path, folders: Folders
) -> None:
    folders.config.mkdir()
    (folders.config / "config.json").write_text('{"skip": ["mine*"]}')
    for name in ("reboot", "mkfs.ext4", "mine-own"):
        native(name)
    native("lifted").chmod(0o4755)
    native("shared").chmod(0o777)
    os.chown(native("foreign"), 12345, 12345) if os.geteuid() == 0 else None
    open_folder = tmp_path / "open"
    open_folder.mkdir()
    native("x", open_folder)
    open_folder.chmod(0o777)
    listing = discovery.scan(paths=[str(bin_folder), str(open_folder), str(tmp_path / "absent")])
    assert (listing.asked if os.geteuid() == 0 else 0, listing.tools) == (0, ())
    why = reasons(listing)
    assert why["reboot"] == why["mkfs.ext4"] == why["mine-own"] == "on the skip list"
    assert "setuid" in why["lifted"]
    assert why["shared"] == "anyone may change it"
    assert why[str(open_folder)] == "anyone may write to this folder"
    if os.geteuid() == 0:
        assert why["foreign"] == "it belongs to somebody else"


@pytest.mark.holds("D-ATIP-11")
def test_programs_are_asked_in_a_bare_room(
    discovery: Discovery, script: Make, bin_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    script(
        "nosy",
        f"""touch {tmp_path}/written
said="token=$SOME_TOKEN files=$(ls -A) stdin=$(cat)"
echo "{{\\"atip\\": \\"0.3\\", \\"name\\": \\"nosy\\", \\"version\\": \\"1\\", \\"description\\": \\"$said\\"}}" """,
    )
    (tool,) = discovery.scan(paths=[str(bin_folder)]).tools
    assert tool.document.description == "token= files= stdin="
    assert not (tmp_path / "written").exists()


@pytest.mark.holds("D-ATIP-11")
def test_answers_hold_until_the_program_changes(folders: Folders, native: Make, script: Make, bin_folder: Path) -> None:
    native("good")
    path = script("mute", "exit 2")
    assert Discovery(folders).scan(paths=[str(bin_folder)]).asked == 2
    again = Discovery(folders).scan(paths=[str(bin_folder)])  # another process, as far as it knows
    assert (again.asked, found(again)) == (0, {"good": "native"})
    path.unlink()
    native("mute")
    learned = Discovery(folders).scan(paths=[str(bin_folder)])
    assert (learned.asked, found(learned)) == (1, {"good": "native", "mute": "native"})


def test_a_scan_that_is_broken_off_goes_on_where_it_was(folders: Folders, script: Make, bin_folder: Path) -> None:
    for number in range(6):
        script(f"mute{number}", "exit 2")

    def lose_patience(done: int, _of: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Discovery(folders).scan(paths=[str(bin_folder)], progress=lose_patience)
    assert Discovery(folders).scan(paths=[str(bin_folder)]).asked == 2


def test_an_answer_with_a_byte_order_mark_is_read(discovery: Discovery, script: Make, bin_folder: Path) -> None:
    document = json.dumps({"atip": "0.3", "name": "marked", "version": "1", "description": "x"})
    script("marked", f"printf '\\357\\273\\277'; echo '{document}'")
    assert found(discovery.scan(paths=[str(bin_folder)])) == {"marked": "native"}


def test_no_probe_asks_nobody(discovery: Discovery, native: Make, bin_folder: Path) -> None:
    native("good")
    listing = discovery.scan(paths=[str(bin_folder)], probe=False)
    assert (listing.asked, listing.tools, listing.silent) == (0, (), 1)


def test_links_to_one_program_are_tools_of_their_own(discovery: Discovery, script: Make, bin_folder: Path) -> None:
    form = json.dumps({"atip": "0.3", "name": "%s", "version": "1", "description": "many"})
    script("many", f"printf '{form}' ${{0##*/}}")
    (bin_folder / "one").symlink_to("many")
    (bin_folder / "nothing").symlink_to("absent")
    assert found(discovery.scan(paths=[str(bin_folder)])) == {"many": "native", "one": "native"}


def test_what_is_gone_is_not_listed(discovery: Discovery, native: Make, bin_folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    native("far", elsewhere)
    native("near").rename(bin_folder / "near")
    discovery.scan(paths=[str(elsewhere)])
    discovery.scan(paths=[str(bin_folder)])
    assert found(discovery.load()) == {"far": "native", "near": "native"}
    (bin_folder / "near").unlink()
    discovery.scan(paths=[str(bin_folder)])
    assert found(discovery.load()) == {"far": "native"}


def test_progress_is_told(discovery: Discovery, native: Make, bin_folder: Path) -> None:
    for name in ("a", "b", "c"):
        native(name)
    seen: list[tuple[int, int]] = []
    discovery.scan(paths=[str(bin_folder)], progress=lambda done, of: seen.append((done, of)))
    assert seen == [(1, 3), (2, 3), (3, 3)]
