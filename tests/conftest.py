"""What all tests share: the `holds` mark is checked against docs/decisions.md by tests/test_decisions.py."""
