"""Depth and stencil tests of a block of pixels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backends.formats import ChannelType, Format
from backends.llvm.builder.function import Function, Val
from backends.llvm.builder.merge import merge_bits
from backends.llvm.builder.record import Record
from backends.llvm.library.packing import encode_depth, pack_depth_stencil, raw_bits, unpack_stencil
from backends.pipe.enums import CompareFunc, StencilOp
from backends.raster.tile.buffer_keys import DepthKey, FaceKey
from tgsi.language.record import record


def compare(f: Function, func: CompareFunc, a: Val, b: Val, unsigned: bool = False) -> Val:
    """a FUNC b, lane by lane; with a NaN only NOTEQUAL and ALWAYS are true."""
    tests: dict[CompareFunc, Callable[[], Val]] = {
        CompareFunc.LESS: lambda: a.ult(b) if unsigned else a < b,
        CompareFunc.EQUAL: lambda: a.eq(b),
        CompareFunc.LEQUAL: lambda: a.ule(b) if unsigned else a <= b,
        CompareFunc.GREATER: lambda: a.ugt(b) if unsigned else a > b,
        CompareFunc.NOTEQUAL: lambda: a.ne(b),
        CompareFunc.GEQUAL: lambda: a.uge(b) if unsigned else a >= b,
        CompareFunc.NEVER: lambda: a.ne(a) & a.eq(a),
        CompareFunc.ALWAYS: lambda: a.eq(a) | a.ne(a),
    }
    return tests[func]()


def depth_bits(f: Function, format: Format, z: Val) -> Val:
    """The stored bits of a depth in [0, 1] (any number if the format is float)."""
    c = format.depth
    if c is not None and c.type is ChannelType.UNORM and c.size == 24:
        # f32 is within one step of the exact rounding, at a fraction of the cost of f64.
        return f.nearest(z * 16777215.0)
    return encode_depth(f, format, z)


@record(frozen=False)
class Tested:
    """Outcome of the tests: lanes that passed, and new words of the buffer. Lanes outside of the tested mask keep their words."""

    passed: Val
    words: list[Val]


@record(frozen=False)
class DepthTest:
    """The tests of one shading kernel."""

    f: Function
    key: DepthKey
    draw: Record
    lanes: int

    def run(self, z: Val, old: Sequence[Val], mask: Val, front: Val, stencil_ref: Val | None = None) -> Tested:
        """Test the lanes of `mask`.

        Arguments:
            z: depth in [0, 1] (any number if the format is float).
            old: words of the buffer.
            front: scalar, true if the triangle faces the front.
            stencil_ref: the reference value that the shader wrote, if it wrote one.
        """
        f, key = self.f, self.key
        c = key.format.depth
        bits = depth_bits(f, key.format, z) if key.func is not None else None
        depth_pass = mask
        if bits is not None and key.func is not None and c is not None and key.func is not CompareFunc.ALWAYS:
            stored = raw_bits(c, old)
            if c.type is ChannelType.FLOAT:
                depth_pass = mask & compare(f, key.func, z, stored.as_float())
            else:
                depth_pass = mask & compare(f, key.func, bits, stored, unsigned=c.size == 32)
        if key.bounds and c is not None:
            low, high = (depth_bits(f, key.format, f.splat(self.draw.get("fragments.depth_bounds", k), self.lanes)) for k in range(2))
            stored = raw_bits(c, old)
            if c.type is ChannelType.FLOAT:
                inside = (stored.as_float() >= low.as_float()) & (stored.as_float() <= high.as_float())
            else:
                inside = stored.uge(low) & stored.ule(high)
            mask, depth_pass = mask & inside, depth_pass & inside
        stencil, passed = None, depth_pass
        if key.stencil:
            stencil, stencil_pass = self._stencil(unpack_stencil(f, key.format, old), mask, depth_pass, front, stencil_ref)
            passed = depth_pass & stencil_pass
        new = None
        if key.write and bits is not None and c is not None:
            new = f.select(passed, bits, raw_bits(c, old))
        return Tested(passed, pack_depth_stencil(f, key.format, new, stencil, old))

    def _stencil(self, old: Val, mask: Val, depth_pass: Val, front: Val, written: Val | None) -> tuple[Val, Val]:
        """New stencil values and the lanes that pass the stencil test."""
        f = self.f
        results = []
        for side, face in enumerate(self.key.stencil):
            ref = self._reference(side, front) if written is None else written
            results.append(self._face(face, old, mask, depth_pass, ref))
        if len(results) == 1:
            return results[0]
        (value0, pass0), (value1, pass1) = results
        return f.select(front, value0, value1), f.select(front, pass0, pass1)

    def _reference(self, side: int, front: Val) -> Val:
        f, d = self.f, self.draw
        if len(self.key.stencil) == 1:
            value = f.select(front, d.get("fragments.stencil_ref", 0), d.get("fragments.stencil_ref", 1))
        else:
            value = d.get("fragments.stencil_ref", side)
        return f.splat(value, self.lanes)

    def _face(self, face: FaceKey, old: Val, mask: Val, depth_pass: Val, ref: Val) -> tuple[Val, Val]:
        f = self.f
        passed = mask & compare(f, face.func, ref & face.valuemask, old & face.valuemask)
        value = old
        outcomes = ((mask & ~passed, face.fail_op), (passed & ~depth_pass, face.zfail_op), (passed & depth_pass, face.zpass_op))
        for lanes, op in outcomes:
            if op is not StencilOp.KEEP and face.writemask:
                new = stencil_op(f, op, old, ref)
                if face.writemask != 255:
                    new = merge_bits(f, ~face.writemask, old, new)
                value = f.select(lanes, new, value)
        return value, passed


def stencil_op(f: Function, op: StencilOp, old: Val, ref: Val) -> Val:
    """The new 8-bit value."""
    match op:
        case StencilOp.ZERO:
            return f.const(old.type, 0)
        case StencilOp.REPLACE:
            return ref & 255
        case StencilOp.INCR:
            return f.min(old + 1, 255)
        case StencilOp.DECR:
            return f.max(old - 1, 0)
        case StencilOp.INCR_WRAP:
            return (old + 1) & 255
        case StencilOp.DECR_WRAP:
            return (old - 1) & 255
        case StencilOp.INVERT:
            return old ^ 255
        case _:
            return old
