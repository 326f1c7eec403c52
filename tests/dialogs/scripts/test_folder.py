"""Scripts on the disk: where they lie, what is refused, and that nothing is left behind."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from prime.core.errors import Conflict, Forbidden, InvalidInput, NotFound, PrimeError, TooLarge
from prime.dialogs.scripts import disk
from prime.dialogs.scripts.exporter import export_script
from prime.dialogs.scripts.folder import ScriptFolder
from prime.dialogs.scripts.parser import MAX_BYTES
from prime.dialogs.scripts.recents import RecentScripts
from prime.dialogs.scripts.records import AgentWords, FuncCall, FuncResult, Record
from prime.dialogs.scripts.refs import ScriptRef, individual, parse_ref, shared
from prime.dialogs.scripts.script import Header, Script

Tree = dict[str, bytes | str | None]


def _script(text: str = "hi", **header: object) -> Script:
    return Script(header=Header(**header), records=(AgentWords(genseq=1, content=text),))  # pyright: ignore[reportArgumentType]


@pytest.fixture
def folder(tmp_path: Path) -> ScriptFolder:
    return ScriptFolder(tmp_path)


@pytest.fixture
def tree(tmp_path: Path) -> Callable[[], Tree]:
    """All that is on the disk: files with bytes, links with targets, folders."""

    def read() -> Tree:
        return {
            str(path.relative_to(tmp_path)): str(path.readlink())
            if path.is_symlink()
            else path.read_bytes()
            if path.is_file()
            else None
            for path in sorted(tmp_path.rglob("*"))
        }

    return read


def _put(root: Path, path: str, text: str) -> Path:
    file = root / ".minds/priming" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


@pytest.mark.holds("D-SCR-6")
def test_where_scripts_lie(folder: ScriptFolder, tmp_path: Path) -> None:
    assert folder.save(individual("ux", "a/b-1/c.d_e"), _script()) == ".minds/priming/individual/ux/a/b-1/c.d_e.md"
    assert folder.save(shared("probe"), _script()) == ".minds/priming/team_shared/probe.md"
    assert (tmp_path / ".minds/priming/individual/ux/a/b-1/c.d_e.md").read_text() == export_script(_script())
    assert folder.load(parse_ref("individual/ux/a/b-1/c.d_e")) == _script()
    assert folder.load(parse_ref("team_shared/probe")) == _script()


@pytest.mark.holds("D-SCR-4")
@pytest.mark.parametrize(
    "slug",
    [
        *(
            "",
            ".",
            "..",
            "../x",
            "a/../b",
            "a/..",
            "/etc/passwd",
            "a//b",
            "a/",
            "/a",
            "a\\b",
            "..\\x",
            "a\0b",
            "a\n",
            "a b",
        ),
        *(
            "%2e%2e",
            "%2e%2e%2fx",
            "a%00",
            "é",
            "中文",
            "a:b",
            "~x",
            "a/./b",
            "C:x",
            "a?",
            "*",
            "x" * 201,
            "/".join("a" * 17),
        ),
        *("．．", "a\u2215b", "１"),
    ],
)
def test_slugs_and_refs_that_lead_elsewhere(slug: str, tree: Callable[[], Tree]) -> None:
    for make in (
        lambda: individual("ux", slug),
        lambda: shared(slug),
        lambda: parse_ref(f"team_shared/{slug}"),
        lambda: parse_ref(f"individual/ux/{slug}"),
    ):
        with pytest.raises(InvalidInput):
            make()
    assert tree() == {}


@pytest.mark.holds("D-SCR-4")
@pytest.mark.parametrize(
    "ref",
    [
        *(
            "",
            "individual",
            "individual/",
            "individual/ux",
            "individual/ux/",
            "individual//x",
            "individual/../x",
            "team_shared",
        ),
        *(
            "team_shared/../individual/ux/x",
            "individual/ux/../../team_shared/x",
            "other/x",
            "/team_shared/x",
            "Team_Shared/x",
        ),
        *("team_shared%2fx", "./team_shared/x", "individual/a b/x", "individual/../../x"),
    ],
)
def test_refs_outside_the_two_scopes(ref: str) -> None:
    with pytest.raises(InvalidInput):
        parse_ref(ref)


@pytest.mark.holds("D-SCR-4")
@pytest.mark.parametrize("where", ["file", "folder", "member", "scope", ".minds", "crossing"])
def test_symlinks_are_not_followed(
    where: str, folder: ScriptFolder, tmp_path: Path, tree: Callable[[], Tree], tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    for name in ("x.md", "d/x.md", "ux/d/x.md", "individual/ux/d/x.md", "priming/individual/ux/d/x.md"):
        (outside / name).parent.mkdir(parents=True, exist_ok=True)
        (outside / name).write_text(export_script(_script("secret")))
    _put(tmp_path, "team_shared/x.md", export_script(_script("shared")))
    link, target = {
        "file": (".minds/priming/individual/ux/d/x.md", outside / "x.md"),
        "folder": (".minds/priming/individual/ux/d", outside / "d"),
        "member": (".minds/priming/individual/ux", outside / "ux"),
        "scope": (".minds/priming/individual", outside / "individual"),
        ".minds": (".minds", outside),
        "crossing": (".minds/priming/individual/ux/d", tmp_path / ".minds/priming/team_shared"),
    }[where]
    if where == ".minds":
        (tmp_path / ".minds").rename(tmp_path / "moved")
    (tmp_path / link).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / link).symlink_to(target)
    before, beyond = tree(), sorted(outside.rglob("*"))
    ref = individual("ux", "d/x")
    for attempt in (
        lambda: folder.load(ref),
        lambda: folder.save(ref, _script("new"), overwrite=True),
        lambda: folder.save(ref, _script("new")),
        lambda: folder.save(individual("ux", "d/new"), _script()) if where != "file" else folder.load(ref),
    ):
        with pytest.raises((Forbidden, Conflict)):
            attempt()
    found = folder.search("ux")
    assert all(item.ref.scope == "team_shared" for item in found.items)
    assert tree() == before
    assert sorted(outside.rglob("*")) == beyond
    assert (outside / "x.md").read_text() == export_script(_script("secret"))


@pytest.mark.holds("D-SCR-4")
def test_a_link_swapped_in_while_a_script_is_opened(
    folder: ScriptFolder, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x.md").write_text(export_script(_script("secret")))
    inside = _put(tmp_path, "individual/ux/d/x.md", export_script(_script("mine"))).parent
    with disk.opened_folder(tmp_path, (".minds", "priming", "individual", "ux", "d")) as opened:
        # The folder that was checked is the one that is used, whatever its name leads to by now.
        inside.rename(inside.with_name("old"))
        inside.symlink_to(outside)
        assert b"mine" in disk.read_file(opened, "x.md", shown="x", most=1000)
        disk.write_file(opened, "y.md", b"new", shown="y", overwrite=False)
    assert not (outside / "y.md").exists()
    assert (inside.with_name("old") / "y.md").read_bytes() == b"new"


@pytest.mark.holds("D-SCR-4")
def test_swapping_links_all_the_time_never_lets_a_secret_out(
    folder: ScriptFolder, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x.md").write_text(export_script(_script("secret")))
    inside = _put(tmp_path, "individual/ux/d/x.md", export_script(_script("mine"))).parent
    spare, link = inside.with_name("spare"), inside.with_name("link")
    link.symlink_to(outside)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            inside.rename(spare)
            link.rename(inside)
            inside.rename(link)
            spare.rename(inside)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        seen: set[str] = set()
        for _ in range(400):
            try:
                record = folder.load(individual("ux", "d/x")).records[0]
                seen.add(record.content if isinstance(record, AgentWords) else "")
            except PrimeError as error:
                seen.add(type(error).__name__)
    finally:
        stop.set()
        swapping.join()
    assert seen <= {"mine", "NotFound", "Forbidden"}


def test_special_files_are_not_opened(folder: ScriptFolder, tmp_path: Path) -> None:
    file = _put(tmp_path, "team_shared/x.md", "")
    file.unlink()
    os.mkfifo(file)
    (file.parent / "folder.md").mkdir()
    for slug in ("x", "folder"):
        with pytest.raises(PrimeError):
            folder.load(shared(slug))
        with pytest.raises(PrimeError):
            folder.save(shared(slug), _script(), overwrite=True)
    assert sorted(path.name for path in file.parent.iterdir()) == ["folder.md", "x.md"]


def test_saving_twice_needs_overwrite(folder: ScriptFolder, tree: Callable[[], Tree]) -> None:
    folder.save(shared("x"), _script("one"))
    before = tree()
    with pytest.raises(Conflict) as caught:
        folder.save(shared("x"), _script("two"))
    assert caught.value.error_code == "already_exists"
    assert tree() == before
    folder.save(shared("x"), _script("two"), overwrite=True)
    assert folder.load(shared("x")) == _script("two")
    assert len(tree()) == len(before)


def test_of_two_saves_at_once_one_wins(tmp_path: Path) -> None:
    start = threading.Barrier(8)
    outcomes: list[str] = []

    def save(text: str) -> None:
        start.wait()
        try:
            ScriptFolder(tmp_path).save(shared("a/x"), _script(text))
            outcomes.append(text)
        except Conflict:
            outcomes.append("conflict")

    threads = [threading.Thread(target=save, args=(f"text {number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("conflict") == 7
    winner = next(text for text in outcomes if text != "conflict")
    assert ScriptFolder(tmp_path).load(shared("a/x")) == _script(winner)
    assert [path.name for path in (tmp_path / ".minds/priming/team_shared/a").iterdir()] == ["x.md"]


@pytest.mark.parametrize(
    "records",
    [
        (),
        (FuncResult(genseq=1, id="a", name="b", content=""),),
        (AgentWords(genseq=1, content="\ud800"),),
        (FuncCall(genseq=1, id="a", name="b", arguments={"x": float("inf")}),),
        (AgentWords(genseq=1, content="x" * (MAX_BYTES + 1)),),
    ],
)
def test_what_could_not_be_loaded_is_not_saved(
    records: tuple[Record, ...], folder: ScriptFolder, tree: Callable[[], Tree]
) -> None:
    with pytest.raises((InvalidInput, TooLarge)):
        folder.save(shared("x"), Script(records=records))
    assert tree() == {}


def test_a_script_that_is_too_large_or_gone(folder: ScriptFolder, tmp_path: Path) -> None:
    file = _put(tmp_path, "team_shared/big.md", "")
    with file.open("wb") as opened:
        opened.truncate(50_000_000)
    with pytest.raises(TooLarge):
        folder.load(shared("big"))
    with pytest.raises(NotFound, match="team_shared/none"):
        folder.load(shared("none"))
    with pytest.raises(NotFound):
        folder.load(individual("nobody", "none"))


def test_a_script_that_changes_between_listing_and_loading(folder: ScriptFolder, tmp_path: Path) -> None:
    folder.save(shared("x"), _script())
    assert len(folder.search("ux").items) == 1
    _put(tmp_path, "team_shared/x.md", "### user\nhi\n")
    with pytest.raises(InvalidInput, match="older format"):
        folder.load(shared("x"))


@pytest.mark.holds("D-SCR-5")
def test_search_is_live_filtered_and_tells_of_broken_ones(folder: ScriptFolder, tmp_path: Path) -> None:
    folder.save(individual("ux", "deep/probe"), _script(title="环境 Probe"))
    folder.save(individual("dev", "probe"), _script())
    folder.save(shared("all"), _script(title="For all"))
    folder.save(shared("some"), _script(applicable_member_ids=("ux", "qa")))
    folder.save(shared("others"), _script(applicable_member_ids=("dev",)))
    _put(tmp_path, "team_shared/broken.md", "### user\n")
    _put(tmp_path, "team_shared/bad name.md", export_script(_script()))
    _put(tmp_path, "team_shared/notes.txt", "not a script")
    found = folder.search("ux")
    assert [str(item.ref) for item in found.items] == [
        "individual/ux/deep/probe",
        "team_shared/all",
        "team_shared/some",
    ]
    assert found.items[0].title == "环境 Probe"
    assert found.skipped == 2
    assert [sample.path for sample in found.samples] == [
        ".minds/priming/team_shared/bad name.md",
        ".minds/priming/team_shared/broken.md",
    ]
    assert [str(item.ref) for item in folder.search("ux", "环境 PROBE").items] == ["individual/ux/deep/probe"]
    assert [str(item.ref) for item in folder.search("dev").items] == [
        "individual/dev/probe",
        "team_shared/all",
        "team_shared/others",
    ]
    assert len(folder.search(None).items) == 5
    with pytest.raises(InvalidInput):
        folder.search("../ux")


def test_search_stops_at_its_limit(folder: ScriptFolder) -> None:
    for number in range(53):
        folder.save(shared(f"s{number:02}"), _script())
    found = folder.search("ux")
    assert (len(found.items), found.more) == (50, True)
    assert len(folder.search("ux", limit=53).items) == 53
    assert not folder.search("ux", limit=53).more


def test_a_listing_shows_the_beginning_of_a_long_title(folder: ScriptFolder) -> None:
    long = "x" * 100_000
    folder.save(shared("long"), _script(title=long))
    [found] = folder.search("ux").items
    assert found.title == "x" * 200 + "…"
    assert folder.load(shared("long")).header.title == long


def test_an_empty_workspace_has_no_scripts(folder: ScriptFolder) -> None:
    assert folder.search("ux").items == ()


@pytest.mark.holds("D-SCR-6")
def test_recents_are_newest_first_and_twenty_at_most(tmp_path: Path, folder: ScriptFolder) -> None:
    recents = RecentScripts(tmp_path)
    refs = [shared(f"s{number}") for number in range(25)]
    for ref in refs:
        folder.save(ref, _script())
        recents.remember("ux", [ref])
    recents.remember("ux", [refs[10]])
    kept: list[ScriptRef] = [refs[10], *(ref for ref in reversed(refs) if ref != refs[10])][:20]
    assert [item.ref for item in recents.list("ux").items] == kept
    assert recents.list("dev").items == ()
    folder_path = tmp_path / ".dialogs/recent-priming"
    assert [path.name for path in folder_path.iterdir()] == ["ux.json"]
    (tmp_path / kept[0].path).unlink()
    assert [item.ref for item in recents.list("ux").items] == kept[1:]
    assert recents.refs("ux") == tuple(kept)


def test_recents_that_were_damaged_begin_anew(tmp_path: Path, folder: ScriptFolder) -> None:
    folder.save(shared("x"), _script())
    recents = RecentScripts(tmp_path)
    recents.remember("ux", [shared("x")])
    for damage in (b"{", b"\xff", b"[]", b'{"scriptRefs": ["../x"]}'):
        (tmp_path / ".dialogs/recent-priming/ux.json").write_bytes(damage)
        assert recents.list("ux").items == ()
    recents.remember("ux", [shared("x")])
    assert [item.ref for item in recents.list("ux").items] == [shared("x")]
    with pytest.raises(InvalidInput):
        recents.remember("../ux", [shared("x")])


def test_recents_of_dialogs_that_begin_at_once(tmp_path: Path) -> None:
    refs = [shared(f"s{number}") for number in range(12)]
    threads = [threading.Thread(target=RecentScripts(tmp_path).remember, args=("ux", [ref])) for ref in refs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(RecentScripts(tmp_path).refs("ux")) == set(refs)
