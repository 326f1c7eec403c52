"""HTTP: routes, the session gate, the error table at work, /events, and the built page.

Routes parse, call one function and render.
"""
