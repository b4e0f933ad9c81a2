"""Options of ``tgsi-compile --link``: a linkage other than the identity, and rasterizer state that devices fold into their tables."""

from __future__ import annotations

import argparse
from typing import Any

from tgsi.language.facts.semantics import SEMANTICS
from tgsi.language.messages import did_you_mean
from tgsi.tools.compile.errors import UsageError

_NAMES = (
    "map",
    "unmatched",
    "moved",
    "sprite_coord_enable",
    "sprite_lower_left",
    "light_twoside",
    "flatshade",
    "ids",
)


def add_link_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options that go with --link; most have the names of the fields of `tgsi.LinkOptions`."""
    group = parser.add_argument_group("with --link")
    group.add_argument(
        "--map",
        metavar="INPUT=OUTPUT",
        action="append",
        default=[],
        help="feed a fragment input with an output of another semantic, e.g. GENERIC[0]=TEXCOORD[2]; several, with commas or repeated",
    )
    group.add_argument("--unmatched", choices=("fill", "error"), help="inputs that no output feeds: fill reads 0, 0, 0, 1 (default)")
    group.add_argument(
        "--moved", choices=("fragment", "vertex"), help="with --emit text or tokens: the program that is renumbered (default: fragment)"
    )
    group.add_argument(
        "--sprite-coord-enable", metavar="BITS", help="bit k: points replace GENERIC[k] and TEXCOORD[k] by their coordinate, e.g. 0x3"
    )
    group.add_argument("--sprite-lower-left", action="store_true", help="the coordinate of points has its origin at the lower left")
    group.add_argument("--light-twoside", action="store_true", help="back faces read BCOLOR instead of COLOR")
    group.add_argument("--flatshade", action="store_true", help="colors without an interpolation mode are constant over a primitive")
    group.add_argument("--ids", choices=("auto", "automatic", "configured"), help="ids of r600 (default: auto; configured where two clash)")


def refuse_link_options(options: argparse.Namespace) -> None:
    """Raise UsageError for an option of --link that is given without --link."""
    for name in _NAMES:
        if getattr(options, name) not in (None, [], False):
            raise UsageError(f"--{name.replace('_', '-')} goes with --link")


def link_options(options: argparse.Namespace) -> Any:
    """The `LinkOptions` of the command line. UsageError: --sprite-coord-enable is not a set of bits."""
    from linkage.options import LinkOptions

    bits = options.sprite_coord_enable or "0"
    try:
        enable = int(bits, 0)
    except ValueError:
        enable = -1
    if not 0 <= enable < 1 << 32:
        raise UsageError(f"--sprite-coord-enable {bits}: expected 32 bits, as 5 or 0x5")
    return LinkOptions(
        sprite_coord_enable=enable,
        sprite_lower_left=options.sprite_lower_left,
        light_twoside=options.light_twoside,
        flatshade=options.flatshade,
        ids=options.ids or "auto",
    )


def link_map(options: argparse.Namespace) -> Any:
    """The `LinkState` of --map. UsageError: an entry is not INPUT=OUTPUT, one of its sides is not a semantic, or an input comes twice."""
    from linkage.options import LinkState, read_semantic

    table: dict[Any, Any] = {}
    for entry in (part.strip() for given in options.map for part in given.split(",")):
        sides = [side.strip() for side in entry.split("=")]
        if len(sides) != 2:
            raise UsageError(f"--map {entry}: expected INPUT=OUTPUT, as GENERIC[0]=TEXCOORD[2]")
        try:
            to, source = (read_semantic(side, f"--map {entry}") for side in sides)
        except ValueError as error:
            unknown = [name for side in sides if (name := side.partition("[")[0].upper()) not in SEMANTICS]
            hint = did_you_mean(unknown[0], SEMANTICS) if unknown else ""
            raise UsageError(f"{error}{f'; {hint}' if hint else ''}") from None
        if to in table:
            raise UsageError(f"--map: {to} is mapped twice, to {table[to]} and to {source}")
        table[to] = source
    return LinkState(table)


def check_map(state: Any, fragment: Any) -> None:
    """Raise UsageError if the fragment program does not read an input that --map names."""
    from linkage.usage import interface_of

    inputs = [item.semantic for item in interface_of(fragment).varyings]
    for to, source in state.mapping.items():
        if to not in inputs:
            known = f"it reads {', '.join(map(str, inputs))}" if inputs else "it reads no varyings"
            raise UsageError(f"--map {to}={source}: the fragment program reads no {to}; {known}")
