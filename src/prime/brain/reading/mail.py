"""Mail (EML): who wrote to whom, when and about what, the words, and what was attached."""

from email import message_from_bytes
from email.errors import MessageError
from email.message import EmailMessage
from email.policy import default

from prime.brain.reading.document import html_text
from prime.brain.reading.reading import Reading, Refused, count, cut

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_MAX_PARTS = 500
_MAX_DASHES = 10_000  # lines that may part it: texts have some, too


def read_mail(content: bytes) -> Reading:
    if content.count(b"\n--") > _MAX_DASHES:  # taking tens of thousands of parts apart takes a minute
        raise Refused(f"The mail has more than {_MAX_PARTS} parts.")
    try:
        message = message_from_bytes(content, _class=EmailMessage, policy=default)
        facts = ["mail", *(f"{name.lower()} {_header(message, name)}" for name in _HEADERS if _header(message, name))]
        attached = _attached(message)
        if attached:
            facts.append(f"{count(len(attached), 'attachment')}: {', '.join(attached[:20])}")
        return Reading(family="mail", facts=tuple(facts), text=cut(_words(message)))
    except RecursionError:
        raise Refused("The mail holds mails within mails, deeper than is read.") from None
    except (MessageError, LookupError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise Refused(f"The mail is damaged: {error}.") from error


def _header(message: EmailMessage, name: str) -> str:
    return " ".join(str(message.get(name, "")).split())[:300]


def _attached(message: EmailMessage) -> list[str]:
    names: list[str] = []
    for number, part in enumerate(message.walk()):
        if number > _MAX_PARTS:
            raise Refused(f"The mail has more than {_MAX_PARTS} parts.")
        if part.get_content_disposition() == "attachment" or part.get_filename():
            names.append(" ".join((part.get_filename() or "without a name").split())[:80])
    return names


def _words(message: EmailMessage) -> str:
    body = message.get_body(preferencelist=("plain", "html"))
    if body is None:
        return ""
    text = str(body.get_content())
    return html_text(text)[1] if body.get_content_type() == "text/html" else text.strip()
