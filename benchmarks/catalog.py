"""Workloads: name, unit, work per frame, and facts about the expected picture. Both sides read this module."""

from __future__ import annotations

from dataclasses import dataclass

WIDTH, HEIGHT = 1920, 1080
PIXELS = WIDTH * HEIGHT
LAYERS = 16
SMALL_CELLS = 708
TORUS_CELLS = (500, 200)
PATCH_CELLS = 24
PATCH_TRIANGLES = 298_272
PATCH_DRAWS = 6  # llvmpipe loses triangles if one draw is tessellated to more than 65536 vertices
VERTICES = 1_000_000
SPRITES = 250_000
DRAWS = 10_000
MESHES = 100_000
COMPILES = 24
TARGETS = 1_000
QUERIES = 500  # that are active one after the other before their results are asked for
FRAMES = 200
HABITS = 2_000  # mappings or views of a frame, each of them before a draw
UPLOADS = 100  # of a texture and a buffer, 64 KiB each
SAXPY = 1 << 22  # elements of a vector
MATRIX = 512  # rows and columns
BLUR_SIZE = 1920, 1080
TOLERANCE = 2 / 255  # largest difference of a mean or of the covered share


@dataclass(frozen=True, slots=True)
class Check:
    """Summary of a picture in five numbers: the mean of each channel (0..1) and the share of pixels that are not all zero."""

    mean: tuple[float, float, float, float]
    covered: float

    def distance(self, other: Check) -> float:
        """Largest difference between corresponding numbers."""
        gaps = [abs(a - b) for a, b in zip(self.mean, other.mean, strict=True)]
        return max(*gaps, abs(self.covered - other.covered))


@dataclass(frozen=True, slots=True)
class Workload:
    """Workload of the benchmark.

    `work` is the amount of work per frame in the prefix of `unit` (millions of pixels for Mpixel/s). The value is work / seconds, or for
    a latency (`unit` begins with "ms") milliseconds / work. `expected` describes llvmpipe's picture; None if there is no picture.
    """

    name: str
    unit: str
    work: float
    expected: Check | None
    what: str

    @property
    def is_latency(self) -> bool:
        return self.unit.startswith("ms")

    def value(self, seconds: float) -> float:
        """Convert the seconds of a frame to the workload's unit."""
        return seconds * 1e3 / self.work if self.is_latency else self.work / seconds


_LAYER_PIXELS = LAYERS * PIXELS / 1e6
_MPIXELS = PIXELS / 1e6
_BLUR_PIXELS = BLUR_SIZE[0] * BLUR_SIZE[1] / 1e6

