from prime.core.ids import new_id


def test_ids_are_prefixed_and_differ() -> None:
    ids = {new_id("msg") for _ in range(1000)}
    assert len(ids) == 1000
    assert all(i.startswith("msg_") and len(i) == 24 for i in ids)
