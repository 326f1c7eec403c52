"""Web Push: what brings the owner back when a question waits."""
