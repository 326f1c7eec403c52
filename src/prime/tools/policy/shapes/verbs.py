"""Words that sound as if something were removed or run, of whatever program: what is not known is not safe.

Tables of programs end somewhere, and another program's `delete` deletes too. Only where words are known to be data, such
as what grep looks for, nothing is read into them.
"""

import re
from collections.abc import Iterator

from prime.tools.policy.shapes.danger import Danger, destroys, may_destroy
from prime.tools.policy.shapes.words import Words

# Their words are texts, patterns and file names; git and find have rules of their own.
_DATA_TEXT = (
    "[ ack ag apropos arch aspell awk b2sum base32 base64 basename bat bc cal cat cd cksum cmp column comm cut date dc df diff "
    "dig dir dirname du echo egrep env expand expr factor fgrep file find fmt fold free git grep groups head hexdump host "
    "hostname id ipcs join jq last less locate logname look ls lsblk lscpu lsof man md5sum mkdir more nl nproc nslookup "
    "numfmt od paste pathchk pgrep pidof ping pinky pr printenv printf ps pwd readlink realpath rev rg sdiff seq sha1sum "
    "sha224sum sha256sum sha384sum sha512sum shuf sleep sort stat strings sum tac tail test touch tr traceroute tree true "
    "tsort tty type uname unexpand uniq uptime users vdir w wc whatis whereis which who whoami whois xxd yes zcat zgrep"
)
_DATA = frozenset(_DATA_TEXT.split())
# Command lines for clouds and services: what they remove is gone for everybody.
_CLOUDS_TEXT = (
    "aws gcloud gsutil az doctl linode-cli hcloud oci heroku flyctl fly vercel netlify gh glab wrangler supabase firebase "
    "railway ibmcloud aliyun scw vault consul etcdctl rclone mc s3cmd b2 kops eksctl op ip nmcli ufw certbot virsh lxc incus "
    "multipass kafka-topics rabbitmqctl rabbitmqadmin hdfs hadoop airflow"
)
_CLOUDS = frozenset(_CLOUDS_TEXT.split())
_VERBS = re.compile(
    r"(?:.*[:_-])?(?:delete|destroy|remove|rm|rmr|rb|terminate|purge|wipe|drop|deregister|unregister\w*|undefine|prune|erase|"
    r"uninstall|del|unpublish|truncate|shred|nuke|deletion|deallocate|obliterate|expunge)(?:$|[-:_].*)",
    re.IGNORECASE,
)
# Words that remove something as a command, and as often as not are a value: `ruff format`, `--filter strip`, `paint clear`.
_DOUBTFUL = re.compile(
    r"(?:.*[:_-])?(?:format|kill|reset|clear|flush|revoke|abandon|strip|revert|discard|rollback)(?:$|[-:_].*)",
    re.IGNORECASE,
)
_COMMAND_WORDS = 3  # so many words, options aside, say which command it is
# Options say less: `--format json` and `docker run --rm` remove nothing that anybody wants.
_OPTIONS = re.compile(
    r"-{1,2}(?!no-|dont-|skip-|keep-|ignore-|before-|after-|if-)(?:[a-z]+-)*(?:delete|destroy|remove|purge|wipe|drop|prune|erase|"
    r"uninstall|truncate|obliterate|expunge|unregister)(?:$|[-=].*)|-rmr?|--nuke",
    re.IGNORECASE,
)
# `--exec`, `exec-env`, `-on-exit-exec`; not `--executable` or `executed`.
_RUNS = re.compile(r"(?:.*[:_-])?exec(?:$|[-:_=].*)", re.IGNORECASE)
_LONGEST = 100


def is_verb(word: str) -> bool:
    """Whether a subcommand sounds as if it removed something, whatever a document says."""
    return len(word) < _LONGEST and _VERBS.fullmatch(word) is not None


def takes_data(names: frozenset[str]) -> bool:
    """Whether the program's words say nothing about what it does."""
    return not names.isdisjoint(_DATA)


def dangers(names: frozenset[str], words: Words) -> Iterator[Danger]:
    if takes_data(names):
        return
    verb = next((word for word in words.all if _removes(word)), None) or _doubtful(words)
    if verb is not None:
        name = min(names)
        text = f"`{name} … {verb[:40]}` removes something, as far as its words tell."
        yield destroys(text) if names & _CLOUDS else may_destroy(text)


def runs(names: frozenset[str], words: Words) -> str | None:
    """The word that sounds as if another program were run."""
    if takes_data(names):
        return None
    return next((word for word in words.all if len(word) < _LONGEST and _RUNS.fullmatch(word)), None)


def _removes(word: str) -> bool:
    if word.startswith("-"):
        return len(word) < _LONGEST and _OPTIONS.fullmatch(word) is not None
    return not _is_file(word) and is_verb(word)


def _doubtful(words: Words) -> str | None:
    first = words.plain[:_COMMAND_WORDS]
    return next(
        (word for word in first if len(word) < _LONGEST and not _is_file(word) and _DOUBTFUL.fullmatch(word)), None
    )


def _is_file(word: str) -> bool:
    """A file's name (`reset.css`, `bin/rm`) is no verb."""
    return "." in word or "/" in word
