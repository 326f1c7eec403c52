"""Programs that are known to destroy, and in which of their spellings."""

import os.path
import re
from collections.abc import Callable, Iterator, Mapping

from prime.tools.policy.shapes.danger import Danger, destroys, may_destroy
from prime.tools.policy.shapes.words import Words

Rule = Callable[[Words], Iterator[Danger]]

_CLOCK = re.compile(r"\d{8,12}(?:\.\d\d)?")
_ABOUT_A_DATE = re.compile(r"-[A-Za-z]*[drfI]|--(?:da|fi|ref)\w*")
# Any call of these.
_ALWAYS: Mapping[str, str] = {
    **dict.fromkeys(("shred", "wipefs", "blkdiscard", "srm", "scrub"), "overwrites data for good"),
    **dict.fromkeys(("rimraf", "trash-empty", "trash-rm"), "deletes folders with all that is in them"),
    **dict.fromkeys(("mke2fs", "mkswap", "newfs", "diskutil", "format"), "makes a new file system over what is there"),
    **dict.fromkeys(("fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted", "cryptsetup"), "changes whole disks"),
    **dict.fromkeys(("lvremove", "vgremove", "pvremove"), "removes volumes"),
    **dict.fromkeys(("shutdown", "reboot", "halt", "poweroff", "telinit", "init"), "stops the machine"),
    **dict.fromkeys(("userdel", "groupdel", "deluser", "delgroup"), "removes accounts"),
    **dict.fromkeys(("dropdb", "dropuser"), "removes a database or its user"),
    **dict.fromkeys(("killall", "killall5", "pkill", "skill", "xkill"), "ends processes by name"),
    **dict.fromkeys(("rmmod", "insmod", "kexec", "sysctl"), "changes the running kernel"),
    **dict.fromkeys(
        (
            "mkdosfs",
            "mkntfs",
            "mkexfatfs",
            "tune2fs",
            "resize2fs",
            "debugfs",
            "badblocks",
            "e2fsck",
            "fsck",
            "xfs_repair",
            "partclone",
            "nvme",
            "hdparm",
            "fstrim",
            "mdadm",
        ),
        "changes whole disks",
    ),
    **dict.fromkeys(
        ("passwd", "chpasswd", "usermod", "groupmod", "chsh", "useradd", "groupadd", "adduser", "addgroup"),
        "changes accounts",
    ),
    **dict.fromkeys(
        ("grub-install", "efibootmgr", "flashrom", "fwupdmgr", "dmsetup"), "changes how the machine starts"
    ),
    **dict.fromkeys(("tmpwatch", "tmpreaper", "detox", "pg_resetwal"), "deletes or renames what it finds"),
}
_DESTRUCTIVE: Mapping[str, str] = {
    **dict.fromkeys(("mv", "cp", "scp", "install", "tee", "truncate", "cpio"), "replaces files that exist"),
    **dict.fromkeys(("rmdir", "unlink", "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd"), "removes files"),
    **dict.fromkeys(("unzip", "7z", "7za", "7zz", "patch"), "replaces files that exist"),
    "kill": "ends processes",
    **dict.fromkeys(("mount", "umount", "swapoff", "swapon"), "changes which disks are in use"),
    **dict.fromkeys(("trash", "trash-put"), "removes files"),
    **dict.fromkeys(("rename", "prename", "mmv", "fallocate"), "replaces or cuts files that exist"),
    "modprobe": "changes the running kernel",
    **dict.fromkeys(("setcap", "losetup", "ifdown", "ifup", "ldconfig"), "changes how the machine is set up"),
    **dict.fromkeys(("mogrify", "wipe", "bleachbit"), "replaces or removes files"),
}
_CONTAINERS = ("docker", "podman", "nerdctl")
_INFRASTRUCTURE = ("terraform", "tofu", "terragrunt", "pulumi", "cdk")
_PACKAGES = ("apt-get", "apt", "aptitude", "dnf", "yum", "zypper", "apk", "brew", "snap", "flatpak", "pip", "npm",
             "uv", "cargo")  # fmt: skip
