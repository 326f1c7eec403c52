"""The process that reads one file: its bytes on stdin, one line of JSON on stdout.

It runs where it can reach nothing and take little, because whoever sent the file chose what is in it.
"""

import json
import sys

from prime.brain.reading.families import read
from prime.core.media import media_type


def main() -> None:
    content = sys.stdin.buffer.read()
    found = read(content, media_type(content))
    # Whatever a file holds, the line is one that can be written and read.
    line = json.dumps({"family": found.family, "facts": found.facts, "text": found.text, "refused": found.refused})
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
