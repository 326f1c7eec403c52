"""Prompts, one file per job. A file of the same name in the owner's folder takes the place of Prime's."""

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from string import Template
from typing import Literal

from prime.core.errors import InvalidInput

Job = Literal["plan", "reply", "judge", "rule", "extract", "consolidate", "describe", "draft", "picture"]


class Prompts:
    def __init__(self, *folders: Path) -> None:
        """`folders` are the owner's, the first that has a file wins."""
        self._folders: Sequence[Path] = folders

    def text(self, job: Job, values: Mapping[str, str] | None = None) -> str:
        """The instructions for a job, with its `$values` filled in."""
        source, where = self._source(job)
        try:
            return Template(source).substitute(values or {}).strip()
        except (KeyError, ValueError) as error:
            raise InvalidInput(
                f"The prompt {where} cannot be filled: {error}.",
                hint=f"Use only {', '.join(f'${name}' for name in values or {}) or 'plain text'}; write $$ for a dollar sign.",
            ) from error

    def _source(self, job: Job) -> tuple[str, str]:
        for folder in self._folders:
            path = folder / f"{job}.md"
            if path.is_file():
                return path.read_text("utf-8"), str(path)
        return resources.files("prime.mind").joinpath(f"prompts/{job}.md").read_text("utf-8"), f"{job}.md"