# program -> subcommands that lose something for good, wherever options stand between their words
_SUBCOMMANDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        (*_CONTAINERS, "docker-compose"),
        ("prune", "rm", "rmi", "volume rm", "kill", "down", "image rm", "container rm", "swarm leave"),
    ),
    **dict.fromkeys(
        ("kubectl", "oc", "k3s"), ("delete", "drain", "replace", "delete-context", "delete-cluster", "delete-user")
    ),
    "helm": ("uninstall", "delete", "rollback"),
    **dict.fromkeys(
        _INFRASTRUCTURE, ("destroy", "state rm", "state push", "workspace delete", "apply", "up", "deploy", "taint")
    ),
    "systemctl": ("reboot", "poweroff", "halt", "kexec", "emergency", "rescue", "isolate", "exit", "soft-reboot"),
    "npm": ("unpublish", "deprecate", "token revoke"),
    "cargo": ("yank",),
    "gem": ("yank",),
    "redis-cli": ("flushall", "flushdb", "del", "unlink", "shutdown"),
    "rclone": ("sync", "move", "moveto", "bisync", "dedupe", "cleanup"),
    "mysqladmin": ("drop",),
    "zpool": ("destroy", "labelclear"),
    "zfs": ("destroy", "rollback"),
    "nft": ("flush",),
    "btrfs": ("subvolume delete",),
    "restic": ("forget", "prune"),
    "borg": ("delete", "prune", "compact"),
    "bq": ("rm",),
    "nomad": ("stop", "purge", "system gc"),
    "prisma": ("migrate reset", "db push"),
    "flyway": ("clean",),
    "liquibase": ("dropall", "drop-all", "rollback"),
    "alembic": ("downgrade",),
    "influx": ("delete",),
    "gio": ("remove", "trash"),
    "pg_ctl": ("stop", "restart"),
    "update-rc.d": ("remove", "disable"),
}
# program -> subcommands that change what is there, as `destructive: true` would say
_CHANGES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys((*_CONTAINERS, "docker-compose"), ("stop", "restart", "load", "cp")),
    **dict.fromkeys(("kubectl", "oc", "k3s"), ("apply", "patch", "scale", "rollout", "cordon", "taint", "set", "cp")),
    **dict.fromkeys(_INFRASTRUCTURE, ("state mv", "force-unlock", "import")),
    "helm": ("upgrade",),
    "systemctl": ("stop", "restart", "disable", "mask", "kill", "clean", "revert", "set-default"),
    "service": ("stop", "restart"),
    "ifconfig": ("down",),
    "route": ("del", "flush"),
    "ufw": ("disable",),
    "npm": ("cache clean",),
    "uv": ("cache clean", "cache prune", "venv"),
    "cargo": ("clean",),
    "go": ("clean",),
    "brew": ("cleanup", "autoremove"),
    "pip": ("cache purge", "cache remove"),
}
# 777, 4755, a+w, o=rw, u+s
_MODE = re.compile(r"[0-7]*[2367]|[0-7]{4,}|.*(?:[ao]+[+=]\w*w\w*|[+=]\w*s\w*)|\+\w*[ws]\w*")
_DEVICE = re.compile(r"/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper|dm-|md|loop|mem|kmem|port|sg|nbd|zd)")


def dangers(names: frozenset[str], words: Words) -> Iterator[Danger]:
    """What a program of these names is known to destroy when it is called with these words."""
    for name in sorted(names):
        yield from _by_name(name, words)
        if name in _RULES:
            yield from _RULES[name](words)
    for word in words.all:
        if _DEVICE.search(_normal(word)):
            yield destroys(f"It names a disk: {word[:80]}.")


def _normal(word: str) -> str:
    """A path in its shortest form, after `of=` or an option's `=` too."""
    value = word.rpartition("=")[2].lstrip("<>@|")
    return re.sub("^/+", "/", os.path.normpath(value)) if value.startswith("/") else value


def _by_name(name: str, words: Words) -> Iterator[Danger]:
    if name.startswith("mkfs"):
        yield destroys(f"{name} makes a new file system over what is there.")
    if name in _ALWAYS:
        yield destroys(f"{name} {_ALWAYS[name]}.")
    if name in _DESTRUCTIVE:
        yield may_destroy(f"{name} {_DESTRUCTIVE[name]}.")
    for subcommand in _SUBCOMMANDS.get(name, ()):
        if words.sub(subcommand):
            yield destroys(f"`{name} {subcommand}` removes or replaces things for good.")
    for subcommand in _CHANGES.get(name, ()):
        if words.sub(subcommand):
            yield may_destroy(f"`{name} {subcommand}` changes or stops what is running, or removes what was kept.")
    if name in _PACKAGES and words.has("remove", "purge", "autoremove", "uninstall", "del", "erase", "un", "r", "rm"):
        yield may_destroy(f"{name} removes packages.")


