"""Errors as MCP sends them."""

from prime.core.errors import JsonValue, PrimeError, wire_codes


def error_of(error: PrimeError) -> dict[str, JsonValue]:
    """Code, sentence and what helps: the field that is wrong, above all."""
    data = {key: value for key, value in error.as_json().items() if key != "message"}
    if "pointer" in data and "field" not in data:
        data["field"] = str(data["pointer"]).strip("/").replace("/", ".")
    return {"code": wire_codes(error).jsonrpc, "message": str(error), "data": data}
