"""Compute: shaders, GLOBAL memory, and launch_grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from backends.device.commands.bound_record import Hindrance
from backends.device.grid import DEFAULT_PRIVATE, ComputeBindings, ComputeShader, Grid, Triple
from backends.device.interface import Device, Dispatcher
from backends.gallium.context.core import ContextCore
from backends.gallium.context.global_memory import GlobalMemory
from backends.gallium.context.grid_info import ComputeStateInfo, GridInfo, checked_grid, entry_program, indirect_size
from backends.gallium.context.shader_resources import slots
from backends.gallium.context.shaders import check_shader, read_program, wrong_stage
from backends.gallium.resource.screen_core import ScreenCore
from backends.pipe.checks import Remembered, integer, make, sequence
from backends.pipe.enums import Bind, ShaderType
from backends.pipe.field_list import takes_fields
from backends.pipe.limits import MAX_BLOCK, MAX_INPUT, MAX_LOCAL, MAX_PRIVATE, MAX_SHADER_BUFFERS
from tgsi.language.diagnostics import shown_at_caller
from tgsi.language.facts.enums import Processor
from tgsi.language.program import Program

if TYPE_CHECKING:
    from backends.pipe.keywords import GridInfoFields

MAX_REMEMBERED = 256
_SHOWN = int(Hindrance.USER_MEMORY | Hindrance.OWN_SAMPLES)
"""Hindrances with which memory is shown or read before a grid, pending work or not."""
_Launch = tuple[Program, Grid, int]
"""A checked launch: the program, its blocks, and the number of threads."""


class Compute(ContextCore):
    """Compute shaders, global memory, launch_grid."""

    def __init__(self, screen: ScreenCore, device: Device) -> None:
        super().__init__(screen, device)
        self._compute: ComputeBindings | None = None
        self._dispatcher: Dispatcher | None = None
        self._global = GlobalMemory(MAX_SHADER_BUFFERS)
        self._launches: Remembered[_Launch] = Remembered(MAX_REMEMBERED)
        self._memories.append(self._launches.clear)
        self._holdings.append(self._global.clear)

    # -- shaders ---------------------------------------------------------------------------------------------------------
    @shown_at_caller
    def create_compute_state(
        self,
        program: Program | str | bytes,
        *,
        req_local_mem: int | None = None,
        req_private_mem: int | None = None,
        req_input_mem: int = 0,
    ) -> ComputeShader:
        """Create a compute shader from a program or its text. (context.rst, "Compute kernel execution")

        Args:
            program: a COMP program.
            req_local_mem: bytes of SHARED memory of a block, at most 32768, which is also the default. The memory is 0 at the start of
                each block; a program can reach no more than it is given.
            req_private_mem: bytes of PRIVATE memory of a thread, at most 32768; 4096 by default. The memory is 0 at the start.
            req_input_mem: bytes of INPUT memory that launch_grid has to give, at most 65536.

        Raises:
            ParseError, ValidationError: the text is not TGSI, or breaks a rule; every finding is in the exception.
            TypeError, ValueError: the program is of another stage, or a size is out of range.
        """
        name = "create_compute_state"
        checked = read_program(program, name, Processor.COMP)
        if checked.processor is not Processor.COMP:
            raise ValueError(wrong_stage(name, Processor.COMP, checked.processor))
        local = MAX_LOCAL if req_local_mem is None else integer(req_local_mem, f"{name}: req_local_mem", 0, MAX_LOCAL)
        private = DEFAULT_PRIVATE if req_private_mem is None else integer(req_private_mem, f"{name}: req_private_mem", 0, MAX_PRIVATE)
        inputs = integer(req_input_mem, f"{name}: req_input_mem", 0, MAX_INPUT)
        return ComputeShader(checked, owner=self.screen, req_local_mem=local, req_private_mem=private, req_input_mem=inputs)

    def bind_compute_state(self, shader: ComputeShader | None) -> None:
        """Bind a compute shader. With None, grids are refused. (context.rst, "Compute kernel execution")"""
        self._compute_shader = None if shader is None else self._check_compute(shader, "bind_compute_state")

    def destroy_compute_state(self, shader: ComputeShader) -> None:
        """Destroy a compute shader. (context.rst, "Compute kernel execution")"""
        self._check_compute(shader, "destroy_compute_state").end()

    delete_compute_state = destroy_compute_state

    def get_compute_state_info(self, shader: ComputeShader) -> ComputeStateInfo:
        """Return the limits of a compute shader. (p_context.h)"""
        handle = self._check_compute(shader, "get_compute_state_info")
        return ComputeStateInfo(MAX_BLOCK, self._dispatch().lanes_for(handle.program), handle.req_private_mem)

    def _check_compute(self, shader: Any, name: str) -> ComputeShader:
        check_shader(shader, Processor.COMP, self.screen, name)
        if not isinstance(shader, ComputeShader):
            raise TypeError(f"{name}: expected an object from create_compute_state")
        return shader

    # -- bindings --------------------------------------------------------------------------------------------------------
    def _compute_bindings(self) -> ComputeBindings:
        if self._compute is None:
            self._compute = ComputeBindings(self.state.stage[ShaderType.COMPUTE], self.state.counters)
        return self._compute

    def set_global_binding(self, resources: Sequence[Any] = (), *, first: int = 0) -> tuple[int, ...]:
        """Map buffers into GLOBAL memory; None unmaps a slot. (context.rst, "Compute kernel execution")

        GLOBAL has 32-bit byte addresses. A single mapped buffer lies at address 0, and a launch works on it in place. Several buffers have
        separate addresses, and a launch works on a copy of all of them, which is written back afterwards.

        Returns:
            The address of each, 0 for None.

        Raises:
            TypeError, ValueError: an item is not a buffer or was made without bind GLOBAL, a slot does not exist (there are 32), or all
                buffers together exceed 1 GiB.
        """
        name = "set_global_binding"
        items = sequence(resources, f"{name}: resources")
        start = slots(name, "resources", items, first, MAX_SHADER_BUFFERS, "first")
        for index, item in enumerate(items):
            argument = f"{name}: resources[{index}]"
            if item is not None and not self.checks.resource(item, argument).is_buffer:
                raise ValueError(f"{argument}: a texture cannot be mapped into global memory")
            if item is not None and not item.bind & Bind.GLOBAL:
                raise ValueError(f"{argument}: the buffer was not made with bind GLOBAL")
        addresses = self._global.put(start, items)
        for slot, item in enumerate(items, start):
            self.order.note_slot((name, ShaderType.COMPUTE, slot), item)
        return addresses

    # -- launches --------------------------------------------------------------------------------------------------------
    @takes_fields(GridInfo)
    def launch_grid(self, info: GridInfo | Mapping[str, Any] | None = None, **keywords: Unpack[GridInfoFields]) -> None:
        """Run the bound compute shader, one thread for each place of the grid. On return all its bytes are in memory.

        Pending drawing that reads or writes bound memory is carried out first. The render condition does not hold for grids.

        Args:
            info: a GridInfo; its fields are also taken by keyword, e.g. ``launch_grid(block=(64, 1, 1), grid=(16, 1, 1))``.
            keywords: fields of GridInfo.

        Raises:
            TypeError, ValueError: an argument is wrong, or no shader is bound.
            UnsupportedError: the program uses something that cannot be compiled; the message names it, and nothing ran.

        (context.rst, "Compute kernel execution")
        """
        name = "launch_grid"
        shader = self._compute_shader
        if shader is None:
            raise ValueError(f"{name}: no compute shader is bound")
        if shader.is_destroyed:
            self._check_compute(shader, name)
        if info is None and "input" not in keywords and "indirect" not in keywords:
            launch = self._launches.of(self._launch_of_items, shader, (*keywords,), *keywords.values())  # the next one is often the same
        else:
            launch = self._checked_launch(shader, info, keywords)
        program, grid, invocations = launch
        bindings, hindrances = self._compute_bindings(), self.state.record.hindrances
        if hindrances & _SHOWN or self.device.pending:
            self._finish_pending(bindings)
        if self._global.is_empty:
            self._dispatch().launch(shader, program, bindings, grid)
        else:
            with self._global.bound(self.order.writable(of_draws=False, but="set_global_binding")) as memory:
                self._dispatch().launch(shader, program, bindings, replace(grid, memory=memory))
        if hindrances & Hindrance.USER_MEMORY:
            for resource in self.order.writable(of_draws=False):
                resource.push()
        self._cs_invocations += invocations

    def _planned_grid(
        self, info: GridInfo | Mapping[str, Any] | None, keywords: Mapping[str, Any]
    ) -> tuple[ComputeShader, Program, ComputeBindings, Grid]:
        """Check the arguments of `launch_grid`; returns those that it passes to the dispatcher. Errors as from the call."""
        shader = self._compute_shader
        if shader is None:
            raise ValueError("launch_grid: no compute shader is bound")
        program, grid, _ = self._checked_launch(shader, info, keywords)
        return shader, program, self._compute_bindings(), grid

    def _launch_of_items(self, shader: ComputeShader, names: Sequence[str], *values: Any) -> _Launch:
        return self._checked_launch(shader, None, dict(zip(names, values)))

    def _checked_launch(self, shader: ComputeShader, info: GridInfo | Mapping[str, Any] | None, keywords: Mapping[str, Any]) -> _Launch:
        """Check the arguments of a launch."""
        wanted = make(GridInfo, info, keywords, "launch_grid")
        program = entry_program(shader, integer(wanted.pc, "launch_grid: pc"))
        grid = checked_grid(shader, wanted, None if wanted.indirect is None else self._indirect(wanted))
        return program, grid, grid.invocations

    def _indirect(self, info: GridInfo) -> Triple:
        buffer = self.checks.resource(info.indirect, "launch_grid: indirect")
        self.order.finish_uses(buffer)
        buffer.pull()
        return indirect_size(buffer, info.indirect_offset)

    def _finish_pending(self, bindings: ComputeBindings) -> None:
        """Carry out pending drawing that uses bound memory, then read memory of the caller."""
        uses = self.device.uses
        has_samples = self.targets.has_own_samples
        if self.device.pending and (has_samples or any(uses(*piece) for piece in (*bindings.ranges(), *self._global.ranges()))):
            self.order.synchronize()
        if self.order.user_memory or has_samples:
            self.order.show_runs()
            for resource in self.order.user_memory:
                if not self.order.is_busy(resource):
                    resource.pull()

    def _dispatch(self) -> Dispatcher:
        if self._dispatcher is None:
            self._dispatcher = self.screen.make_dispatcher(self.device)
        return self._dispatcher

    def _close_compute(self) -> None:
        """End the threads that run grids."""
        if self._dispatcher is not None:
            self._dispatcher.close()
