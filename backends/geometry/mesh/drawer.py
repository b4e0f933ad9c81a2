"""Draws of meshes, for one renderer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from backends.device.bound import DrawState
from backends.device.framebuffer import Framebuffer
from backends.device.grid import MeshDraw
from backends.device.hazards import Reach
from backends.geometry.drawn import Drawn
from backends.geometry.mesh.groups import make_groups
from backends.geometry.mesh.stage import MeshStage, Output, Piece
from backends.geometry.mesh.tasks import Runs, Tasks, whole_grid
from backends.geometry.shaded import Worker
from backends.geometry.waves import Waves
from backends.pipe.enums import Prim
from backends.raster.draw.builder import DrawBuilder
from backends.raster.draw.packet import Packet
from backends.raster.draw_record import Draw
from backends.run.meshes import MAX_TASK_AXIS, MAX_TASK_GROUPS
from passes.analysis import facts

CHUNK, LEAST, PARTS = 1024, 32, 4
"""Most workgroups of a chunk, fewest that are worth a chunk, and the number of chunks for each thread between these sizes."""
CHUNK_BYTES = 16 << 20
"""Most bytes that the output of a chunk may take in the worst case; a chunk of one workgroup may exceed it."""

_MODES = {1: Prim.POINTS, 2: Prim.LINES, 3: Prim.TRIANGLES}
_MANY = 1 << 16
"""Larger estimates of primitives are clamped to this one, as they would change nothing."""
_REFUSED = (
    f"EMIT_MESH_TASKS: {{}} tasks launch more than {MAX_TASK_AXIS} workgroups along an axis or {MAX_TASK_GROUPS} in all: none is launched"
)
_FAULTS = {
    "cut_vertices": "SET_MESH_OUTPUTS: {} workgroups set more vertices than MS_MAX_OUTPUT_VERTICES: cut",
    "cut_primitives": "SET_MESH_OUTPUTS: {} workgroups set more primitives than MS_MAX_OUTPUT_PRIMITIVES: cut",
    "lost": "PRIMITIVE_INDICES: {} primitives name vertices that do not exist: not drawn",
    "refused": _REFUSED,
}


class MeshDrawer:
    """Draws of meshes with the threads of `waves`."""

    def __init__(self, maker: DrawBuilder, waves: Waves) -> None:
        self._maker, self._waves = maker, waves

    def draw(self, state: DrawState, draw: MeshDraw, framebuffer: Framebuffer, reach: Reach | None) -> Drawn:
        """Run the task and mesh workgroups of one draw, and pass their primitives to the rasterizer.

        reach: memory that the programs may touch. UnsupportedError is raised before anything ran.
        """
        waves, drawn, reads = self._waves, Drawn(), list[tuple[int, int]]()
        is_alone = reach is not None and reach.is_alone
        stage, tasks, template = self._make(state, draw, framebuffer, reads, is_alone)
        waves.sink.settle(reads, [])
        waves.start()
        faults: Counter[str] = Counter()
        for runs in tasks.waves(waves, is_alone) if tasks is not None else _one(draw):
            faults["refused"] += runs.refused
            self._run(stage, runs, template, drawn, faults, is_alone)
        for worker in waves.workers:
            drawn.counts.update(worker.counts)
            worker.counts.clear()
        drawn.faults = tuple(text.format(faults[name]) for name, text in _FAULTS.items() if faults[name])
        return drawn

    def make(self, state: DrawState, draw: MeshDraw, framebuffer: Framebuffer, reach: Reach | None) -> None:
        """Make the stages of one draw without running them, for their kernels. UnsupportedError as from `draw`."""
        self._make(state, draw, framebuffer, [], reach is not None and reach.is_alone)

    def _make(
        self, state: DrawState, draw: MeshDraw, framebuffer: Framebuffer, reads: list[tuple[int, int]], is_alone: bool
    ) -> tuple[MeshStage, Tasks | None, Packet | None]:
        """The stages of a draw, and the packet of the rasterizer's part. reads: receives the memory that the programs read."""
        maker, shader = self._maker, state.mesh.shader
        assert shader is not None
        program, is_threaded = shader.program, self._waves.count > 1 and not is_alone
        tasks = self._tasks(state, draw, reads, is_threaded)
        groups = make_groups(maker, state, state.mesh, reads, program.property("MS_SHARED_BYTES"), is_threaded=is_threaded)
        output = facts.of(program, Output.of)
        template = None
        if framebuffer.width and framebuffer.height:
            most = min(draw.groups * program.property("MS_MAX_OUTPUT_PRIMITIVES"), _MANY) if tasks is None else _MANY
            template = maker.make_stored(state, shader, _MODES[output.key.corners], most, framebuffer)
        numbers = template is not None and bool(Draw.from_address(template.address).setup.wants_prim)
        words = tasks.words if tasks is not None else 0
        return MeshStage(maker.kernels.cache, groups, output, words, numbers=numbers), tasks, template

    def _tasks(self, state: DrawState, draw: MeshDraw, reads: list[tuple[int, int]], is_threaded: bool) -> Tasks | None:
        shader = state.task.shader
        if shader is None:
            return None
        program = shader.program
        groups = make_groups(self._maker, state, state.task, reads, program.property("TS_SHARED_BYTES"), is_threaded=is_threaded)
        return Tasks(groups, draw, program.property("TS_PAYLOAD_BYTES"))

    def _run(self, stage: MeshStage, runs: Runs, template: Packet | None, drawn: Drawn, faults: Counter[str], is_alone: bool) -> None:
        """Run mesh workgroups, chunk by chunk."""
        waves, total = self._waves, runs.total
        parts = 1 if is_alone or waves.count == 1 else PARTS * waves.count
        size = max(1, min(CHUNK, max(total // parts, LEAST), CHUNK_BYTES // stage.most_bytes))
        size = -(-size // stage.together) * stage.together
        faults_of_workers: dict[int, Counter[str]] = {}

        def work(worker: Worker, chunk: int) -> list[Piece]:
            first = chunk * size
            memory = worker.brief if template is None else worker.kept
            own = faults_of_workers.setdefault(id(worker), Counter())
            return stage.run(waves, worker, runs, first, min(size, total - first), memory, own)

        def take(piece: Piece) -> None:
            drawn.generated[0] += piece.generated
            if template is not None and piece.count:
                waves.sink.enqueue(
                    self._maker.place_stored(
                        template, piece.vertices, piece.corners, piece.numbers, piece.count, piece.rows, piece.row_size
                    )
                )

        waves.run(-(-total // size), work, take, is_alone)
        for own in faults_of_workers.values():
            faults.update(own)


def _one(draw: MeshDraw) -> Iterator[Runs]:
    yield whole_grid(draw)
