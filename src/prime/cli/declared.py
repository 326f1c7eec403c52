"""What Prime's own commands may do, for `prime --agent`: the kinds that several commands share.

Talking to a running `prime serve` through its socket in the data folder does not count as network.
"""

from prime.tools.atip import effects

reads = effects(
    filesystem={"read": True, "write": False, "delete": False},
    network=False,
    subprocess=False,
    idempotent=True,
    destructive=False,
)

writes = effects(
    filesystem={"read": True, "write": True, "delete": False}, network=False, subprocess=False, destructive=False
)
