"""Prime: one chat for its owner, and behind it every agent and every tool.

Importing this package imports nothing else, so that tool and agent authors pay only for what they use.
"""

__version__ = "0.1.0"
