"""The owner, sign-in links, sessions, invites and claims."""
