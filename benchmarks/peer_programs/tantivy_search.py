"""Tantivy over the messages of a file, asked line by line (JSON): how long it took in milliseconds out.

A line is a query and its channel; with a text as its third, that is first added to the channel, for good and to be found.
With `--context` it does what a search in a chat has to: a message is found by what was said up to two before and after it in
its channel, too, which is a field of its own; stop words are left out; a hit has the message's fields and what matches in it.
"""

# Its package is in the peer's environment only, where no one checks types.
# pyright: basic, reportMissingImports=false

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import tantivy

WINDOW = 2
STOP_WORDS = tantivy.Filter.stopword("english")


def schema_of(*, context: bool) -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("channel", stored=context, tokenizer_name="raw")
    builder.add_text_field("text", stored=True, tokenizer_name="chat" if context else "en_stem")
    if context:
        builder.add_text_field("near", stored=False, tokenizer_name="chat", index_option="freq")
        for name in ("id", "actor", "kind"):
            builder.add_text_field(name, stored=True, tokenizer_name="raw")
        builder.add_integer_field("ts", stored=True)
    return builder.build()


def open_index(folder: Path, *, context: bool) -> tantivy.Index:
    index = tantivy.Index(schema_of(context=context), path=str(folder))
    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.lowercase())
    index.register_tokenizer("chat", words.filter(STOP_WORDS).filter(tantivy.Filter.stemmer("english")).build())
    return index


def build(texts: Path, folder: Path, *, context: bool) -> tuple[tantivy.Index, tantivy.IndexWriter]:
    index = open_index(folder, context=context)
    writer = index.writer(64_000_000, 1)
    with texts.open(encoding="utf-8") as lines:
        said = [json.loads(line) for line in lines]
    for fields in with_context(said) if context else ({"channel": channel, "text": text} for channel, text in said):
        writer.add_document(tantivy.Document(**fields))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index, index.writer(64_000_000, 1)


def with_context(said: list[tuple[str, str]]) -> Iterator[dict[str, object]]:
    rooms: dict[str, list[str]] = {}
    for channel, text in said:
        rooms.setdefault(channel, []).append(text)
    places = dict.fromkeys(rooms, 0)
    for number, (channel, text) in enumerate(said):
        at, room = places[channel], rooms[channel]
        places[channel] += 1
        near = " ".join([*room[max(at - WINDOW, 0) : at], *room[at + 1 : at + 1 + WINDOW]])
        yield {
            "channel": channel, "text": text, "near": near, "id": f"msg_{number}", "actor": f"act_{number % 7}",
            "kind": "text", "ts": number,
        }  # fmt: skip


def say(index: tantivy.Index, writer: tantivy.IndexWriter, channel: str, text: str) -> float:
    begin = time.perf_counter()
    writer.add_document(tantivy.Document(channel=channel, text=text))
    writer.commit()
    index.reload()
    return (time.perf_counter() - begin) * 1000


def search(index: tantivy.Index, words: str, channel: str | None, *, context: bool) -> tuple[float, int]:
    begin = time.perf_counter()
    query = index.parse_query(words, ["text", "near"] if context else ["text"], {"near": 0.5} if context else {})
    if channel:
        only = tantivy.Query.term_query(index.schema, "channel", channel)
        query = tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, only)])
    searcher = index.searcher()
    hits = searcher.search(query, 10, count=False).hits
    snippets = tantivy.SnippetGenerator.create(searcher, query, index.schema, "text")
    if context:
        snippets.set_max_num_chars(240)
    shown = [(score, searcher.doc(address)) for score, address in hits]
    found = [hit_of(score, document, snippets.snippet_from_doc(document), fields=context) for score, document in shown]
    return (time.perf_counter() - begin) * 1000, len(found)


def hit_of(score: float, document: tantivy.Document, snippet: tantivy.Snippet, *, fields: bool) -> tuple[object, ...]:
    if not fields:
        return (snippet.fragment(),)
    known = [document.get_first(name) for name in ("id", "channel", "actor", "kind", "ts")]
    return (score, *known, snippet.fragment(), [(part.start, part.end) for part in snippet.highlighted()])


def main() -> None:
    begin = time.perf_counter()
    context = "--context" in sys.argv
    index, writer = build(Path(sys.argv[1]), Path(sys.argv[2]), context=context)
    print(json.dumps({"seconds": time.perf_counter() - begin}), flush=True)
    for line in sys.stdin:
        words, channel, *said = json.loads(line)
        kept = sum(say(index, writer, channel, text) for text in said)
        took, found = search(index, words, channel, context=context)
        print(json.dumps([kept + took, found]), flush=True)


if __name__ == "__main__":
    main()
