"""What the build leaves: small enough, and nothing that the content security policy would have to allow."""

import gzip
import re
from pathlib import Path

WEB = Path(__file__).parents[2] / "web"
CHUNKS = WEB / "dist" / "assets" / "chunks"
MOST_GZIPPED = 120_000
MOST_AT_FIRST = 60_000


def test_all_of_the_page_is_small() -> None:
    scripts = [*(WEB / "dist").rglob("*.js")]
    assert {script.parent.name for script in scripts} == {"dist", "chunks"}
    assert sum(len(gzip.compress(script.read_bytes())) for script in scripts) <= MOST_GZIPPED


def test_the_first_view_needs_few_files_and_names_them_all() -> None:
    """Each further one would be found only when the one before it has been read."""
    main = next(CHUNKS.glob("main-*.js")).read_text()
    needed = set(re.findall(r'(?:from|import)"\./([^"]+)"', main))
    document = (WEB / "dist" / "index.html").read_text()
    named = set(re.findall(r'"modulepreload" href="/assets/chunks/([^"]+)"', document))
    assert needed == named
    assert len(needed) <= 3
    first = [*re.findall(r'src="/(assets/[^"]+)"', document), *(f"assets/chunks/{name}" for name in named)]
    assert sum(len(gzip.compress((WEB / "dist" / name).read_bytes())) for name in first) <= MOST_AT_FIRST


def test_the_worker_keeps_what_the_document_names() -> None:
    document, worker = ((WEB / "dist" / name).read_text() for name in ("index.html", "worker.js"))
    for name in re.findall(r'"(/assets/chunks/[^"]+)"', document):
        assert name in worker


def test_both_languages_say_everything() -> None:
    """The compiler checks the shape; that nothing was left in English is checked here."""
    for english in (WEB / "src" / "words" / "en").glob("*.ts"):
        if english.name == "later.ts":
            continue  # only says which of the others are loaded later
        chinese = (WEB / "src" / "words" / "zh" / english.name).read_text()
        assert chinese.count("\n") > 0.6 * english.read_text().count("\n")
        assert sum("\u4e00" <= letter <= "\u9fff" for letter in chinese) > 100


def test_the_document_has_nothing_inline_and_nothing_from_elsewhere() -> None:
    document = (WEB / "dist" / "index.html").read_text()
    assert not re.search(r"<style|<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=", document)
    assert all(address.startswith("/") for address in re.findall(r'(?:href|src)="([^"]*)"', document))


def test_nothing_is_loaded_from_other_hosts() -> None:
    styles = next(CHUNKS.glob("style-*.css")).read_text()
    assert not re.search(r"url\(|@import", styles)


def test_the_lock_file_names_no_hosts() -> None:
    assert '"resolved"' not in (WEB / "package-lock.json").read_text()
