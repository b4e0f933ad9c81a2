"""The screen's answers, and the existence of every name in the documents."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tgsi import UnsupportedError
from tgsi import gallium as g
from tgsi.language.printer import print_program

SHARED = Path(__file__).parents[4] / "shared"
needs_documents = pytest.mark.skipif(not (SHARED / "reference" / "gallium.json").exists(), reason="../shared is not there")


def words(text: str) -> list[str]:
    return text.split()


CONTEXT_METHODS = words("""
begin_query bind_blend_state bind_compute_state bind_depth_stencil_alpha_state bind_fs_state bind_gs_state bind_rasterizer_state
bind_sampler_states bind_tcs_state bind_tes_state bind_vertex_elements_state bind_vs_state blit buffer_subdata clear clear_buffer
clear_depth_stencil clear_render_target clear_texture create_batch_query create_blend_state create_compute_state
create_depth_stencil_alpha_state create_fence_fd create_fs_state create_gs_state create_image_handle create_query
create_rasterizer_state create_sampler_state create_sampler_view create_stream_output_target create_surface create_tcs_state
create_tes_state create_texture_handle create_vertex_elements_state create_video_buffer create_video_codec create_vs_state
delete_image_handle delete_texture_handle destroy destroy_query draw_vbo dump_debug_state emit_string_marker end_query
fence_server_signal fence_server_sync flush flush_resource generate_mipmap get_compute_state_info get_device_reset_status
get_query_result get_query_result_resource get_sample_position get_timestamp invalidate_resource is_resource_referenced launch_grid
make_image_handle_resident make_texture_handle_resident memory_barrier render_condition resource_commit resource_copy_region
sampler_view_destroy set_active_query_state set_blend_color set_clip_state set_compute_resources set_constant_buffer set_debug_callback
set_device_reset_callback set_framebuffer_state set_global_binding set_hw_atomic_buffers set_index_buffer set_log_context
set_min_samples set_polygon_stipple set_sample_locations set_sample_mask set_sampler_views set_scissor_states set_shader_buffers
set_shader_images set_shader_resources set_stencil_ref set_stream_output_targets set_tess_state set_vertex_buffers set_viewport_states
set_window_rectangles stream_output_target_destroy surface_destroy texture_barrier texture_subdata transfer_flush_region
transfer_inline_write transfer_map transfer_unmap
""")

SCREEN_METHODS = words("""
can_create_resource check_resource_capability context_create destroy fence_finish fence_get_fd fence_reference flush_frontbuffer
get_compiler_options get_compute_param get_device_uuid get_device_vendor get_disk_shader_cache get_driver_query_group_info
get_driver_query_info get_driver_uuid get_name get_param get_paramf get_sample_pixel_grid get_shader_param get_timestamp get_vendor
get_video_param is_format_supported is_video_format_supported memobj_create_from_handle memobj_destroy query_dmabuf_modifiers
query_memory_info resource_changed resource_create resource_create_front resource_create_with_modifiers resource_destroy
resource_from_handle resource_from_memobj resource_from_user_memory resource_get_handle
""")


def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SHARED / "reference" / "gallium.json").read_text())
    return found


@pytest.mark.parametrize(("kind", "names"), [(g.Context, CONTEXT_METHODS), (g.Screen, SCREEN_METHODS)])
def test_every_method_of_the_documents_exists_and_is_described(kind: type, names: list[str]) -> None:
    for name in names:
        method = getattr(kind, name)
        assert method.__doc__, name
        positional = [
            p
            for p in inspect.signature(method).parameters.values()
            if p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty and p.name != "self"
        ]
        assert len(positional) <= 2, name


@needs_documents
def test_method_lists_are_those_of_the_reference() -> None:
    for key, names in (("pipe_context", CONTEXT_METHODS), ("pipe_screen", SCREEN_METHODS)):
        for entry in document()[key]:
            for name in re.sub(r"\(.*?\)(->\w+)?", "", entry).split(", "):
                if re.fullmatch(r"[a-z]+(_[a-z]+)+", name):
                    assert name in names, name


@needs_documents
def test_every_cap_of_the_documents_is_answered(screen: g.Screen) -> None:
    known = document()
    for cap in known["caps"] + known["caps_in_18_1_but_not_in_seed"]:
        assert isinstance(screen.get_param(cap["name"]), int), cap
    for cap in known["capf"]:
        assert isinstance(screen.get_paramf(cap["name"]), float), cap
    for cap in known["shader_caps"]:
        for stage in g.ShaderType:
            assert isinstance(screen.get_shader_param(stage, cap["name"]), int), cap
    for cap in known["compute_caps"]:
        kind = {"string": str, "u64[3]": tuple}.get(cap["result_type"], int)
        assert isinstance(screen.get_compute_param(cap["name"]), kind), cap


def test_caps_say_what_is_there(screen: g.Screen) -> None:
    assert screen.get_param("PIPE_CAP_MAX_RENDER_TARGETS") == screen.get_param("MAX_RENDER_TARGETS") == 8
    assert (screen.get_param("COMPUTE"), screen.get_param("MAX_STREAM_OUTPUT_BUFFERS")) == (1, 4)
    assert screen.get_shader_param("COMPUTE", "MAX_SHADER_BUFFERS") == screen.get_shader_param("COMPUTE", "MAX_SHADER_IMAGES") == 32
    assert {screen.get_shader_param(stage, "MAX_SHADER_BUFFERS") for stage in g.ShaderType} == {32}
    assert screen.get_compute_param("PIPE_COMPUTE_CAP_MAX_THREADS_PER_BLOCK") == 1024
    assert screen.get_param("VIDEO_MEMORY") > 0
    assert screen.get_shader_param("VERTEX", "MAX_INPUTS") == 32
    assert (screen.get_param("MAX_VERTEX_STREAMS"), screen.get_param("MAX_GEOMETRY_OUTPUT_VERTICES")) == (4, 1024)
    assert screen.get_shader_param("GEOMETRY", "MAX_INPUTS") == 32
    assert screen.get_shader_param("TESS_CTRL", "MAX_INPUTS") == screen.get_shader_param("TESS_EVAL", "MAX_INPUTS") == 32
    assert screen.get_param("MAX_SHADER_PATCH_VARYINGS") == 32
    assert (screen.get_param("ANISOTROPIC_FILTER"), screen.get_paramf("MAX_TEXTURE_ANISOTROPY")) == (1, 16)


OPCODE_CAPS = {
    "TGSI_FS_FINE_DERIVATIVE": "DDX_FINE", "TGSI_TXQS": "TXQS", "TGSI_VOTE": "VOTE_ALL", "TGSI_BALLOT": "BALLOT", "TGSI_CLOCK": "CLOCK",
    "TGSI_TEX_TXF_LZ": "TEX_LZ", "TGSI_PACK_HALF_FLOAT": "PK2H", "TEXTURE_QUERY_LOD": "LODQ", "MAX_TEXTURE_GATHER_COMPONENTS": "TG4",
    "TGSI_DIV": "DIV", "DOUBLES": "DADD", "INT64": "U64ADD", "INT64_DIVMOD": "I64DIV",
    "FBFETCH": "FBFETCH", "COMPUTE": "BARRIER", "TGSI_ATOMFADD": "ATOMFADD", "COMPUTE_SHADER_DERIVATIVE": "DDX",
}  # fmt: skip


@pytest.mark.parametrize("cap", OPCODE_CAPS)
def test_opcode_caps_follow_the_code_generator(screen: g.Screen, cap: str) -> None:
    from backends.llvm.translate.emit import EMITTERS, load_emitters

    load_emitters()
    assert bool(screen.get_param(cap)) is (OPCODE_CAPS[cap] in EMITTERS)


def test_unknown_caps_are_named_with_the_nearest(screen: g.Screen) -> None:
    with pytest.raises(ValueError, match="did you mean PIPE_CAP_OCCLUSION_QUERY"):
        screen.get_param("PIPE_CAP_OCLUSION_QUERY")
    with pytest.raises(TypeError, match="a name such as"):
        screen.get_param(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("format", "given", "expected"),
    [
        ("R8G8B8A8_UNORM", {"bind": "RENDER_TARGET|SAMPLER_VIEW|BLENDABLE"}, True),
        ("PIPE_FORMAT_Z16_UNORM", {"bind": "DEPTH_STENCIL"}, True),
        ("Z16_UNORM", {"bind": "RENDER_TARGET"}, False),
        ("R8G8B8A8_UNORM", {"bind": "RENDER_TARGET", "sample_count": 4}, True),
        ("R8G8B8A8_UNORM", {"bind": "RENDER_TARGET", "sample_count": 3}, False),
        ("R8G8B8A8_UNORM", {"bind": "DISPLAY_TARGET", "sample_count": 4}, False),
        ("R8G8B8A8_UNORM", {"bind": "SAMPLER_VIEW", "sample_count": 4, "target": "TEXTURE_3D"}, False),
        ("Z24_UNORM_S8_UINT", {"bind": "DEPTH_STENCIL", "sample_count": 8, "storage_sample_count": 8}, True),
        ("R8G8B8A8_UNORM", {"bind": "RENDER_TARGET", "sample_count": 8, "storage_sample_count": 4}, False),
        ("R32G32B32_FLOAT", {"bind": "RENDER_TARGET"}, False),
        ("R8G8B8A8_UINT", {"bind": "BLENDABLE"}, False),
        ("R32G32B32_FLOAT", {"bind": "VERTEX_BUFFER", "target": "BUFFER"}, True),
        ("DXT1_RGB", {}, True),
        ("DXT1_RGB", {"bind": "RENDER_TARGET"}, False),
        ("YV12", {}, False),
    ],
)
def test_format_support(screen: g.Screen, format: str, given: dict[str, Any], expected: bool) -> None:
    assert screen.is_format_supported(format, **given) is expected


def test_every_color_format_that_is_said_to_be_a_target_can_be_cleared(screen: g.Screen, ctx: g.Context) -> None:
    for format in g.Format:
        if screen.is_format_supported(format, bind="RENDER_TARGET"):
            ctx.set_framebuffer_state(cbufs=[screen.resource_create(width0=4, height0=4, format=format)])
            ctx.clear("COLOR", color=(1, 0, 1, 0))
            ctx.flush()
        if screen.is_format_supported(format, bind="DEPTH_STENCIL"):
            ctx.set_framebuffer_state(zsbuf=screen.resource_create(width0=4, height0=4, format=format))
            ctx.clear("DEPTHSTENCIL", depth=0.5, stencil=3)
            ctx.flush()


def test_knobs_are_checked_and_have_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGSI_THREADS", "0")
    monkeypatch.setenv("TGSI_LANES", "8")
    assert (g.Screen().threads, g.Screen().lanes, g.Screen(lanes=16).lanes) == (0, 8, 16)
    monkeypatch.setenv("TGSI_THREADS", "two")
    with pytest.raises(ValueError, match="TGSI_THREADS is 'two'"):
        g.Screen()
    monkeypatch.delenv("TGSI_THREADS")
    for given, message in (
        ({"lanes": 12}, "lanes: 12 is not one of"),
        ({"threads": -1}, "threads: -1"),
        ({"cpu": "x86-64-v5"}, "did you mean"),
    ):
        with pytest.raises(ValueError, match=message):
            g.Screen(**given)


def test_compiled_shaders_are_kept_where_the_screen_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TGSI_CACHE_DIR", raising=False)
    assert g.Screen(cache_dir="").get_disk_shader_cache() is None
    assert g.Screen().get_disk_shader_cache() is not None
    monkeypatch.setenv("TGSI_CACHE_DIR", str(tmp_path / "a"))
    assert g.Screen().get_disk_shader_cache() == tmp_path / "a"
    monkeypatch.setenv("TGSI_READY_MADE", "off")  # a context compiles nothing of its own otherwise
    screen = g.Screen(threads=0, cache_dir=tmp_path / "b")
    with screen.context_create():
        assert screen.get_disk_shader_cache() == tmp_path / "b"
    assert any((tmp_path / "b").iterdir())
    assert not (tmp_path / "a").exists()


def test_what_is_not_there_says_so(screen: g.Screen, ctx: g.Context) -> None:
    for call in (screen.resource_from_handle, screen.memobj_create_from_handle, ctx.create_video_codec):
        with pytest.raises(UnsupportedError, match="not supported"):
            call()
    assert screen.fence_get_fd(ctx.flush()) == -1
    assert screen.get_driver_query_info(99) is None
    ctx.set_shader_images("FRAGMENT", [])
    with pytest.raises(TypeError, match=r"set_shader_images: images\[0\]: expected a Resource"):
        ctx.set_shader_images("FRAGMENT", [object()])


def test_destroying_a_screen_destroys_its_contexts() -> None:
    screen = g.Screen(threads=0)
    ctx = screen.context_create()
    screen.destroy()
    assert ctx.is_destroyed
    with pytest.raises(ValueError, match="destroyed"):
        screen.resource_create(width0=4)


def test_front_buffer_is_handed_to_a_callable(screen: g.Screen) -> None:
    seen: list[Any] = []
    texture = screen.resource_create(width0=4, height0=2)
    screen.flush_frontbuffer(texture, winsys=lambda array: seen.append(array.shape))
    assert seen == [(2, 4, 4)]


def test_markers_reach_the_debug_callback(ctx: g.Context) -> None:
    seen: list[tuple[str, str]] = []
    ctx.set_debug_callback(lambda kind, text: seen.append((kind, text)))
    ctx.emit_string_marker("here")
    ctx.set_debug_callback(None)
    ctx.emit_string_marker("not here")
    assert seen == [("marker", "here")]
    assert "rasterizer" in ctx.dump_debug_state()


PROGRAM = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0..1]\nMOV TEMP[0], IN[0]\nMOV OUT[0], TEMP[0]\nEND\n"


def test_the_debug_callback_hears_the_size_of_new_shaders(ctx: g.Context) -> None:
    seen: list[tuple[str, str]] = []
    ctx.set_debug_callback(lambda kind, text: seen.append((kind, text)))
    shader = ctx.create_vs_state(PROGRAM)
    assert seen == [("shader_info", f"shader {shader.serial}: VERT, 3 instructions, 1 input, 1 output, 2 TEMPs")]


def test_the_dump_of_a_context_shows_its_shaders(ctx: g.Context) -> None:
    shader = ctx.create_vs_state(PROGRAM)
    text = print_program(shader.program).rstrip()
    assert text not in ctx.dump_debug_state()
    ctx.bind_vs_state(shader)
    assert f"shader {shader.serial}, VERT, 3 instructions" in ctx.dump_debug_state()
    assert text in ctx.dump_debug_state()


def test_a_screen_with_a_memory_limit_gives_no_more() -> None:
    with g.Screen(threads=0, memory_limit=1 << 16) as screen:
        first = screen.resource_create(target="BUFFER", width0=40000)
        with pytest.raises(MemoryError, match="30000 bytes are needed; of the screen's memory_limit of 65536 40000 are in use"):
            screen.resource_create(target="BUFFER", width0=30000)
        screen.resource_destroy(first)
        assert screen.resource_create(target="BUFFER", width0=30000).width0 == 30000
    with pytest.raises(ValueError, match="memory_limit: -1 is not in"):
        g.Screen(memory_limit=-1)
