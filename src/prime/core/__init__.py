"""What everything else stands on: settings, errors, ids, clock, guarded HTTP, secrets, sandboxed processes, text."""
