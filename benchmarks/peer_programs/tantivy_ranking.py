"""Tantivy's order of documents: lines of JSON in (the documents first, then the questions), ids of the best hundred out.

The first line is a list of [id, text]; each line after it is a question, answered with a list of ids. English stems, its own
ranking, any of the words, as its query parser takes them.
"""

# Its package is in the peer's environment only, where no one checks types.
# pyright: basic, reportMissingImports=false

import json
import re
import sys

import tantivy


def main() -> None:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    builder.add_text_field("text", stored=False, tokenizer_name="en_stem")
    index = tantivy.Index(builder.build())
    writer = index.writer(64_000_000, 1)
    for name, text in json.loads(sys.stdin.readline()):
        writer.add_document(tantivy.Document(id=name, text=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    for line in sys.stdin:
        words = " ".join(re.findall(r"\w+", json.loads(line))).lower()
        hits = searcher.search(index.parse_query(words, ["text"]), 100).hits
        print(json.dumps([searcher.doc(address).get_first("id") for _, address in hits]), flush=True)


if __name__ == "__main__":
    main()