_ALL = (
    Workload(
        "clear", "Mpixel/s", _MPIXELS, Check((0.251, 0.502, 0.749, 1.0), 1.0), "Clear color (.25,.5,.75,1) and depth 1.0 of RGBA8 + D24."
    ),
    Workload("fill_flat", "Mpixel/s", _MPIXELS, Check((0.2, 0.4, 0.6, 1.0), 1.0), "QUAD, constant color from a uniform vec4 (.2,.4,.6,1)."),
    Workload(
        "gouraud",
        "Mpixel/s",
        _MPIXELS,
        Check((0.3333, 0.5, 0.5, 1.0), 1.0),
        "QUAD, vec4 color (red, green, blue, white at the corners), w = 1.",
    ),
    Workload(
        "gouraud_persp", "Mpixel/s", _MPIXELS, Check((0.3718, 0.489, 0.3937, 1.0), 1.0), "As gouraud with clip w = 1,2,3,4 at the corners."
    ),
    Workload(
        "tex_bilinear",
        "Mpixel/s",
        _MPIXELS,
        Check((0.4996, 0.4986, 0.4998, 0.5001), 1.0),
        "QUAD, 256x256 RGBA8 random texture, repeat, linear, rotated 30 degrees, close to one texel a pixel.",
    ),
    Workload(
        "tex_trilinear_min",
        "Mpixel/s",
        _MPIXELS,
        Check((0.5076, 0.5078, 0.508, 0.508), 1.0),
        "Perspective plane, w = 1..8, 1024x1024 RGBA8 random texture with box-filtered mipmaps, trilinear, lod about 1..4.",
    ),
    Workload(
        "blend16",
        "Mpixel/s",
        _LAYER_PIXELS,
        Check((0.2555, 0.2813, 0.2702, 0.2431), 1.0),
        "Clear, then 16 instanced QUADs, SRC_ALPHA/ONE_MINUS_SRC_ALPHA, flat color times fract(x/64), alpha .25; layer pixels.",
    ),
    Workload(
        "depth_front_to_back",
        "Mpixel/s",
        _LAYER_PIXELS,
        Check((0.1501, 0.2, 0.251, 0.251), 1.0),
        "Clear color and depth, 16 instanced QUADs nearest first, LESS, depth written; layer pixels.",
    ),
    Workload(
        "depth_back_to_front",
        "Mpixel/s",
        _LAYER_PIXELS,
        Check((0.425, 0.2749, 0.4751, 0.251), 1.0),
        "As depth_front_to_back, farthest first: all 16 layers pass.",
    ),
    Workload(
        "alu_mandel64",
        "Mpixel/s",
        _MPIXELS,
        Check((0.2518, 0.4568, 0.1657, 1.0), 1.0),
        "QUAD; z = z*z + c exactly 64 times with |z| clamped to 4, no early exit.",
    ),
    Workload(
        "divergent_loop",
        "Mpixel/s",
        _MPIXELS,
        Check((0.216, 0.101, 0.3222, 1.0), 1.0),
        "QUAD; escape-time Mandelbrot, at most 256 turns, break when |z|^2 > 4.",
    ),
    Workload(
        "raymarch",
        "Mpixel/s",
        640 * 360 / 1e6,
        Check((0.3705, 0.4344, 0.5053, 1.0), 1.0),
        "QUAD 640x360; at most 48 sphere-tracing steps, sin, exp, pow, normalize.",
    ),
    Workload(
        "small_tris",
        "Mtriangle/s",
        SMALL_CELLS**2 * 2 / 1e6,
        Check((0.5006, 0.4998, 0.5002, 1.0), 1.0),
        "2048x2048 RGBA8 + D24, clear, 1,002,528 indexed triangles of about 4.2 pixels, vec3 color, random z.",
    ),
    Workload(
        "mesh_torus",
        "Mtriangle/s",
        TORUS_CELLS[0] * TORUS_CELLS[1] * 2 / 1e6,
        Check((0.1719, 0.0811, 0.058, 0.4193), 0.41935),
        "Clear, 200,000 indexed triangles of a torus, Blinn-Phong per pixel with normalize and pow, depth LESS.",
    ),
    Workload(
        "tess_surface",
        "Mtriangle/s",
        PATCH_TRIANGLES / 1e6,
        Check((0.1508, 0.0671, 0.0459, 0.4826), 0.4826),
        "Clear, 576 bicubic patches in 6 draws, levels 4..24 from the control shader, fractional odd; normals; the torus's light; LESS.",
    ),
    Workload(
        "geometry_mesh",
        "Mtriangle/s",
        TORUS_CELLS[0] * TORUS_CELLS[1] * 2 / 1e6,
        Check((0.1719, 0.0811, 0.058, 0.4193), 0.41935),
        "As mesh_torus, through a geometry shader that hands on what it gets.",
    ),
    Workload(
        "geometry_quads",
        "Mtriangle/s",
        SPRITES * 2 / 1e6,
        Check((0.1483, 0.1481, 0.148, 0.3821), 0.38213),
        "Clear, 250,000 points with a color; a geometry shader makes a strip of two triangles of each, 4x4 pixels; depth LESS.",
    ),
    Workload(
        "vertex_bound",
        "Mvertex/s",
        VERTICES / 1e6,
        Check((0.0, 0.0, 0.0, 0.0), 0.0),
        "256x256; 1,000,000 vertices, 16 dependent mat4*vec4 and normalize steps each; every triangle lies outside.",
    ),
    Workload(
        "mrt4_rgba16f",
        "Mpixel/s",
        _MPIXELS,
        Check((0.4998, 0.4998, 0.4998, 0.4998), 1.0),
        "QUAD into four RGBA16F targets: v, 2v, 3v, 4v; pixels of one target.",
    ),
    Workload(
        "msaa4_resolve",
        "Mpixel/s",
        _MPIXELS,
        Check((0.4149, 0.4145, 0.436, 0.4466), 0.81518),
        "4 samples a pixel: clear, 64 random gouraud triangles (NDC -1..1), resolve to one sample; pixels of the resolved target.",
    ),
    Workload(
        "draw_calls",
        "draw/s",
        DRAWS,
        Check((0.1542, 0.1516, 0.1535, 0.3058), 0.30579),
        "512x512, clear, 10,000 draws of one triangle of about 8 pixels, a uniform vec4 changed before each; both sides from Python.",
    ),
    Workload(
        "draw_many",
        "draw/s",
        DRAWS,
        Check((0.1542, 0.1516, 0.1535, 0.3058), 0.30579),
        "The draws of draw_calls, ours by one call of draw_many; the peer has no such call, and makes its draw_calls.",
    ),
    Workload(
        "draw_constants",
        "draw/s",
        DRAWS,
        Check((0.1536, 0.152, 0.1524, 0.152), 0.30579),
        "As draw_calls, with a new uniform vec4 for each of the two stages before each draw.",
    ),
    Workload(
        "draw_first",
        "draw/s",
        DRAWS,
        Check((0.1526, 0.1523, 0.1517, 0.3058), 0.30579),
        "512x512, clear, 10,000 draws of one triangle, each with another first vertex in one vertex buffer; nothing else changes.",
    ),
    Workload(
        "draw_restart",
        "draw/s",
        DRAWS,
        Check((0.1527, 0.1529, 0.1523, 0.3052), 0.30518),
        "512x512, clear, 10,000 indexed draws of two strips with primitive restart between, each at another offset of one index buffer.",
    ),
    Workload(
        "draw_states",
        "draw/s",
        DRAWS,
        Check((0.2547, 0.2512, 0.3282, 0.2552), 0.8847),
        "512x512 + depth, clear, 10,000 draws of one triangle, 8 combinations of blending, depth test, culling, shaders, texture in turn; "
        "a uniform vec4 changed before each.",
    ),
    Workload(
        "draw_meshes",
        "draw/s",
        MESHES,
        Check((0.3219, 0.4868, 0.4899, 0.9766), 0.97663),
        "Clear color and depth, 100,000 different meshes of 20 to 60 indexed triangles in shared buffers, a uniform vec4 each, depth LESS.",
    ),
    Workload(
        "draw_geometry",
        "draw/s",
        DRAWS,
        Check((0.2374, 0.2357, 0.2365, 0.6104), 0.61035),
        "512x512, clear, 10,000 draws of four points; a geometry shader makes two triangles of each; a uniform vec4 changed before each.",
    ),
    Workload(
        "draw_patches",
        "draw/s",
        DRAWS,
        Check((0.0763, 0.0763, 0.1145, 0.1526), 0.15259),
        "512x512, clear, 10,000 draws of a patch of four points in 12 triangles; a uniform vec4 changed before each.",
    ),
    Workload(
        "draw_uploads",
        "draw/s",
        DRAWS,
        Check((0.1526, 0.1523, 0.1517, 0.3058), 0.30579),
        "The triangles of draw_first, 3 vertices written into one small buffer before each draw.",
    ),
    Workload(
        "draw_queries",
        "draw/s",
        DRAWS,
        Check((0.1526, 0.1523, 0.1517, 0.3058), 0.30579),
        "The triangles of draw_first, each in an occlusion query of its own; 500 results are asked for after 500 draws.",
    ),
    Workload(
        "draw_targets",
        "draw/s",
        TARGETS,
        Check((0.4991, 0.4973, 0.5093, 0.5054), 1.0),
        "Two targets of 64x64 in turn: a texture fills the first, the first fills the second, 500 times.",
    ),
    Workload(
        "small_frames",
        "frame/s",
        FRAMES,
        Check((0.0505, 0.0404, 0.017, 0.0515), 0.05151),
        "64x64, 200 frames: clear, one random triangle, the picture read into one host buffer.",
    ),
    Workload(
        "readback", "GB/s", PIXELS * 4 / 1e9, Check((0.2, 0.4, 0.6, 1.0), 1.0), "Read a 1920x1080 RGBA8 picture into one host buffer."
    ),
    Workload(
        "shader_compile",
        "ms/shader",
        COMPILES,
        None,
        "64x64; 24 distinct shader pairs a frame: compile, link, first draw, finish. No disk cache.",
    ),
    Workload(
        "compute_saxpy",
        "Melement/s",
        SAXPY / 1e6,
        Check((0.5001, 0.5, 0.2501, 0.2964), 1.0),
        "z = 2x + y for 4,194,304 floats in three buffers, blocks of 256 threads.",
    ),
    Workload(
        "compute_matmul",
        "Gflop/s",
        2 * MATRIX**3 / 1e9,
        Check((0.5001, 0.4989, 0.2502, 0.2504), 1.0),
        "Product of two matrices of 512 x 512; blocks of 16 x 16 threads share tiles, two barriers a tile.",
    ),
    Workload(
        "compute_blur",
        "Mpixel/s",
        _BLUR_PIXELS,
        Check((0.5, 0.4998, 0.5001, 0.5001), 1.0),
        "1920x1080 RGBA8 images; nine texels wide, then nine high, by imageLoad and imageStore; pixels of the result.",
    ),
    Workload(
        "compute_histogram",
        "Mpixel/s",
        _MPIXELS,
        Check((0.25, 0.2499, 0.1231, 0.1808), 0.78516),
        "Luminance of 1920x1080 RGBA8 words in 256 bins: atomics on shared memory, then on a buffer.",
    ),
    Workload(
        "tex_array",
        "Mpixel/s",
        _MPIXELS,
        Check((0.4862, 0.5118, 0.5487, 0.5122), 1.0),
        "QUAD, 16 layers of 256x256 RGBA8 with mipmaps, trilinear, 1.5 texels a pixel; two neighboring layers mixed by a wave.",
    ),
    Workload(
        "tex_cube",
        "Mpixel/s",
        _MPIXELS,
        Check((0.5264, 0.5463, 0.5179, 0.4317), 1.0),
        "QUAD, cube map of 256x256 RGBA8 with mipmaps, trilinear, seamless; rays reflected by waves reach all faces.",
    ),
    Workload(
        "tex_shadow",
        "Mpixel/s",
        _MPIXELS,
        Check((0.4981, 0.4491, 0.3985, 1.0), 1.0),
        "QUAD, 1024x1024 depths of 24 bits, four linearly filtered comparisons (LEQUAL) a pixel.",
    ),
    Workload(
        "tex_aniso8",
        "Mpixel/s",
        _MPIXELS,
        Check((0.503, 0.5031, 0.5033, 0.5034), 1.0),
        "The plane and the texture of tex_trilinear_min, with max_anisotropy 8; footprints of 1.8 to 14 times their width.",
    ),
    Workload(
        "tex_aniso16",
        "Mpixel/s",
        _MPIXELS,
        Check((0.503, 0.5031, 0.5033, 0.5034), 1.0),
        "As tex_aniso8 with max_anisotropy 16.",
    ),
    Workload(
        "stencil_shadows",
        "frame/s",
        1,
        Check((0.2471, 0.2173, 0.1664, 0.4931), 0.55939),
        "8,192 triangles of ground, 240 shadow volumes that count in the stencil where depth fails, a quad blended over the shadows.",
    ),
    Workload(
        "scene_frame",
        "frame/s",
        1,
        Check((0.4594, 0.544, 0.514, 0.8852), 1.0),
        "300,800 triangles in a shadow map of 1024x1024 and in the picture, three textures with mipmaps, four comparisons a pixel; "
        "600 blended squares.",
    ),
)

WORKLOADS: dict[str, Workload] = {w.name: w for w in _ALL}
