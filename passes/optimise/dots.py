"""The pass form-dot-products."""

from __future__ import annotations

from collections.abc import Sequence

from passes.analysis.access import is_direct
from passes.analysis.makers import bits_of
from passes.edit import source_of, with_opcode
from passes.form import Form, FormPass
from tgsi.language.facts.enums import TEMP
from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo
from tgsi.language.ir import Instruction, RegisterRef, SrcOperand
from tgsi.language.record import record

_MAD, _MUL = OPCODES["MAD"], OPCODES["MUL"]
_DOTS: dict[OpcodeInfo, OpcodeInfo] = {_MUL: OPCODES["DP2"], OPCODES["DP2"]: OPCODES["DP3"], OPCODES["DP3"]: OPCODES["DP4"]}
"""The dot product of one more channel, by the opcode of the sum so far."""
_SUMS = bits_of(_DOTS)
_COUNTS = {_MUL: 1, OPCODES["DP2"]: 2, OPCODES["DP3"]: 3}

Factor = tuple[RegisterRef, int, bool]
"""One channel of a register, or its absolute value."""

Factors = tuple[Factor, Factor]


@record(slots=False)
class FormDotProducts(FormPass):
    """Write DP2, DP3 or DP4 for a MUL and the MADs that add further products of the same two registers to it.

    A dot product adds up from left to right and rounds each product and each sum, as MUL and MAD do, so that all bits stay. The sum so far
    must be needed for the MAD alone. PRECISE instructions stay.
    """

    name = "form-dot-products"
    needs = (bits_of((_MAD,)), _SUMS)

    def rewrite(self, form: Form) -> bool:
        """See `FormPass.rewrite`."""
        changed, makers = False, form.values.makers
        for place, item in enumerate(form.values.items):
            if item is not None and item.opcode is _MAD and not item.precise:
                summand = item.src[2]
                cell = summand.register.cell + summand.swizzle[(item.dst[0].write_mask & -item.dst[0].write_mask).bit_length() - 1]
                if makers.get(cell, 0) & _SUMS:
                    changed |= _form(form, place, item)
        return changed


def _form(form: Form, place: int, item: Instruction) -> bool:
    """Write a MAD as a dot product if its summand is a product or a dot product of the same registers; return true if it is."""
    values, summand = form.values, item.src[2]
    mask = item.dst[0].write_mask
    channels = [c for c in range(4) if mask >> c & 1]
    first = channels[0]
    if summand.register.file is not TEMP or summand.absolute or not all(_is_alike(item, first, c) for c in channels[1:]):
        return False
    maker = values.definition(place, 2, first)
    before = values.items[maker] if maker is not None and maker >= 0 else None
    if before is None or maker is None or before.opcode not in _DOTS or before.saturate or before.precise:
        return False
    count = _COUNTS[before.opcode]
    if (summand.negate and count > 1) or not values.is_only_for(maker, place):
        return False
    places = range(count) if count > 1 else (summand.swizzle[first],)
    negate = _sign(item.src)
    pairs = _aligned([*[_product(before.src, c) for c in places], _product(item.src, first)])
    if pairs is None or negate is not (_sign(before.src) is not summand.negate):
        return False
    for operand in before.src:
        read = (1 << count) - 1 if count > 1 else 1 << places[0]
        if not values.keeps_operand(operand, read, maker, place):
            return False
    sources = _source([one for one, _ in pairs], negate), _source([two for _, two in pairs], False)
    values.put(place, with_opcode(item, _DOTS[before.opcode], sources, saturate=item.saturate))
    values.remove(maker)
    return True


def _is_alike(item: Instruction, first: int, channel: int) -> bool:
    """Return true if an instruction computes the same in two channels."""
    return all(operand.swizzle[first] == operand.swizzle[channel] for operand in item.src)


def _product(src: Sequence[SrcOperand], channel: int) -> Factors:
    """Return what the first two sources multiply in one channel, signs aside."""
    one, two = ((operand.register, operand.swizzle[channel], operand.absolute) for operand in src[:2])
    return one, two


def _sign(src: Sequence[SrcOperand]) -> bool:
    """Return true if the product of the first two sources is negated."""
    return src[0].negate is not src[1].negate


def _aligned(products: Sequence[Factors]) -> Sequence[Factors] | None:
    """Return the products with all first factors of one register and all second factors of one register; None if they have others."""
    first, second = products[0]
    if not is_direct(first[0]) or not is_direct(second[0]):
        return None
    aligned = []
    for one, two in products:
        if _is_like(one, first) and _is_like(two, second):
            aligned.append((one, two))
        elif _is_like(two, first) and _is_like(one, second):
            aligned.append((two, one))
        else:
            return None
    return aligned


def _is_like(factor: Factor, other: Factor) -> bool:
    """Return true if two factors are channels of one register, both as they are or both without their signs."""
    return factor[0] == other[0] and factor[2] is other[2]


def _source(factors: Sequence[Factor], negate: bool) -> SrcOperand:
    """Return the source of a dot product with one factor of each product."""
    channels = [factor[1] for factor in factors]
    x, y, z, w = (*channels, *[channels[-1]] * (4 - len(channels)))
    return source_of(factors[0][0], (x, y, z, w), negate, factors[0][2])