def _rm(words: Words) -> Iterator[Danger]:
    yield may_destroy("rm deletes for good.")
    if words.short("rRf") or words.long("recursive", "force", "no-preserve-root"):
        yield destroys("rm deletes folders with all that is in them, or without asking.")
    if any(re.fullmatch(r"(?:/+|~|\.|\.\.|\*|/\*|\./\*?)/*", word) for word in words.all):
        yield destroys("rm is given a whole folder such as / or ~.")


def _find(words: Words) -> Iterator[Danger]:
    if words.begins("-delete"):
        yield destroys("find -delete deletes everything it finds.")
    if words.begins("-fprint", "-fls"):
        yield may_destroy("find replaces a file with its output.")


def _dd(words: Words) -> Iterator[Danger]:
    if words.begins("of="):
        yield destroys("dd of= overwrites a file or a disk.")


def _modes(words: Words) -> Iterator[Danger]:
    if words.short("R") or words.long("recursive"):
        yield destroys("It changes modes or owners of everything below a folder, which cannot be undone.")
    if any(len(word) < 100 and _MODE.fullmatch(word) for word in words.all):
        yield destroys("It lets everybody write, or a program run as its owner.")


def _kill(words: Words) -> Iterator[Danger]:
    if any(word in {"-1", "0", "1", "--1"} for word in words.all[1:]) or words.all[:1] in {("0",), ("1",)}:
        yield destroys("It ends every process it may.")


_CURL_WRITES = (
    "output", "remote-name", "remote-name-all", "output-dir", "dump-header", "quote", "data-urlencode", "cookie-jar", "trace",
    "trace-ascii", "stderr", "etag-save", "hsts", "alt-svc", "libcurl",
)  # fmt: skip


def _curl(words: Words) -> Iterator[Danger]:
    if any(re.fullmatch(r"(?:-\w*x|--r[a-z-]*=)?[\"']?(?:delete|purge)[\"']?", word.casefold()) for word in words.all):
        yield destroys("DELETE removes something on the server.")
    if words.short("dFTXQoOD") or words.long(
        "data", "data-raw", "data-binary", "json", "form", "upload-file", "request"
    ):
        yield may_destroy("It sends something that changes the server, or replaces a file.")
    if words.begins("-c") or words.long(*_CURL_WRITES):
        yield may_destroy("It replaces a file.")


def _wget(words: Words) -> Iterator[Danger]:
    if any(re.fullmatch(r"(?:--me[a-z]*=)?(?:delete|purge)", word.casefold()) for word in words.all):
        yield destroys("DELETE removes something on the server.")
    if words.short("Or") or words.long("output-document", "post-data", "post-file", "body-data", "body-file", "method"):
        yield may_destroy("It replaces a file, or sends something that changes the server.")
    if words.long("delete-after"):
        yield destroys("It deletes what it downloaded.")


def _rsync(words: Words) -> Iterator[Danger]:
    if words.begins("--del") or words.long("delete", "remove-source-files", "remove-sent-files"):
        yield destroys("rsync deletes files that are not on the other side.")
    yield may_destroy("rsync replaces files.")


def _tar(words: Words) -> Iterator[Danger]:
    if words.long("remove-files", "recursive-unlink", "unlink-first", "delete"):
        yield destroys("tar deletes files.")
    letters = words.letters | set(words.all[0] if words.all else "")
    if letters & set("xcruA") or words.long("extract", "get", "create", "append", "update"):
        yield may_destroy("tar replaces files.")


def _edits(words: Words) -> Iterator[Danger]:
    if words.short("i") or words.long("in-place", "inplace"):
        yield may_destroy("It writes the result over its input.")


def _output(words: Words) -> Iterator[Danger]:
    if words.short("oy") or words.long("output"):
        yield may_destroy("It replaces a file.")


def _link(words: Words) -> Iterator[Danger]:
    if words.short("f") or words.long("force"):
        yield may_destroy("ln -f replaces a file.")


def _zip(words: Words) -> Iterator[Danger]:
    if words.short("md") or words.long("move", "delete"):
        yield destroys("zip deletes files, or entries of an archive.")


def _crontab(words: Words) -> Iterator[Danger]:
    if words.short("r"):
        yield destroys("crontab -r removes all timed jobs.")


def _firewall(words: Words) -> Iterator[Danger]:
    if words.short("FXPDZ") or words.long("flush", "delete", "delete-chain", "policy"):
        yield destroys("It removes rules of the firewall.")


def _gpg(words: Words) -> Iterator[Danger]:
    if words.begins("--delete"):
        yield destroys("gpg deletes keys.")


