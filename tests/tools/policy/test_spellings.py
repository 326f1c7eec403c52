"""Command lines that got past the first look: other names of known programs, options that are only values, abbreviations."""

import shlex

import pytest

from prime.tools.policy.shapes import dangers, text_dangers

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
kafka-topics --delete --topic a
rabbitmqctl delete_queue a
hdfs dfs -rm -r /a
airflow db reset
aws kms schedule-key-deletion --key-id a
fuser -k 80/tcp
dmsetup remove a
useradd a
"""
# Of programs that no table knows, by what their words say.
SOUNDS = """
bucketctl item delete 3
bucketctl --delete-all
bucketctl -rm a
bucketctl item:purge
bucketctl cache clear
date 0101000026
date -u 010100002026.30
jj abandon
p4 obliterate a
svn revert -R .
dotnet ef database drop
sequelize db:drop
conda env remove -n a
service web stop
hostnamectl set-hostname a
git commit --amend
git fetch --force
sqlite3 a 'PRAGMA writable_schema=1'
curl -c jar https://a
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
bucketctl exec a
bucketctl --exec=evil
bucketctl -on-exit-exec evil
bucketctl run -- sh
eatmydata evil
aws ssm send-command a
kubectl get pods --kubeconfig=a
kubectl --kubeconfig a get pods
helm template --post-renderer evil a
pip list --python ./evil
pip config edit --editor evil
uv pip list -p ./evil
psql -o '|evil'
psql --output='|evil' -c x
psql -P pager=evil
mysql --plugin-dir=a
gpg --agent-program evil -d a
curl --engine ./evil.so https://a
git merge-index evil -a
rpm -E '%(evil)'
exiftool -if 'evil' a
nm --plugin evil.so a
ldd ./evil
systemctl -H evil status
"""
READS = """
jq -n '"a"|modulemeta'
sqlite3 a 'select readfile("/etc/passwd")'
duckdb -c "select * from read_csv_auto('/etc/passwd')"
mysql -e 'select load_file("/etc/passwd")'
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
date +%F
date -d 20261119
date --date 20261119
uv pip list
kubectl get pods -o json
grep -r delete .
echo rm -rf a
git log --grep delete
bucketctl init
bucketctl list --format json
bucketctl read reset.css bin/rm
bucketctl show --no-delete --keep-removed
bucketctl draw line red 3 clear
bucketctl run -- no-such-program-anywhere
sqlite3 a 'PRAGMA table_info(b)'
curl -sSL https://a
docker ps --format json
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
@pytest.mark.parametrize("line", _lines(SOUNDS))
def test_what_sounds_as_if_it_destroyed_is_as_good_as_declared(line: str) -> None:
    assert any(danger.code == "destructive" for danger in dangers(_words(line)))


@pytest.mark.holds("D-ATIP-16")
@pytest.mark.parametrize("line", _lines(LAUNCHES))
def test_what_launches_asks(line: str) -> None:
    assert any(danger.code == "launches_programs" for danger in dangers(_words(line)))


@pytest.mark.holds("D-ATIP-16")
@pytest.mark.parametrize("line", _lines(READS))
def test_what_reads_files_that_no_word_names_asks(line: str) -> None:
    assert any(danger.code == "reads_unnamed" for danger in dangers(_words(line)))


@pytest.mark.parametrize("line", _lines(FINE))
def test_what_only_reads_does_not(line: str) -> None:
    assert dangers(_words(line)) == ()


@pytest.mark.parametrize("text", ["please remove the exec step", "the meeting -- date to be said", "reset my password"])
def test_a_sentence_is_no_command_line(text: str) -> None:
    assert text_dangers(text) == ()
    assert dangers(["bucketctl", *_words(text)]) != ()
