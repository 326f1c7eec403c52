"""Prime's short word in the owner's room about what was surfaced."""

from prime.hub.directive.updates import update_text
from prime.hub.feed import FeedItem


def surfaced(title: str, text: str) -> FeedItem:
    return FeedItem(id="f", type="surfaced", title=title, text=text, channel_id="ch_1", sources=("m",), ts=0)


def test_who_writes_is_named_once() -> None:
    asked = surfaced("Mara Lind", "Mara Lind asks: “When?” What should I answer?")
    direct = update_text([asked], 0, {"ch_1": "Mara Lind"})
    assert direct == "What is new:\n- Mara Lind asks: “When?” What should I answer?"
    assert update_text([surfaced("已经办好。", "已经办好。")], 0, {"ch_1": "场地"}) == "新情况：\n- 场地：已经办好。"
    assert update_text([surfaced("It is done.", "It is done.")], 0, {"ch_1": "Venue"}).endswith("- Venue: It is done.")
