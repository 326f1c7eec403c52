"""How recall's tables are kept up with the log."""
