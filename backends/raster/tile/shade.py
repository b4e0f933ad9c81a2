"""Shading: one kernel for each `FragmentKey` and program. It walks the list of pixel blocks that coverage made (see `coverage`)."""

from __future__ import annotations

from backends.llvm.builder.function import BOOL, F32, I32, I64, PTR, Function, Module, Type, Val
from backends.llvm.builder.lanes import LaneMap
from backends.llvm.builder.values import mask_of
from backends.raster.tile.fragment import FragmentInfo, FragmentKey
from backends.raster.tile.lists import quad_width, row_lanes, run_bytes, run_rows
from backends.raster.tile.pixel_block import PixelBlock
from backends.raster.tile.pixel_queue import PixelQueue, queues_pixels
from backends.raster.tile.planes import Kernel, Planes, Reciprocals, begin_kernel, end_kernel
from backends.raster.tile.surfaces import QuadView, RunView, streams, views_ahead

_AHEAD = 96  # bytes of the list from a block of quads to the one whose texels are prefetched


def build_shade(key: FragmentKey, info: FragmentInfo, module: Module) -> None:
    """shade(worker, draw, arena, list, size). The kernel has the fragment shader once for runs, and with `key.quads` again for quads."""
    has_queue = queues_pixels(key, info)
    if has_queue:
        from backends.raster.tile.queued_pixels import build_shade_pixels  # few kernels have a queue

        build_shade_pixels(key, info, module)
    f = Function(module, "shade", [PTR, PTR, PTR, PTR, I32])
    _, _, arena, list_, size = f.args
    lanes, narrow = key.lanes, quad_width(key.lanes)
    kernel = begin_kernel(f, key, info)
    if not key.reads_targets and key.depth is None:
        kernel.streams = streams(f, [t for _, t in kernel.targets], lanes, size)
    queue = PixelQueue(kernel, narrow) if has_queue else None
    cursor = f.var(I32, 0)
    with f.loop() as loop:
        here = cursor.get()
        loop.break_if(here >= size)
        record, blocks, xy, bits = (f.load(I32, list_, here + 4 * k) for k in range(4))
        at = f.at(arena, record)
        x, y = xy & 0xFFFF, xy.lshr(16)
        mask = f.load(I64, list_, here + 16) if lanes > 32 else bits
        if not key.quads:
            _shade_run(kernel, Planes(kernel, at, lanes), (x, y), blocks, mask)
            cursor.set(here + run_bytes(lanes))
        else:
            with f.else_of(bits.ne(0)) as quads:
                if queue is not None:
                    queue.flush()
                _shade_run(kernel, Planes(kernel, at, lanes), (x, y), blocks, mask)
                cursor.set(here + run_bytes(lanes))
                quads()
                if queue is not None:
                    queue.begin(record, xy)
                _shade_quads(kernel, Planes(kernel, at, narrow), (x, y), blocks, f.at(list_, here + 16), queue)
                cursor.set(here + 16 + blocks * narrow)
    if queue is not None:
        queue.flush()
    end_kernel(kernel)


