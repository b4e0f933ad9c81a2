"""Records of parts, and the block of memory of a template that is composed of parts."""

from __future__ import annotations

import ctypes
from ctypes import c_int32, c_int64, c_uint64, c_void_p

from backends.pipe.limits import MAX_SAMPLER_VIEWS
from backends.raster.draw_record import Draw
from backends.software.commands.hashing import UNIT_STAGES
from backends.software.commands.records import TemplateRecord
from backends.software.commands.template_fields import STEPS

MOST_CONCLUSIONS = max(len(step.concludes) for step in STEPS)


class Run(ctypes.Structure):
    """32-bit words written by a step: their byte offset in a Block, and their number."""

    _fields_ = [("offset", c_int32), ("words", c_int32)]


class PartRecord(ctypes.Structure):
    """The result of a step for the facts of `key`."""

    _fields_ = [
        ("key", c_void_p),  # u64
        ("length", c_int32),  # words of the key
        ("step", c_int32),
        ("frame", c_int64),  # of the last use
        ("conclusions", c_uint64 * MOST_CONCLUSIONS),  # their numbers
        ("runs", c_void_p),  # Run
        ("data", c_void_p),  # u32, of all runs
        ("num_runs", c_int32),
        ("pad", c_int32),
    ]


class PartSlot(ctypes.Structure):
    """An entry of the hash table of parts; part 0: empty."""

    _fields_ = [("part", c_uint64), ("hash", c_int32), ("pad", c_int32)]


class Block(ctypes.Structure):
    """A template with the records that it points to. It keeps its parts alive."""

    _fields_ = [
        ("template", TemplateRecord),
        ("parts", c_uint64 * len(STEPS)),  # addresses
        ("classes", c_int32 * (2 * MAX_SAMPLER_VIEWS * len(UNIT_STAGES))),
        ("draw", Draw),
    ]
