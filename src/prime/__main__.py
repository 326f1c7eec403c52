"""Where both commands, `prime` and `prime-agent`, begin.

Asking Prime what it can do (`prime --agent`) is answered from a generated document before anything heavy is imported:
agents ask it of every program on the PATH, so it must cost hardly more than starting Python.
"""

import sys


def main() -> None:
    if "--agent" in sys.argv[1:]:
        from prime.cli.agent_document import answer

        code = answer(sys.argv[1:])
        if code is not None:
            sys.exit(code)
    from prime.cli.main import run

    run()


if __name__ == "__main__":
    main()
