"""The drop-in agent: an async function becomes an agent on the network.

Imports core and network only, so that it stays light.
"""
