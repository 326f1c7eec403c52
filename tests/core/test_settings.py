"""Settings: what the environment says, checked, described, and masked."""

import pytest

from prime.core.errors import InvalidInput
from prime.core.settings import Settings, is_live, meaning_of


def test_nothing_set_is_the_default_and_nothing_is_not_set() -> None:
    settings = Settings.load({"PRIME_PORT": "  ", "PRIME_TICK_MS": ""})
    assert (settings.port, settings.tick_ms, settings.host) == (8787, 6000, "127.0.0.1")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PRIME_PORT", "65536"),
        ("PRIME_PORT", "http"),
        ("PRIME_TICK_MS", "-1"),
        ("PRIME_ASK_NECESSITY_MIN", "1.5"),
        ("PRIME_ASK_NECESSITY_MIN", "nan"),
        ("PRIME_AUTONOMY_MODE", "sometimes"),
        ("PRIME_MAX_LLM_CALLS", "1e999"),
        ("PRIME_MAX_LLM_CALLS", str(2**53)),
        ("PRIME_TICK_MS", str(10**30)),
        ("PRIME_TURN_MAX_USD", "inf"),
        ("PRIME_DATA", "~nobody-of-that-name/prime"),
        ("PRIME_PUBLIC_URL", "javascript:alert(1)"),
        ("PRIME_PUBLIC_URL", "prime.example.com"),
        ("PRIME_TRUSTED_PROXIES", "10.0.0.0/8, caddy"),
    ],
)
def test_what_does_not_fit_is_named_with_what_it_means(variable: str, value: str) -> None:
    if not meaning_of(variable):
        pytest.fail(f"{variable} is no variable")
    with pytest.raises(InvalidInput) as caught:
        Settings.load({variable: value})
    assert str(caught.value).startswith(f"{variable} is not usable")
    assert meaning_of(variable) in (caught.value.hint or "")


def test_a_value_that_does_not_fit_is_not_repeated() -> None:
    with pytest.raises(InvalidInput) as caught:
        Settings.load({"PRIME_PORT": "hunter2"})
    assert "hunter2" not in str(caught.value.as_json())


def test_secrets_are_masked_and_sources_are_told() -> None:
    environment = {"PRIME_ADMIN_TOKEN": "hunter2", "PRIME_TICK_MS": "123"}
    described = {each.variable: each for each in Settings.load(environment).described(environment)}
    assert described["PRIME_TICK_MS"].value == 123
    assert described["PRIME_TICK_MS"].source == "environment"
    assert described["PRIME_PORT"].source == "default"
    assert described["PRIME_ADMIN_TOKEN"].kind == "secret"
    said = Settings.load(environment).model_copy(update={"port": 9, "tick_ms": 5}).described(environment)
    assert {each.variable for each in said if each.source == "command"} == {"PRIME_PORT", "PRIME_TICK_MS"}
    assert "hunter2" not in str(described) + repr(Settings.load(environment))


def test_every_variable_says_what_it_means_and_has_a_name_of_its_own() -> None:
    described = Settings.load({}).described({})
    assert all(each.meaning.endswith(".") for each in described)
    assert len({each.variable for each in described}) == len(described)


def test_changes_are_checked_as_the_environment_is() -> None:
    settings = Settings.load({"PRIME_PORT": "9000"})
    assert settings.changed({"PRIME_TICK_MS": 5}).port == 9000
    with pytest.raises(InvalidInput, match="PRIME_TICK_MS"):
        settings.changed({"PRIME_TICK_MS": -5})
    assert is_live("PRIME_TICK_MS")
    assert not is_live("PRIME_PORT")
    assert not is_live("PRIME_NO_SUCH_THING")


@pytest.mark.holds("D-ATIP-15")
def test_what_the_environment_gives_in_secret_is_known_for_redaction() -> None:
    given = {
        "PRIME_ADMIN_TOKEN": "operator-1",
        "PRIME_DATABASE_URL": "postgresql://prime:p%40ss-2@db/x",
        "PRIME_PORT": "1",
    }
    assert {"operator-1", "p@ss-2", given["PRIME_DATABASE_URL"]} == set(Settings.load(given).secret_values())


def test_what_nobody_set_is_not_set_by_changing_something_else() -> None:
    changed = Settings.load({"PRIME_AUTONOMY_MODE": "full"}).changed({"PRIME_TICK_MS": "500"})
    assert changed.model_fields_set == {"autonomy_mode", "tick_ms"}
    assert (changed.autonomy_mode, changed.tick_ms) == ("full", 500)
