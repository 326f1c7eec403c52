"""Catalog and pipeline of tools; ATIP, discovery, providers, policy, priming and runtimes inside."""
