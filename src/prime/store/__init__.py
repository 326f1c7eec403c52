"""The log, projections, leases, outbox, live settings, attachments and backups, on SQLite and PostgreSQL."""
