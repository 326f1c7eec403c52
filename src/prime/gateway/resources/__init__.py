"""What clients can read, watch and, with the owner's leave, change: the workspace's files and Prime's own records."""
