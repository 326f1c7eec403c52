"""Which reader takes which type."""

from prime.brain.reading import card
from prime.brain.reading.reading import Reading, Refused
from prime.brain.reading.salient import salient

_OFFICE = "application/vnd.openxmlformats-officedocument."


def read(content: bytes, mime_type: str) -> Reading:
    """What the file says. Never raises for what is wrong with the file: that is told in the answer."""
    try:
        found = _read(content, mime_type)
    except Refused as refusal:
        return Reading(family="other", refused=str(refusal))
    except (MemoryError, RecursionError):
        return Reading(family="other", refused="It needs more memory than a file may take.")
    more = salient(found.text) if found.family in {"pdf", "document", "mail", "image"} else ()
    return Reading(family=found.family, facts=(*found.facts, *more), text=found.text)


def _read(content: bytes, mime_type: str) -> Reading:
    if mime_type.startswith(("audio/", "video/")):
        return card.read_audio(content, mime_type)
    if mime_type in {"image/svg+xml", "application/xml"}:
        from prime.brain.reading.document import read_xml

        return read_xml(content)
    if mime_type.startswith("image/") and mime_type != "image/heic":
        from prime.brain.reading.image import read_image

        return read_image(content)
    if mime_type == "application/pdf":
        from prime.brain.reading.pdf import read_pdf

        return read_pdf(content)
    if mime_type in {"text/csv", "text/tab-separated-values", f"{_OFFICE}spreadsheetml.sheet"}:
        from prime.brain.reading import table

        return table.read_separated(content) if mime_type.startswith("text/") else table.read_workbook(content)
    if mime_type == "message/rfc822":
        from prime.brain.reading.mail import read_mail

        return read_mail(content)
    return _read_document(content, mime_type)


def _read_document(content: bytes, mime_type: str) -> Reading:
    from prime.brain.reading import document

    readers = {
        "text/html": document.read_html,
        "application/json": document.read_json,
        f"{_OFFICE}wordprocessingml.document": document.read_word,
        f"{_OFFICE}presentationml.presentation": document.read_slides,
        "application/vnd.oasis.opendocument.text": document.read_open_text,
    }
    if mime_type in readers:
        return readers[mime_type](content)
    if mime_type.startswith("text/"):
        return document.read_text(content)
    if mime_type in {"application/octet-stream", "application/x-ole-storage", "image/heic"}:
        return card.read_other(mime_type)
    return card.read_archive(content, mime_type)
