"""Recall beside plain FTS5 over a million messages: what grows with the log, and what does not. The rest is `recall.py`'s."""

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from recall import measure
from report import scaled

if __name__ == "__main__":
    asyncio.run(measure("recall_million", scaled(1_000_000, 20_000)))
