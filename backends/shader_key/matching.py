"""Keys for the stage before a fragment program, whose outputs repeat the qualifiers of its inputs."""

from __future__ import annotations

from dataclasses import replace

from backends.shader_key.application import GivenState, read_state, with_state
from backends.shader_key.key import ShaderKey
from backends.shader_key.qualifiers import qualifiers
from passes.validate import validate
from tgsi.language.facts.enums import File, Processor
from tgsi.language.program import Program


def matching_key(state: GivenState, fragment: Program) -> ShaderKey:
    """Return a key whose `qualifiers` are taken from the inputs of a fragment program in that state: one key for both programs of a pair.

        key = tgsi.matching_key("flat-shade", fragment)
        texts = [tgsi.write_glsl(program, "320 es", state=key) for program in (vertex, fragment)]

    Args:
        state: a `ShaderKey`, a `LoweringOptions`, or the text of either; "" is not a state.
        fragment: the fragment program.

    Raises:
        TypeError, ValueError: an argument is wrong, or the program is of another stage.
        ValidationError, UnsupportedError: the program breaks a rule, or cannot have that state.
    """
    key = read_state(state, "matching_key")
    if not isinstance(fragment, Program):
        raise TypeError(f"matching_key: fragment: expected a Program, not {type(fragment).__name__}")
    if fragment.processor is not Processor.FRAG:
        raise ValueError(f"matching_key: fragment: the program is of stage {fragment.processor.name}, not FRAG")
    validate(fragment)
    lowered_fragment, _ = with_state(fragment, replace(key, sets={}), "matching_key")
    matches = {}
    for item in lowered_fragment.declared(File.IN):
        if item.semantic is not None and (words := qualifiers(item)):
            for offset in range(item.last - item.first + 1):
                matches[f"{item.semantic.name}[{item.semantic.index + offset}]"] = words
    return replace(key, qualifiers={**matches, **key.qualifiers})
