"""The composition root: settings become concrete parts, parts become the ASGI app and its loops."""
