"""How a model is asked to fill a form, and how the form is read out of its answer."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

from pydantic import BaseModel, ValidationError

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import ModelRequestParameters

_JSON = re.compile(r"\{.*\}", re.DOTALL)
# A server that holds its model to a form writes until the form is full: so every text and list in it has an end.
_LONGEST_TEXT = 800
_LONGEST_LIST = 8

F = TypeVar("F", bound=BaseModel)
Schema = dict[str, object]


# Fields with the few values that they can have in one request: ids of lines, rules, agents.
Only = Mapping[str, Sequence[str]]


def as_tool(form: type[BaseModel]) -> "ModelRequestParameters":
    """The form as a tool that the model calls: what the three providers' own models do best."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    tool = ToolDefinition(
        name="fill_form",
        description=form.__doc__ or "The answer.",
        parameters_json_schema=form.model_json_schema(),
        kind="output",
        strict=False,
    )
    return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=True)


def as_bounds(form: type[BaseModel], only: Only) -> "ModelRequestParameters":
    """The form as bounds of the answer, which a server that runs a model itself can hold it to, however small it is."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    schema = _ended(_narrowed(form.model_json_schema(), only))
    bounds = OutputObjectDefinition(json_schema=schema, name="form", description=form.__doc__, strict=False)
    return ModelRequestParameters(output_mode="native", output_object=bounds, allow_text_output=True)


def filled(response: "ModelResponse", form: type[F]) -> F:
    """The form from a tool call, or from JSON in the words of a model that does not know tools."""
    from pydantic_ai import messages as theirs

    for part in response.parts:
        if isinstance(part, theirs.ToolCallPart):
            return (
                form.model_validate_json(part.args)
                if isinstance(part.args, str)
                else form.model_validate(part.args or {})
            )
    text = "".join(part.content for part in response.parts if isinstance(part, theirs.TextPart))
    found = _JSON.search(text)
    return form.model_validate_json(found[0] if found else text or "null")


def what_is_wrong(error: ValidationError) -> str:
    """A failed form, told to the model that filled it."""
    places = [
        f"{'.'.join(map(str, each['loc'])) or 'the answer'}: {each['msg']}"
        for each in error.errors(include_url=False, include_context=False, include_input=False)[:8]
    ]
    return f"That does not fit the form: {'; '.join(places)}. Fill it again, completely, and answer with nothing else."


def as_words(response: "ModelResponse") -> "ModelMessage":
    """A failed answer as plain words: a call without a result could not be sent back."""
    from pydantic_ai import messages as theirs

    shown = "".join(
        part.content if isinstance(part, theirs.TextPart) else json.dumps(part.args, ensure_ascii=False)
        for part in response.parts
        if isinstance(part, theirs.TextPart | theirs.ToolCallPart)
    )
    return theirs.ModelResponse(parts=[theirs.TextPart(shown[:4_000] or "(nothing)")])


def _narrowed(schema: object, only: Only) -> Schema:
    """The schema with these fields allowing these values alone; where there are none, null."""

    def narrow(node: object) -> object:
        if isinstance(node, list):
            return [narrow(each) for each in cast("list[object]", node)]
        if not isinstance(node, dict):
            return node
        made = {name: narrow(each) for name, each in cast("Schema", node).items()}
        fields = made.get("properties")
        if isinstance(fields, dict):
            known = cast("Schema", fields)
            made["properties"] = known | {name: _one_of(known[name], only[name]) for name in only if name in known}
        return made

    return cast("Schema", narrow(schema))


def _one_of(field: object, values: Sequence[str]) -> Schema:
    optional = isinstance(field, dict) and "anyOf" in field
    return {"enum": [*values, *([None] if optional or not values else [])]}


def _ended(schema: Schema) -> Schema:
    """The schema with an end to every text and list, and nothing in it that it does not name."""

    def end(node: object) -> object:
        if isinstance(node, list):
            return [end(each) for each in cast("list[object]", node)]
        if not isinstance(node, dict):
            return node
        made = {name: end(each) for name, each in cast("Schema", node).items()}
        if made.get("type") == "string" and "pattern" not in made and "enum" not in made:
            made["maxLength"] = min(_number(made.get("maxLength"), _LONGEST_TEXT), _LONGEST_TEXT)
        elif made.get("type") == "array":
            made["maxItems"] = min(_number(made.get("maxItems"), _LONGEST_LIST), _LONGEST_LIST)
        elif made.get("type") == "object":
            made["additionalProperties"] = False
        return made

    return cast("Schema", end(schema))


def _number(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise
