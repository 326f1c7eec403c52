"""Tantivy over the messages of a file, asked line by line (JSON): how long it took in milliseconds out.

A line is a query and its channel; with a text as its third, that is first added to the channel, for good and to be found.
"""

# Its package is in the peer's environment only, where no one checks types.
# pyright: basic, reportMissingImports=false

import json
import sys
import time
from pathlib import Path

import tantivy


def build(texts: Path, folder: Path) -> tuple[tantivy.Index, tantivy.IndexWriter]:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("channel", stored=False, tokenizer_name="raw")
    builder.add_text_field("text", stored=True, tokenizer_name="en_stem")
    index = tantivy.Index(builder.build(), path=str(folder))
    writer = index.writer(64_000_000, 1)
    with texts.open(encoding="utf-8") as lines:
        for line in lines:
            channel, text = json.loads(line)
            writer.add_document(tantivy.Document(channel=channel, text=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index, index.writer(64_000_000, 1)


def say(index: tantivy.Index, writer: tantivy.IndexWriter, channel: str, text: str) -> float:
    begin = time.perf_counter()
    writer.add_document(tantivy.Document(channel=channel, text=text))
    writer.commit()
    index.reload()
    return (time.perf_counter() - begin) * 1000


def search(index: tantivy.Index, words: str, channel: str | None) -> tuple[float, int]:
    begin = time.perf_counter()
    query = index.parse_query(words, ["text"])
    if channel:
        only = tantivy.Query.term_query(index.schema, "channel", channel)
        query = tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, only)])
    searcher = index.searcher()
    hits = searcher.search(query, 10).hits
    snippets = tantivy.SnippetGenerator.create(searcher, query, index.schema, "text")
    found = [snippets.snippet_from_doc(searcher.doc(address)).fragment() for _, address in hits]
    return (time.perf_counter() - begin) * 1000, len(found)


def main() -> None:
    begin = time.perf_counter()
    index, writer = build(Path(sys.argv[1]), Path(sys.argv[2]))
    print(json.dumps({"seconds": time.perf_counter() - begin}), flush=True)
    for line in sys.stdin:
        words, channel, *said = json.loads(line)
        kept = sum(say(index, writer, channel, text) for text in said)
        took, found = search(index, words, channel)
        print(json.dumps([kept + took, found]), flush=True)


if __name__ == "__main__":
    main()
