"""Every kind of kernel has the system values of its stage in its table, and refuses the others by name or gives 0."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from backends.geometry.geometry_shader import GeometryInputs
from backends.geometry.tessellation.control import ControlRegisters
from backends.geometry.tessellation.evaluation import EvaluationRegisters
from backends.llvm.kernels.grids import GridRegisters
from backends.llvm.kernels.mesh_grids import MeshGridRegisters
from backends.llvm.kernels.stages import VertexRegisters
from backends.llvm.kernels.system_values import SystemValues
from backends.raster.tile.inputs import PixelInputs
from backends.run.system_values import DEFAULTS
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.semantics import SEMANTICS
from tgsi.language.facts.stages import STAGES
from tgsi.language.text.parser import parse

KINDS: dict[Processor, type[SystemValues] | type[PixelInputs]] = {
    Processor.VERT: VertexRegisters,
    Processor.TESS_CTRL: ControlRegisters,
    Processor.TESS_EVAL: EvaluationRegisters,
    Processor.GEOM: GeometryInputs,
    Processor.FRAG: PixelInputs,
    Processor.COMP: GridRegisters,
    Processor.TASK: MeshGridRegisters,
    Processor.MESH: MeshGridRegisters,
}


def stages_of(name: str) -> frozenset[Processor]:
    """Stages that may have a semantic as a system value, from a text such as ``TCS out, TES SV/in``."""
    found: set[Processor] = set()
    for part in SEMANTICS[name].stages.split(", "):
        if "SV" in part:
            words = part.split()[0].split("/")
            found |= {stage for stage, row in STAGES.items() if row.prefix.removesuffix("_") in words or words == ["any"]}
    return frozenset(found)


UNSET = {"CS_USER_DATA_AMD"}
"""Values that no call of Gallium sets; contexts refuse programs with them."""

NAMES = [name for name in SEMANTICS if stages_of(name)]
REFUSED = [(stage, name) for stage, kind in KINDS.items() if issubclass(kind, SystemValues) and kind.KERNELS for name in NAMES]


def test_every_stage_has_a_kind_of_kernel() -> None:
    assert KINDS.keys() == set(Processor)
    assert len(NAMES) == 32


@pytest.mark.parametrize("stage", list(Processor))
def test_the_table_of_a_stage_has_its_system_values(stage: Processor) -> None:
    wanted = {name for name in NAMES if stage in stages_of(name)}
    assert wanted
    assert wanted - KINDS[stage].SYSTEM_VALUES.keys() <= UNSET


@pytest.mark.parametrize("stage", list(Processor))
def test_tables_name_system_values(stage: Processor) -> None:
    assert KINDS[stage].SYSTEM_VALUES.keys() <= {*NAMES, "POSITION"}  # drivers use POSITION as a system value of fragments
    assert DEFAULTS.keys() <= set(NAMES)


@pytest.mark.parametrize(("stage", "name"), [(s, n) for s, n in REFUSED if n not in KINDS[s].SYSTEM_VALUES])
def test_a_value_that_the_table_lacks_is_refused_by_name(stage: Processor, name: str) -> None:
    kind = KINDS[stage]
    assert issubclass(kind, SystemValues)
    program = parse(f"VERT\nDCL SV[0], {name}\nEND\n")
    interface = SimpleNamespace(program=program, SYSTEM_VALUES=kind.SYSTEM_VALUES, KERNELS=kind.KERNELS)
    with pytest.raises(UnsupportedError, match=rf"B004.*the system value {name} is not supported by {kind.KERNELS} kernels"):
        SystemValues.system_value(interface, 0, 0)  # type: ignore[arg-type]
