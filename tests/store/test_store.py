"""Opening a store: which addresses are taken for one."""

import pytest

from prime.core.errors import InvalidInput
from prime.store.store import check_url


@pytest.mark.parametrize(
    "url", ["mysql://hunter2@h/x", "postgresql://[::hunter2", "postgresql://u:hunter2@h:abc/x", ""]
)
def test_what_is_no_address_of_a_database_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(InvalidInput, match="PRIME_DATABASE_URL") as refused:
        check_url(url)
    assert "hunter2" not in str(refused.value.as_json())
    assert refused.value.__cause__ is None
