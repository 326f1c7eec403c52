"""Minds that are language models, reached over HTTP. pydantic-ai is imported only when one of them is made."""
