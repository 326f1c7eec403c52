from prime.core.errors import Conflict, InvalidInput, PrimeError, wire_codes


class _Special(InvalidInput):
    code = "special"


def test_a_subclass_takes_its_ancestors_row() -> None:
    assert wire_codes(_Special("no")).http == 400
    assert wire_codes(PrimeError("no")).exit == 1


def test_an_error_shows_code_message_hint_and_data() -> None:
    shown = _Special("Bad name.", hint="Use letters.", field="name").as_json()
    assert shown == {"code": "special", "message": "Bad name.", "hint": "Use letters.", "field": "name"}


def test_what_only_has_to_wait_is_not_told_as_wrong_parameters() -> None:
    """`resources/write` that waits for a yes: -32602 would have its caller change what is right."""
    assert wire_codes(Conflict("It waits.")).jsonrpc != wire_codes(InvalidInput("It is wrong.")).jsonrpc
