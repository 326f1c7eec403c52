"""Command lines that got past the first look: other names of known programs, options that are only values, abbreviations."""

import shlex

import pytest

from prime.tools.policy.shapes import dangers

DESTROYS = """
git clean -fd -enothing
git clean -fd -e --dry-run
git clean -fd -- -n
gh api -XDELETE /repos/o/r
gh api --method=DELETE /repos/o/r
restic forget --prune latest
borg delete archive
flyway clean
prisma migrate reset
alembic downgrade base
fdupes -dN folder
nvme format /x
grm -r folder
"""
LAUNCHES = """
gtar -I evil -xf a
bsdtar --use-compress-program=evil -xf a
gfind . -exec evil
bfs . -exec evil
fdfind -x evil
gsort --compress-program=evil a
gcc -wrapper evil a.c
gcc -fplugin=evil.so a.c
gcc @words
pandoc --lua-filter=evil a
pdflatex -shell-escape a
fzf --preview evil
yt-dlp --exec evil a
git clone --template=folder a
git credential fill
busybox.static sh -c evil
vimdiff a b
pyenv exec evil
nix-shell --run evil
ip netns exec a evil
sed -e '1e evil' -- --sandbox
sed -l --sandbox '1e evil' a
sed -f --sandbox a
sqlite3 a ".rea '|evil'"
sqlite3 a ".im '|evil' b"
sqlite3 a ".ar -x"
sqlite3 a ".backup b"
psql -c '\\include a'
psql -c '\\edit a'
psql -c '\\out |evil'
mysql -e '\\. a'
mysql -e 'pager evil'
redis-cli --eval a
"""
FINE = """
git clean -n
git clean -ndx folder
git clean --dry-run
sed --sandbox s/a/b/ c
sed -n --sandbox 1p c
sqlite3 a .tables
sqlite3 a '.schema b'
gh api /repos/o/r
gh pr list
openssl rand 8
uniq a
"""


def _words(line: str) -> list[str]:
    return shlex.split(line)


def _lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.holds("D-ATIP-16")
@pytest.mark.parametrize("line", _lines(DESTROYS))
def test_what_destroys_asks(line: str) -> None:
    assert any(danger.code == "known_destructive" for danger in dangers(_words(line)))


@pytest.mark.holds("D-ATIP-16")
@pytest.mark.parametrize("line", _lines(LAUNCHES))
def test_what_launches_asks(line: str) -> None:
    assert any(danger.code == "launches_programs" for danger in dangers(_words(line)))


@pytest.mark.parametrize("line", _lines(FINE))
def test_what_only_reads_does_not(line: str) -> None:
    assert dangers(_words(line)) == ()
