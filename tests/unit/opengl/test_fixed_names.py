"""Names of the fixed functions in GLSL: attributes, varyings, state, and programs with one stage of their own."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.unit.glsl.glslang import needs_glslang
from tests.unit.opengl.binding import Binding
from tests.unit.opengl.test_fixed import floats, quad, texture
from tgsi.opengl.registry import enums as GL

pytestmark = needs_glslang

PLAIN = "void main() { gl_Position = ftransform(); gl_FrontColor = gl_Color; }"


@pytest.fixture
def gl() -> Binding:
    made = Binding("compatibility", size=(8, 8))
    made.glClearColor(0, 0, 0, 1)
    made.glClear(GL.COLOR_BUFFER_BIT | GL.DEPTH_BUFFER_BIT)
    return made


def use(gl: Binding, vertex: str = "", fragment: str = "") -> int:
    """A program of one or two texts, in use."""
    made = gl.stages({GL.VERTEX_SHADER: vertex, GL.FRAGMENT_SHADER: fragment})
    gl.glUseProgram(made)
    return made


def shown(gl: Binding, fragment: str, vertex: str = "") -> list[int]:
    """The color of a pixel that a fragment shader gives."""
    use(gl, vertex, fragment)
    quad(gl)
    assert gl.glGetError() == GL.NO_ERROR
    return [int(part) for part in gl.pixels(8, 8)[4, 4]]


def of_state(gl: Binding, expression: str) -> np.ndarray:
    """The value of a vec4 of state, which a vertex shader captures."""
    value = shown(gl, f"void main() {{ gl_FragColor = ({expression}) * (1.0 / 16.0) + 0.5; }}")
    return (np.array(value) / 255 - 0.5) * 16


def test_both_stages_read_and_write_what_the_fixed_functions_do(gl: Binding) -> None:
    gl.glColor3ub(255, 128, 0)
    vertex = "void main() { gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex; gl_FrontColor = gl_Color; }"
    assert shown(gl, "void main() { gl_FragColor = gl_Color; }", vertex) == [255, 128, 0, 255]


def test_a_vertex_shader_alone_feeds_the_texture_environments(gl: Binding) -> None:
    texture(gl, np.full((2, 2, 4), (200, 100, 50, 255), np.uint8), GL.RGBA, GL.RGBA)
    gl.glColor3ub(128, 64, 255)
    use(gl, PLAIN.replace("}", "gl_TexCoord[0] = gl_MultiTexCoord0; }"))
    quad(gl)
    assert np.abs(gl.pixels(8, 8)[4, 4].astype(int) - (100, 25, 50, 255)).max() <= 1


def test_a_fragment_shader_alone_reads_what_the_fixed_vertex_stage_makes(gl: Binding) -> None:
    gl.glColor3ub(255, 0, 0)
    gl.glSecondaryColor3ub(0, 255, 0)
    gl.glMultiTexCoord4f(GL.TEXTURE3, 0.0, 0.0, 1.0, 1.0)
    gl.glMatrixMode(GL.TEXTURE)
    gl.glActiveTexture(GL.TEXTURE3)
    gl.glScalef(1.0, 1.0, 0.5)
    fragment = "void main() { gl_FragColor = gl_Color + gl_SecondaryColor + vec4(0.0, 0.0, gl_TexCoord[3].z, 0.0); }"
    assert shown(gl, fragment) == [255, 255, 128, 255]


def test_a_fog_coordinate_goes_to_the_fog_of_the_fixed_functions(gl: Binding) -> None:
    gl.glEnable(GL.FOG)
    gl.glFogi(GL.FOG_MODE, GL.LINEAR)
    gl.glFogf(GL.FOG_END, 1.0)
    gl.glFogfv(GL.FOG_COLOR, floats(0, 0, 1, 1))
    gl.glColor3f(1.0, 0.0, 0.0)
    use(gl, PLAIN.replace("}", "gl_FogFragCoord = 0.25; }"))
    quad(gl)
    assert np.abs(gl.pixels(8, 8)[4, 4, :3].astype(int) - (191, 0, 64)).max() <= 1


def test_ftransform_gives_the_bits_of_the_fixed_functions(gl: Binding) -> None:
    gl.glEnable(GL.DEPTH_TEST)
    gl.glMatrixMode(GL.PROJECTION)
    gl.glFrustum(-1.0, 1.0, -0.7, 0.9, 1.1, 30.0)
    gl.glMatrixMode(GL.MODELVIEW)
    gl.glTranslatef(0.1, 0.2, -3.7)
    gl.glRotatef(31.0, 0.3, 1.0, 0.2)

    def draw() -> None:
        gl.glBegin(GL.TRIANGLES)
        for corner in ((-3.1, -2.3, 0.7), (3.3, -2.9, -0.3), (0.2, 3.7, 0.9)):
            gl.glVertex3f(*corner)
        gl.glEnd()

    gl.glColor3ub(255, 0, 0)
    draw()
    before = gl.pixels(8, 8)
    gl.glDepthFunc(GL.EQUAL)
    gl.glColor3ub(0, 255, 0)
    use(gl, PLAIN)
    draw()
    after = gl.pixels(8, 8)
    assert (before[..., 0] == 255).sum() > 5
    assert ((after[..., 1] == 255) == (before[..., 0] == 255)).all()


def test_matrices_have_their_inverses_and_transposes(gl: Binding) -> None:
    gl.glMatrixMode(GL.MODELVIEW)
    gl.glTranslatef(0.5, 0.25, 0.0)
    gl.glScalef(2.0, 1.0, 1.0)
    gl.glMatrixMode(GL.PROJECTION)
    gl.glScalef(0.5, 1.0, 1.0)
    for expression, wanted in (
        ("gl_ModelViewMatrix * vec4(1.0)", (2.5, 1.25, 1, 1)),
        ("gl_ModelViewMatrixInverse * vec4(1.0)", (0.25, 0.75, 1, 1)),
        ("gl_ModelViewMatrixTranspose * vec4(1.0)", (2, 1, 1, 1.75)),
        ("gl_ModelViewMatrixInverseTranspose * vec4(1.0)", (0.5, 1, 1, 0.5)),
        ("gl_ModelViewProjectionMatrix * vec4(1.0)", (1.25, 1.25, 1, 1)),
        ("vec4(gl_NormalMatrix * vec3(1.0), gl_NormalScale)", (0.5, 1, 1, 1)),
    ):
        assert np.abs(of_state(gl, expression) - wanted).max() < 0.1, expression


def test_state_has_the_values_that_commands_set(gl: Binding) -> None:
    gl.glLightfv(GL.LIGHT2, GL.POSITION, floats(1, 2, 3, 1))
    gl.glLightfv(GL.LIGHT2, GL.DIFFUSE, floats(1, 0.5, 0.25, 1))
    gl.glLightf(GL.LIGHT2, GL.SPOT_CUTOFF, 60.0)
    gl.glLightf(GL.LIGHT2, GL.LINEAR_ATTENUATION, 2.0)
    gl.glMaterialfv(GL.FRONT, GL.DIFFUSE, floats(0.5, 1, 1, 0.5))
    gl.glMaterialf(GL.BACK, GL.SHININESS, 5.0)
    gl.glFogf(GL.FOG_START, 1.0)
    gl.glFogf(GL.FOG_END, 3.0)
    gl.glTexEnvfv(GL.TEXTURE_ENV, GL.TEXTURE_ENV_COLOR, floats(0, 0.25, 0.5, 1))
    gl.glTexGenfv(GL.T, GL.OBJECT_PLANE, floats(1, 2, 3, 4))
    gl.glPointSize(3.0)
    for expression, wanted in (
        ("gl_LightSource[2].position", (1, 2, 3, 1)),
        ("gl_LightSource[2].diffuse", (1, 0.5, 0.25, 1)),
        ("vec4(gl_LightSource[2].spotCosCutoff, gl_LightSource[2].linearAttenuation, 0.0, 0.0)", (0.5, 2, 0, 0)),
        ("gl_FrontLightProduct[2].diffuse", (0.5, 0.5, 0.25, 0.5)),
        ("vec4(gl_BackMaterial.shininess, gl_Fog.scale, gl_Fog.end, gl_Point.size)", (5, 0.5, 3, 3)),
        ("gl_FrontLightModelProduct.sceneColor", (0.04, 0.04, 0.04, 0.5)),
        ("gl_TextureEnvColor[0]", (0, 0.25, 0.5, 1)),
        ("gl_ObjectPlaneT[0]", (1, 2, 3, 4)),
        ("vec4(gl_MaxLights, gl_MaxTextureUnits, gl_MaxClipPlanes, gl_MaxTextureCoords) - 6.0", (2, 2, 2, 2)),
    ):
        assert np.abs(of_state(gl, expression) - wanted).max() < 0.1, expression


def test_state_that_changes_between_draws_reaches_the_next_one(gl: Binding) -> None:
    use(gl, "void main() { gl_Position = gl_Vertex; gl_FrontColor = gl_ModelViewMatrix[3]; }", "void main() { gl_FragColor = gl_Color; }")
    for place in (0.0, 1.0):
        gl.glLoadIdentity()
        gl.glTranslatef(place, 0.0, 0.0)
        quad(gl)
        assert gl.pixels(8, 8)[4, 4].tolist() == [255 * place, 0, 0, 255]


def test_back_faces_have_their_own_color_where_two_sides_are_on(gl: Binding) -> None:
    vertex = PLAIN.replace("}", "gl_BackColor = vec4(0.0, 0.0, 1.0, 1.0); }")
    gl.glColor3f(1.0, 0.0, 0.0)
    gl.glFrontFace(GL.CW)
    assert shown(gl, "void main() { gl_FragColor = gl_Color; }", vertex)[:3] == [255, 0, 0]
    gl.glEnable(GL.VERTEX_PROGRAM_TWO_SIDE)
    quad(gl)
    assert gl.pixels(8, 8)[4, 4, :3].tolist() == [0, 0, 255]


@pytest.mark.parametrize("write", ["gl_ClipVertex = gl_ModelViewMatrix * gl_Vertex;", ""])
def test_clip_planes_cut_what_a_vertex_shader_places(gl: Binding, write: str) -> None:
    gl.glClipPlane(GL.CLIP_DISTANCE0, np.array([1.0, 0.0, 0.0, 0.0]))
    gl.glEnable(GL.CLIP_DISTANCE0)
    gl.glMatrixMode(GL.PROJECTION)
    gl.glTranslatef(0.5, 0.0, 0.0)
    use(gl, PLAIN.replace("}", write + "}"))
    quad(gl, high=3.0)
    found = gl.pixels(8, 8)[..., 0]
    assert (found[:, :6] == 0).all()
    assert (found[:, 6:] == 255).all()


def test_attribute_0_is_the_position(gl: Binding) -> None:
    use(gl, "void main() { gl_Position = gl_Vertex; gl_FrontColor = vec4(1.0); }")
    corners = floats(-1, -1, 1, -1, 1, 1, -1, 1)
    gl.glVertexAttribPointer(0, 2, GL.FLOAT, 0, 0, corners)
    gl.glEnableVertexAttribArray(0)
    gl.glDrawArrays(GL.QUADS, 0, 4)
    assert (gl.pixels(8, 8) == 255).all()


def test_conventional_attributes_have_no_location_and_leave_0_to_the_position(gl: Binding) -> None:
    program = use(gl, "attribute vec4 a; void main() { gl_Position = gl_Vertex + a; }")
    assert gl.glGetAttribLocation(program, b"gl_Vertex") == -1
    assert gl.glGetAttribLocation(program, b"a") == 1


def test_versions_without_these_names_refuse_them(gl: Binding) -> None:
    for version, works in (("120", True), ("150", False), ("330 core", False), ("330 compatibility", True), ("100", False)):
        text = f"#version {version}\nvoid main() {{ gl_Position = gl_Vertex; }}"
        if works:
            use(gl, text)
        else:
            with pytest.raises(AssertionError, match="gl_Vertex"):
                use(gl, text)


def test_a_geometry_shader_passes_colors_and_coordinates_on(gl: Binding) -> None:
    gl.glColor3ub(0, 255, 0)
    gl.glMultiTexCoord2f(GL.TEXTURE1, 1.0, 0.0)
    program = gl.stages(
        {
            GL.VERTEX_SHADER: PLAIN.replace("}", "gl_TexCoord[1] = gl_MultiTexCoord1; }"),
            GL.GEOMETRY_SHADER: "#version 150 compatibility\nlayout(triangles) in; layout(triangle_strip, max_vertices = 3) out;\n"
            "void main() { for (int k = 0; k < 3; k++) { gl_Position = gl_in[k].gl_Position; gl_FrontColor = gl_in[k].gl_FrontColor;\n"
            "gl_TexCoord[1] = gl_in[k].gl_TexCoord[1]; EmitVertex(); } }",
            GL.FRAGMENT_SHADER: "void main() { gl_FragColor = gl_Color + vec4(gl_TexCoord[1].x); }",
        }
    )
    gl.glUseProgram(program)
    gl.glBegin(GL.TRIANGLES)
    for corner in ((-1, -1), (3, -1), (-1, 3)):
        gl.glVertex2i(*corner)
    gl.glEnd()
    assert (gl.pixels(8, 8) == 255).all()


def test_a_normal_is_lit_alike_by_both_ways(gl: Binding) -> None:
    angle = math.radians(40)
    gl.glEnable(GL.LIGHTING)
    gl.glEnable(GL.LIGHT0)
    gl.glLightfv(GL.LIGHT0, GL.POSITION, floats(0, math.sin(angle), math.cos(angle), 0))
    gl.glNormal3f(0.0, 0.0, 1.0)
    quad(gl)
    wanted = gl.pixels(8, 8).astype(int)
    use(
        gl,
        "void main() { gl_Position = ftransform(); vec3 n = normalize(gl_NormalMatrix * gl_Normal);\n"
        "float d = max(0.0, dot(n, normalize(gl_LightSource[0].position.xyz)));\n"
        "gl_FrontColor = gl_FrontLightModelProduct.sceneColor + gl_FrontLightProduct[0].ambient + d * gl_FrontLightProduct[0].diffuse; }",
    )
    quad(gl)
    assert np.abs(gl.pixels(8, 8).astype(int) - wanted).max() <= 1
