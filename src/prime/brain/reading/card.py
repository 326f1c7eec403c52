"""What cannot be read as text gets a factual card: archives, sound, pictures in motion, anything else."""

import io
import tarfile
import wave
import zlib

from prime.brain.reading.reading import Reading, Refused, count
from prime.brain.reading.zipped import check_zip

_SHOWN = 30
_MAX_UNPACKED = 64 * 1024 * 1024
_CHUNK = 256 * 1024
_NAMES = {
    "application/zip": "ZIP archive",
    "application/gzip": "gzip archive",
    "application/x-tar": "tar archive",
    "application/x-bzip2": "bzip2 archive",
    "application/x-xz": "xz archive",
    "application/x-7z-compressed": "7z archive",
    "application/vnd.rar": "RAR archive",
    "application/zstd": "Zstandard archive",
    "application/x-ole-storage": "older Office document",
    "application/epub+zip": "EPUB book",
    "audio/mpeg": "MP3 sound",
    "audio/ogg": "Ogg sound",
    "audio/flac": "FLAC sound",
    "audio/wav": "WAV sound",
    "audio/mp4": "M4A sound",
    "audio/midi": "MIDI music",
    "video/mp4": "MP4 video",
    "video/webm": "WebM video",
    "video/x-msvideo": "AVI video",
    "image/heic": "HEIC image",
}


def read_archive(content: bytes, mime_type: str) -> Reading:
    """How many files of which names, without unpacking them to anywhere."""
    if mime_type in {"application/zip", "application/epub+zip"}:
        archive = check_zip(content)
        files = [(part.filename, part.file_size) for part in archive.infolist() if not part.is_dir()]
    elif mime_type in {"application/x-tar", "application/gzip"}:
        files = _tar(_unzipped(content) if mime_type == "application/gzip" else content)
    else:
        return read_other(mime_type, family_is_archive=True)
    if files is None:
        return Reading(family="archive", facts=(_NAMES[mime_type], "one compressed file"))
    names = ", ".join(name[:120] for name, _ in files[:_SHOWN])
    total = sum(size for _, size in files)
    facts = (_NAMES[mime_type], count(len(files), "file"), f"{total:,} bytes unpacked", f"names: {names}")
    return Reading(family="archive", facts=facts[: 4 if files else 2], text="\n".join(name for name, _ in files[:2000]))


def _unzipped(content: bytes) -> bytes:
    """The content of a gzip file, while it stays within bounds."""
    unpacker = zlib.decompressobj(wbits=31)
    out = bytearray()
    rest = content
    try:
        while rest and not unpacker.eof:
            out += unpacker.decompress(rest, _CHUNK)
            rest = unpacker.unconsumed_tail
            if len(out) > _MAX_UNPACKED:
                raise Refused(f"The archive unpacks to more than {_MAX_UNPACKED:,} bytes: it is not opened.")
    except zlib.error as error:
        raise Refused(f"The archive is damaged: {error}.") from error
    return bytes(out)


def _tar(content: bytes) -> list[tuple[str, int]] | None:
    if content[257:262] != b"ustar":
        return None
    files: list[tuple[str, int]] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            for member in archive:
                if member.isfile():
                    files.append((member.name, member.size))
                if len(files) > 20_000:
                    raise Refused("The archive holds more than 20,000 files.")
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        raise Refused(f"The archive is damaged: {error}.") from error
    return files


def read_audio(content: bytes, mime_type: str) -> Reading:
    """Format, and length and title where the file tells them."""
    facts = [_NAMES.get(mime_type, mime_type)]
    if mime_type == "audio/wav":
        facts += _wave(content)
    elif mime_type == "audio/flac":
        facts += _flac(content)
    elif mime_type == "audio/ogg":
        facts += _ogg(content)
    elif mime_type == "audio/mpeg":
        facts += _id3(content)
    return Reading(family="audio", facts=tuple(facts))


def _wave(content: bytes) -> list[str]:
    try:
        with wave.open(io.BytesIO(content)) as sound:
            rate, channels = sound.getframerate(), sound.getnchannels()
            return [_length(sound.getnframes() / max(rate, 1)), f"{rate:,} Hz", count(channels, "channel")]
    except (wave.Error, EOFError) as error:
        raise Refused(f"The sound is damaged: {error}.") from error


def _flac(content: bytes) -> list[str]:
    packed = int.from_bytes(content[18:26], "big")
    rate, frames = packed >> 44, packed & (1 << 36) - 1
    return [_length(frames / rate), f"{rate:,} Hz"] if rate and frames else []


def _ogg(content: bytes) -> list[str]:
    last = content.rfind(b"OggS")
    start = content.find(b"\x01vorbis")
    opus = b"OpusHead" in content[:256]
    rate = 48000 if opus else int.from_bytes(content[start + 12 : start + 16], "little") if start > 0 else 0
    frames = int.from_bytes(content[last + 6 : last + 14], "little")
    return [_length(frames / rate)] if rate and frames < 1 << 48 else []


def _id3(content: bytes) -> list[str]:
    """Title and artist, where an ID3v2 tag has them."""
    facts: list[str] = []
    for frame, what in ((b"TIT2", "title"), (b"TPE1", "artist"), (b"TALB", "album")):
        at = content[:65536].find(frame)
        if content[:3] != b"ID3" or at < 0:
            continue
        size = int.from_bytes(content[at + 4 : at + 8], "big")
        raw = content[at + 10 : at + 10 + min(size, 400)]
        encoding = {0: "latin-1", 1: "utf-16", 2: "utf-16-be", 3: "utf-8"}.get(raw[0] if raw else 9)
        text = raw[1:].decode(encoding, errors="ignore").strip("\0 ") if encoding else ""
        if text.isprintable() and text:
            facts.append(f"{what} {text}")
    return facts


def _length(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} minutes"


def read_other(mime_type: str, *, family_is_archive: bool = False) -> Reading:
    """What it is, and no more."""
    family = "archive" if family_is_archive else "audio" if mime_type.startswith("video/") else "other"
    return Reading(family=family, facts=(_NAMES.get(mime_type, "a binary file of unknown kind"),))
