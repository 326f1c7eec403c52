"""The war room, the swarm, the directive engine, the drafts gate, and the jobs that ask a mind and log its answer."""
