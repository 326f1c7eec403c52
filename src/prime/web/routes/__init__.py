"""Routes by what they are about. Each parses, calls one function and renders."""