def _pacman(words: Words) -> Iterator[Danger]:
    if words.short("R") or words.long("remove"):
        yield may_destroy("pacman removes packages.")


def _dpkg(words: Words) -> Iterator[Danger]:
    if words.short("rPe") or words.long("remove", "purge", "erase"):
        yield may_destroy("It removes packages.")


def _journal(words: Words) -> Iterator[Danger]:
    if words.begins("--vac", "--rot"):
        yield destroys("It deletes logs.")


def _kubectl(words: Words) -> Iterator[Danger]:
    if words.long("prune"):
        yield destroys("--prune deletes what is not in the files.")


def _restore(words: Words) -> Iterator[Danger]:
    if words.short("c") or words.long("clean"):
        yield destroys("pg_restore --clean removes what is in the database.")


def _api(words: Words) -> Iterator[Danger]:
    """`gh api -XDELETE`, `--method=delete`; fields alone make it a POST."""
    if not words.has("api"):
        return
    if any(re.fullmatch(r"-x=?delete|--me[a-z]*=delete", word.casefold()) for word in words.all):
        yield destroys("DELETE removes something on the server.")
    if words.short("XfF") or words.long("method", "field", "raw-field", "input"):
        yield may_destroy("It sends something that changes the server.")


def _duplicates(words: Words) -> Iterator[Danger]:
    if words.short("d") or words.long("delete") or words.begins("-deleteduplicates"):
        yield destroys("It deletes files that look alike.")


def _gsutil(words: Words) -> Iterator[Danger]:
    if words.short("d") or words.long("delete"):
        yield destroys("gsutil rsync -d deletes what is not on the other side.")


def _fuser(words: Words) -> Iterator[Danger]:
    if words.short("k") or words.long("kill"):
        yield destroys("fuser -k ends every process that uses a file.")


def _sets(words: Words) -> Iterator[Danger]:
    if words.begins("set-") or words.short("sSw") or words.long("set", "systohc", "hctosys"):
        yield may_destroy("It changes how the machine is set up.")


def _date(words: Words) -> Iterator[Danger]:
    """`date 0102030405` sets the clock, where `date -d 20260102` asks about a day."""
    yield from _sets(words)
    for before, word in zip(("", *words.all), words.all, strict=False):
        if _CLOCK.fullmatch(word) and not _ABOUT_A_DATE.fullmatch(before):
            yield may_destroy("It sets the clock.")


def _uniq(words: Words) -> Iterator[Danger]:
    if len(words.plain) > 1:
        yield may_destroy("uniq replaces the file that it is given second.")


def _clears(words: Words) -> Iterator[Danger]:
    if words.short("cCw") or words.long("clear", "read-clear", "drop", "remove"):
        yield may_destroy("It removes or replaces what was kept.")


_RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("rm", "grm", "del", "erase", "rd"), _rm),
    **dict.fromkeys(("find", "gfind", "bfs"), _find),
    **dict.fromkeys(("dd", "gdd", "dcfldd", "ddrescue"), _dd),
    **dict.fromkeys(("chmod", "chown", "chgrp", "gchmod", "gchown", "setfacl", "chattr"), _modes),
    **dict.fromkeys(("kill", "gkill"), _kill),
    **dict.fromkeys(("curl", "http", "https", "httpie", "xh"), _curl),
    **dict.fromkeys(("wget", "aria2c"), _wget),
    "rsync": _rsync,
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _tar),
    **dict.fromkeys(("sed", "gsed", "perl", "yq"), _edits),
    **dict.fromkeys(("sort", "gsort", "ffmpeg", "pandoc", "iconv", "pv"), _output),
    **dict.fromkeys(("ln", "gln"), _link),
    "zip": _zip,
    **dict.fromkeys(("gh", "glab"), _api),
    **dict.fromkeys(("fdupes", "jdupes", "rdfind"), _duplicates),
    "uniq": _uniq,
    "gsutil": _gsutil,
    "fuser": _fuser,
    **dict.fromkeys(("hostnamectl", "timedatectl", "localectl", "hwclock"), _sets),
    "date": _date,
    **dict.fromkeys(("dmesg", "tcpdump", "mongorestore", "update-alternatives"), _clears),
    "crontab": _crontab,
    **dict.fromkeys(("iptables", "ip6tables", "ufw", "ipset"), _firewall),
    "gpg": _gpg,
    "pacman": _pacman,
    "pg_restore": _restore,
    **dict.fromkeys(("dpkg", "rpm"), _dpkg),
    "journalctl": _journal,
    **dict.fromkeys(("kubectl", "oc", "k3s"), _kubectl),
}
