"""The words of a note: what is certain about the file, what a mind makes of it, and where it can be opened."""

from prime.brain.reading.reading import Reading, cut
from prime.store.attachments import Attachment
from prime.store.message import Body

MAX_DESCRIPTION = 4000
MAX_CONTENT = 40_000  # characters of the file's text that recall finds the note by


def note_text(attachment: Attachment, reading: Reading, description: str) -> str:
    """Facts first, whatever a mind wrote: a note never depends on a model for them."""
    lines = [f"{attachment.name}: {attachment.mime_type}, {attachment.size:,} bytes."]
    if reading.refused:
        lines.append(reading.refused)
    missing = [fact for fact in reading.facts if fact not in description]
    if missing:
        lines.append(". ".join(fact[:1].upper() + fact[1:] for fact in missing) + ".")
    if description.strip():
        lines.append(cut(description.strip(), MAX_DESCRIPTION))
    return "\n".join(lines)


def note_body(attachment: Attachment, reading: Reading) -> Body:
    """`content` is the file's own text: data from whoever sent it."""
    body: dict[str, object] = {
        "attachmentId": attachment.id,
        "name": attachment.name,
        "mimeType": attachment.mime_type,
        "size": attachment.size,
        "sha256": attachment.sha256,
        "family": reading.family,
        "facts": list(reading.facts),
    }
    if reading.text:
        body["content"] = cut(reading.text, MAX_CONTENT)
    if reading.refused:
        body["refused"] = reading.refused
    return body
