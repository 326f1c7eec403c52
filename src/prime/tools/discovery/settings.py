"""`config.json`: what a person wants of a scan."""

import fnmatch
import functools
import re
from dataclasses import dataclass
from typing import cast

from prime.core.errors import InvalidInput, JsonValue
from prime.tools.discovery.folders import Folders, read_object

# Programs that act when they are merely started, or whose mistakes cannot be taken back: never probed, sandbox or not.
SKIPPED = (
    "shutdown", "reboot", "halt", "poweroff", "init", "telinit", "runlevel", "kexec", "rtcwake", "ctrlaltdel",
    "mkfs", "mkfs.*", "mke2fs", "mkswap", "mkdosfs", "mkntfs", "fsck", "fsck.*", "e2fsck", "tune2fs", "resize2fs",
    "debugfs", "badblocks", "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted", "wipefs", "blkdiscard",
    "hdparm", "dd", "shred", "losetup", "swapon", "swapoff", "cryptsetup", "mdadm", "lvm", "lv*", "vg*", "pv*",
    "zfs", "zpool", "mount", "umount", "pivot_root", "switch_root", "chroot", "insmod", "rmmod", "modprobe",
    "killall", "killall5", "pkill", "skill", "kill", "login", "agetty", "getty", "sulogin", "su", "sudo", "doas",
    "passwd", "chpasswd", "useradd", "userdel", "usermod", "groupadd", "groupdel", "adduser", "deluser", "visudo",
    "grub-*", "update-grub*", "efibootmgr", "flashrom", "hwclock", "systemd-*", "startx", "xinit", "X", "Xorg",
    "invoke-rc.d", "update-initramfs", "mkinitramfs", "iptables*", "ip6tables*", "nft", "ifdown", "ifup",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ScanSettings:
    """The skip list (names and shell patterns, on top of the built-in one) and how a scan goes about it."""

    skip: tuple[str, ...] = ()
    paths: tuple[str, ...] | None = None
    probe: bool = True
    timeout_s: float = 2.0
    workers: int | None = None

    def skips(self, name: str) -> bool:
        return _skipped(self.skip).match(name) is not None


@functools.cache
def _skipped(more: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(fnmatch.translate(pattern) for pattern in (*SKIPPED, *more)))


def load_settings(folders: Folders) -> ScanSettings:
    """Read `config.json`: `{"skip": […], "scan": {"paths", "probe", "timeoutMs", "concurrency"}}`, all optional."""
    path = folders.config / "config.json"
    raw = read_object(path)
    where = str(path)
    scan = _part(raw, "scan", where)
    timeout = _number(scan, "timeoutMs", where)
    workers = _number(scan, "concurrency", where)
    probe = scan.get("probe", True)
    if not isinstance(probe, bool):
        raise _wrong(where, "/scan/probe", "true or false")
    return ScanSettings(
        skip=_words(raw, "skip", where, "/skip") or (),
        paths=_words(scan, "paths", where, "/scan/paths"),
        probe=probe,
        timeout_s=2.0 if timeout is None else timeout / 1000,
        workers=workers,
    )


def _part(raw: dict[str, JsonValue], key: str, where: str) -> dict[str, JsonValue]:
    value = raw.get(key, {})
    if not isinstance(value, dict):
        raise _wrong(where, f"/{key}", "an object")
    return cast("dict[str, JsonValue]", value)


def _words(raw: dict[str, JsonValue], key: str, where: str, pointer: str) -> tuple[str, ...] | None:
    value = raw.get(key)
    if value is None:
        return None
    words = cast("list[object]", value) if isinstance(value, list) else [None]
    if not all(isinstance(word, str) for word in words):
        raise _wrong(where, pointer, "a list of strings")
    return tuple(cast("list[str]", words))


def _number(raw: dict[str, JsonValue], key: str, where: str) -> int | None:
    value = raw.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 60_000:
        raise _wrong(where, f"/scan/{key}", "a whole number from 1 to 60000")
    return value


def _wrong(where: str, pointer: str, wanted: str) -> InvalidInput:
    return InvalidInput(
        f"{where}: at {pointer}: expected {wanted}.", hint="Mend or remove it.", file=where, pointer=pointer
    )
