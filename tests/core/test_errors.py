from prime.core.errors import InvalidInput, PrimeError, wire_codes


class _Special(InvalidInput):
    code = "special"


def test_a_subclass_takes_its_ancestors_row() -> None:
    assert wire_codes(_Special("no")).http == 400
    assert wire_codes(PrimeError("no")).exit == 1


def test_an_error_shows_code_message_hint_and_data() -> None:
    shown = _Special("Bad name.", hint="Use letters.", field="name").as_json()
    assert shown == {"code": "special", "message": "Bad name.", "hint": "Use letters.", "field": "name"}