def _shade_run(kernel: Kernel, planes: Planes, corner: tuple[Val, Val], blocks: Val, bits: Val) -> None:
    f, lanes, rows = kernel.f, planes.lanes, run_rows(planes.lanes, kernel.info.has_loops)
    lane_columns, lane_rows = row_lanes(lanes, rows)
    lane_x, lane_y = (f.lanes_const(I32.wide(lanes), v) for v in (lane_columns, lane_rows))
    if f.has_word_masks and lanes <= 32:
        each = f.lanes_const(I32.wide(lanes), [1 << i for i in range(lanes)])
        covered = mask_of((each & bits).eq(each).sext(I32))
    else:
        covered = (bits.trunc(Type("i", lanes)) if lanes < 32 else bits).bits_as(BOOL.wide(lanes))
    full = bits.eq((1 << lanes) - 1 if lanes < 32 else -1)
    first_x, y = lane_x + corner[0], lane_y + corner[1]
    planes.row(planes.relative(y, 1))
    pixel_y, columns = y.to_float() + 0.5, lanes // rows
    middle = f.splat(planes.anchor[0].to_float() + 0.5, lanes)
    views = [RunView(f, t, lanes, *corner, rows, kernel.streams) for _, t in kernel.targets]
    depth = RunView(f, kernel.depth, lanes, *corner, rows) if kernel.depth is not None else None
    fetched = [RunView(f, t, lanes, *corner, rows) for _, _, t in kernel.fetched]
    last = corner[0] + blocks * columns - 1, corner[1] + (rows - 1)
    in_range = planes.keeps_depth_range(corner, last) if kernel.depth is not None else None
    only_stores = kernel.is_short and not kernel.info.is_constant and not kernel.key.reads_targets
    small = [t for _, t in kernel.targets if t.texel_bytes <= 4] if only_stores else []  # wide texels fill memory anyway
    ahead = views_ahead(f, small, lanes, (corner, blocks), rows)
    start = planes.relative(f.lanes_const(I32.wide(columns), range(columns)) + corner[0], 0)
    distance = f.var(F32.wide(columns), start)  # whole numbers, so sums are exact; they have less latency than conversions of k
    ready = Reciprocals(planes, f.shuffle(start, start, lane_columns)) if Reciprocals.are_worth_it(planes) else None
    with f.range(0, blocks) as k:
        before = distance.get()
        after = before + float(columns)
        distance.set(after)
        x = f.shuffle(before, before, lane_columns)
        for view in ahead:
            view.prefetch(k)
        block = PixelBlock(
            kernel=kernel,
            planes=planes,
            lane_map=LaneMap(lanes, "run", rows),
            x=x,
            centers=(x + middle, pixel_y),
            pixels=(first_x + k * columns, y),
            colors=[v.move(k) for v in views],
            depth=depth.move(k) if depth is not None else None,
            fetched=[v.move(k) for v in fetched],
            unique=None,
            full=full,
            in_range=in_range,
            ready_w=ready.next(f.shuffle(after, after, lane_columns), k + 1 < blocks) if ready is not None else None,
        )
        block.shade(covered)


def _shade_quads(kernel: Kernel, planes: Planes, tile: tuple[Val, Val], blocks: Val, words_at: Val, queue: PixelQueue | None) -> None:
    f, lanes, per_block = kernel.f, planes.lanes, planes.lanes // 4
    vec = I32.wide(lanes)
    positions = ([i % 2 for i in range(lanes)], [i // 2 % 2 for i in range(lanes)])
    lane_x, lane_y = (f.lanes_const(vec, v) + t for v, t in zip(positions, tile))
    bit = f.lanes_const(vec, [1 << 16 + i % 4 for i in range(lanes)])
    views = [QuadView(f, t, lanes, *tile) for _, t in kernel.targets]
    depth = QuadView(f, kernel.depth, lanes, *tile) if kernel.depth is not None else None
    fetched = [QuadView(f, t, lanes, *tile) for _, _, t in kernel.fetched]
    pixel = f.lanes_const(vec, [x | y << 8 for x, y in zip(*positions)])
    with f.range(0, blocks) as k:
        at = f.at(words_at, k * lanes)
        packed = f.load(I32.wide(per_block), at) if per_block > 1 else f.load(I32, at)
        word = f.shuffle(packed, packed, [i // 4 for i in range(lanes)]) if per_block > 1 else f.splat(packed, lanes)
        x, y, covered = (word & 63) + lane_x, (word.lshr(8) & 63) + lane_y, (word & bit).ne(0)
        covered = mask_of(covered.sext(I32)) if f.has_word_masks else covered
        words = [f.load(I32, at, 4 * q) for q in range(per_block)]
        for q in {0, per_block - 1}:
            later = f.load(I32, at, _AHEAD + 4 * q)  # perhaps a word of another entry, but any word gives places inside the tile
            for view in (*(views if queue is None else []), *([depth] if depth is not None else [])):
                view.prefetch(later)
        planes.row(planes.relative(y, 1))
        centers = (x.to_float() + 0.5, y.to_float() + 0.5)
        # The last block is padded with its last quad, which counters and atomics must not see twice.
        before = f.shuffle(word, word, [max(i - 4, 0) for i in range(lanes)])
        first = f.lanes_const(vec, [-1 if i < 4 else 0 for i in range(lanes)]).ne(0) | word.ne(before)
        block = PixelBlock(
            kernel=kernel,
            planes=planes,
            lane_map=LaneMap(lanes, "quad"),
            x=planes.relative(x, 0),
            centers=centers,
            pixels=(x, y),
            colors=[v.move(words) for v in views],
            depth=depth.move(words) if depth is not None else None,
            fetched=[v.move(words) for v in fetched],
            unique=first,
        )
        if queue is None:
            block.shade(covered)
        else:
            block.enqueue(covered, queue, pixel + (word & 0x3F3F))
