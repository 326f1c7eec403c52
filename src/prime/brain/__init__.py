"""Facts, recall and state: projections of the log, and the queries over them."""
