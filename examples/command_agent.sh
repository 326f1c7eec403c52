#!/usr/bin/env bash
# A wrapper around a command-line agent: whatever reads text and prints text becomes an agent on the network.
# Here `sort -u` plays the part; put `claude -p`, `llm` or your own program in its place.
set -euo pipefail
export AGENT_NAME="${AGENT_NAME:-Sorter}" AGENT_CAPABILITIES="${AGENT_CAPABILITIES:-sorting}"
exec prime agent run --command "${AGENT_COMMAND:-sort -u}"
