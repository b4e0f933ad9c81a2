"""Hints about fields of state templates that other interfaces call otherwise."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from typing import Any

_MEANINGS = {
    "width0": "width w",
    "height0": "height h",
    "depth0": "depth",
    "array_size": "layers array_layers array_length",
    "last_level": "levels mip_levels mipmaps (one less than the number of levels)",
    "nr_samples": "samples sample_count",
    "blend_enable": "enabled enable blend",
    "rgb_func": "color_blend_op blend_op equation",
    "alpha_func": "alpha_blend_op",
    "rgb_src_factor": "src_color_blend_factor src_factor src_rgb",
    "rgb_dst_factor": "dst_color_blend_factor dst_factor dst_rgb",
    "alpha_src_factor": "src_alpha_blend_factor src_alpha",
    "alpha_dst_factor": "dst_alpha_blend_factor dst_alpha",
    "colormask": "color_write_mask write_mask color_mask",
    "rt": "attachments targets render_targets",
    "logicop_func": "logic_op",
    "enabled": "enable test test_enable depth_test_enable stencil_test_enable",
    "writemask": "write write_enable depth_write_enable write_mask",
    "func": "compare compare_op depth_compare_op depth_func function",
    "fail_op": "stencil_fail_op sfail",
    "zpass_op": "pass_op depth_pass_op dppass",
    "zfail_op": "depth_fail_op dpfail",
    "valuemask": "compare_mask read_mask mask",
    "front_ccw": "front_face front_counter_clockwise",
    "cull_face": "cull_mode cull",
    "fill_front": "polygon_mode fill_mode",
    "offset_units": "depth_bias depth_bias_constant_factor polygon_offset_units",
    "offset_scale": "depth_bias_slope_factor slope_scaled_depth_bias polygon_offset_factor",
    "offset_clamp": "depth_bias_clamp",
    "scissor": "scissor_test scissor_enable",
    "rasterizer_discard": "discard rasterizer_discard_enable",
    "depth_clip": "depth_clip_enable",
    "min_img_filter": "min_filter minification filter",
    "mag_img_filter": "mag_filter magnification",
    "min_mip_filter": "mipmap_mode mip_filter mipmap_filter",
    "wrap_s": "address_mode_u address_u wrap_u wrap",
    "wrap_t": "address_mode_v address_v wrap_v",
    "wrap_r": "address_mode_w address_w wrap_w",
    "compare_func": "compare_op",
    "max_anisotropy": "anisotropy",
    "lod_bias": "mip_lod_bias",
    "min_lod": "lod_min_clamp",
    "max_lod": "lod_max_clamp",
    "src_offset": "offset byte_offset",
    "src_format": "format",
    "vertex_buffer_index": "binding buffer slot",
    "instance_divisor": "divisor step_rate",
    "mode": "topology primitive prim",
    "count": "vertex_count index_count vertices",
    "start": "first first_vertex first_index offset",
    "instance_count": "instances instancecount num_instances",
    "start_instance": "first_instance base_instance",
    "index_bias": "base_vertex vertex_offset",
    "vertices_per_patch": "patch_vertices patch_control_points",
    "buffer_offset": "offset",
    "buffer_size": "size range",
    "resource": "texture image",
    "block": "block_size local_size workgroup_size threads",
    "grid": "groups grid_size num_groups workgroups blocks",
}
_NUMBER = (int, float)


def field_hint(kind: str, field: Any, values: Mapping[str, Any], known: Collection[str]) -> str:
    """The end of a message about a field that a template of a kind does not have, or "".

    values: all given values, from which a viewport or a scissor rectangle is computed. known: its fields.
    """
    if not isinstance(field, str):
        return ""
    if kind in _BOXES and field.lower().replace("_", "") in _OF_BOXES:
        return _BOXES[kind](values)
    plain = field.lower()
    close = [name for name, words in _MEANINGS.items() if name in known and plain in words.partition(" (")[0].split()]
    close = close[:1] or get_close_matches(plain, known, 1)
    note = _MEANINGS.get(close[0], "").partition("(")[2] if close else ""
    return f"; did you mean {close[0]}?{note and f' It is {note[:-1]}'}" if close else ""


_EDGES = ("x", "y", "width", "height", "w", "h", "left", "top", "right", "bottom")
_OF_BOXES = {*_EDGES, "near", "far", "mindepth", "maxdepth", "znear", "zfar"}


def _number(values: Mapping[str, Any], names: str, default: float) -> float:
    number = next((values[name] for name in names.split() if isinstance(values.get(name), _NUMBER)), default)
    return float(number)


def _edges(values: Mapping[str, Any]) -> tuple[float, float, float, float]:
    x, y = _number(values, "x left", 0), _number(values, "y top", 0)
    width = _number(values, "width w", _number(values, "right", x) - x)
    height = _number(values, "height h", _number(values, "bottom", y) - y)
    return x, y, width, height


def _viewport(values: Mapping[str, Any]) -> str:
    x, y, width, height = _edges(values)
    near, far = _number(values, "min_depth minDepth near znear", 0), _number(values, "max_depth maxDepth far zfar", 1)
    scale = f"({width / 2:g}, {height / 2:g}, {(far - near) / 2:g})"
    return (
        f"; window coordinates are ndc * scale + translate: this viewport has scale={scale} and "
        f"translate=({x + width / 2:g}, {y + height / 2:g}, {(far + near) / 2:g})"
    )


def _scissor(values: Mapping[str, Any]) -> str:
    x, y, width, height = _edges(values)
    return f"; this rectangle has minx={x:g}, miny={y:g}, and maxx={x + width:g}, maxy={y + height:g}, where it ends"


_BOXES: dict[str, Callable[[Mapping[str, Any]], str]] = {"ViewportState": _viewport, "ScissorState": _scissor}
