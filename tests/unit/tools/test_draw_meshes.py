"""Meshes of `tgsi-compile --draw`: shapes, OBJ and glTF; files of strangers end with a message and no memory."""

from __future__ import annotations

import base64
import copy
import json
import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tgsi.tools.compile.draw.mesh import SHAPES
from tgsi.tools.compile.draw.mesh_files import read_mesh
from tgsi.tools.compile.errors import UsageError


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_face_outward_and_have_every_attribute(name: str) -> None:
    mesh = SHAPES[name]()
    assert set(mesh.attributes) == {"position", "normal", "texcoord", "color", "tangent"}
    assert {len(rows) for rows in mesh.attributes.values()} == {mesh.vertices}
    corners = mesh.attributes["position"][mesh.triangles].astype(np.float64)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = mesh.attributes["normal"][mesh.triangles].mean(1)
    assert ((across * normals).sum(1) >= 0).all()
    assert np.abs((mesh.attributes["normal"] ** 2).sum(1) - 1).max() < 1e-3
    assert mesh.extent[1] < 1.8


SQUARE = """# a square of two colors
v 0 0 0 1 0 0
v 1 0 0 1 0 0
v 1 1 0 0 0 1
v 0 1 0 0 0 1
vt 0 0
vt 1 0
vt 1 1
vt 0 1
vn 0 0 1
usemtl /etc/passwd
f 1/1/1 2/2/1 3/3/1 4/4/1
"""


def obj(folder: Path, text: str) -> Any:
    Path("mesh.obj").write_text(text)
    return read_mesh("mesh.obj")


def test_an_obj_has_polygons_and_every_attribute(folder: Path) -> None:
    mesh = obj(folder, SQUARE)
    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert mesh.quads is not None
    assert mesh.quads.tolist() == [[0, 1, 2, 3]]
    assert mesh.attributes["texcoord"].tolist() == [[0, 0], [1, 0], [1, 1], [0, 1]]
    assert mesh.attributes["color"][3].tolist() == [0, 0, 1, 1]
    assert mesh.notes == ()


def test_an_obj_without_normals_gets_smooth_ones_and_negative_numbers_count_back(folder: Path) -> None:
    mesh = obj(folder, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 \\\n -2 -1\n")
    assert mesh.attributes["normal"].tolist() == [[0, 0, 1]] * 3
    assert "no normals in the file" in mesh.notes[0]
    assert "texcoord" not in mesh.attributes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "mesh.obj: an empty mesh: the file has neither vertices nor faces"),
        ("v 0 0 0\n", "mesh.obj: an empty mesh: the file has 1 vertices, but no faces"),
        ("v 0 0\n", "mesh.obj:1: expected 3 numbers, as `v x y z`: 'v 0 0'"),
        ("v 0 0 zero\n", "mesh.obj:1: expected numbers, as `v x y z`"),
        ("v 0 0 nan\n", "mesh.obj:1: expected numbers below 1e+18, none of them NaN or infinite"),
        ("v 0 0 1e300\n", "mesh.obj:1: expected numbers below 1e+18"),
        ("v 0 0 0\nf 1 1\n", "mesh.obj:2: a face has at least three corners"),
        ("v 0 0 0\nf 1 1 2\n", "mesh.obj:2: the corner '2' names v 2, and there are 1 so far"),
        ("v 0 0 0\nf 1 1 -2\n", "mesh.obj:2: the corner '-2' names v -2, and there are 1 so far"),
        ("v 0 0 0\nf 1 1 0\n", "mesh.obj:2: the corner '0' names vertex 0; numbers begin with 1"),
        ("v 0 0 0\nf 1/1 1 1\n", "mesh.obj:2: the corner '1/1' names vt 1, and there are 0 so far"),
        ("v 0 0 0\nf a b c\n", "mesh.obj:2: the corner 'a' is not one of v, v/vt, v//vn, v/vt/vn"),
        ("v 0 0 0\nf 999999999999999999999 1 1\n", "names v 999999999999999999999"),
    ],
)
def test_a_wrong_obj_names_its_line(text: str, message: str, folder: Path) -> None:
    with pytest.raises(UsageError) as caught:
        obj(folder, text)
    assert message in str(caught.value)


POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4")
PLACES = np.array([[0, 0], [1, 0], [0, 1]], "<f4")


def document(**changes: Any) -> dict[str, Any]:
    """A triangle as a glTF document with its bytes inside."""
    data = POINTS.tobytes() + PLACES.tobytes() + np.array([0, 1, 2], "<u2").tobytes()
    uri = f"data:application/octet-stream;base64,{base64.b64encode(data).decode()}"
    made: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "translation": [10, 0, 0], "scale": [2, 2, 2]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2"},
            {"bufferView": 2, "componentType": 5123, "count": 3, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": 24},
            {"buffer": 0, "byteOffset": 60, "byteLength": 6},
        ],
        "buffers": [{"byteLength": len(data), "uri": uri}],
    }
    return {**made, **changes}


def gltf(root: Any, name: str = "mesh.gltf") -> Any:
    Path(name).write_text(json.dumps(root))
    return read_mesh(name)


def glb(root: Any, binary: bytes) -> bytes:
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<III", 0x46546C67, 2, len(body) + 12) + body


def test_a_gltf_is_placed_by_its_node_and_its_v_points_up(folder: Path) -> None:
    mesh = gltf(document())
    assert mesh.attributes["position"].tolist() == [[10, 0, 0], [12, 0, 0], [10, 2, 0]]
    assert mesh.attributes["texcoord"].tolist() == [[0, 1], [1, 1], [0, 0]]
    assert mesh.attributes["normal"].tolist() == [[0, 0, 1]] * 3
    assert mesh.triangles.tolist() == [[0, 1, 2]]


def test_a_glb_a_file_beside_it_and_strips_are_read(folder: Path) -> None:
    root = document()
    data = base64.b64decode(root["buffers"][0].pop("uri").partition(",")[2])
    Path("mesh.glb").write_bytes(glb(root, data))
    assert read_mesh("mesh.glb").triangles.tolist() == [[0, 1, 2]]
    Path("data 1.bin").write_bytes(data)
    root["buffers"][0]["uri"] = "data%201.bin"
    root["meshes"][0]["primitives"][0]["mode"] = 5
    assert gltf(root).triangles.tolist() == [[0, 1, 2]]


def test_a_mirrored_node_keeps_its_outer_side(folder: Path) -> None:
    mesh = gltf(document(nodes=[{"mesh": 0, "scale": [-1, 1, 1]}]))
    assert mesh.triangles.tolist() == [[2, 1, 0]]
    assert mesh.attributes["normal"].tolist() == [[0, 0, 1]] * 3


def test_sparse_rows_replace_others(folder: Path) -> None:
    root = document()
    data = base64.b64decode(root["buffers"][0].pop("uri").partition(",")[2]) + bytes(2)
    more = np.array([1], "<u1").tobytes() + bytes(3) + np.array([5, 6, 7], "<f4").tobytes()
    root["buffers"] = [{"byteLength": len(data + more), "uri": "data:;base64," + base64.b64encode(data + more).decode()}]
    root["bufferViews"] += [{"buffer": 0, "byteOffset": 68, "byteLength": 1}, {"buffer": 0, "byteOffset": 72, "byteLength": 12}]
    root["accessors"][0]["sparse"] = {"count": 1, "indices": {"bufferView": 3, "componentType": 5121}, "values": {"bufferView": 4}}
    root["nodes"] = [{"mesh": 0}]
    assert gltf(root).attributes["position"].tolist() == [[0, 0, 0], [5, 6, 7], [0, 1, 0]]


def changed(*path: Any, to: Any) -> dict[str, Any]:
    """The document with another value at a place."""
    root = copy.deepcopy(document())
    at: Any = root
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to
    return root


WRONG = {
    "`accessors` has no number 9; there are 3": changed("meshes", 0, "primitives", 0, "attributes", "POSITION", to=9),
    "has no number -1": changed("nodes", 0, "mesh", to=-1),
    "rows of 12 bytes": changed("accessors", 0, "count", to=4),
    "`count` is not a whole number from 0 to": changed("accessors", 0, "count", to=10**15),
    "unknown componentType": changed("accessors", 0, "componentType", to=7),
    "components, wanted are 3": changed("accessors", 0, "type", to="VEC4"),
    "bytes 0 to 1099511627776 of a buffer of 66": changed("bufferViews", 0, "byteLength", to=1 << 40),
    "and `byteLength` says 1000": changed("buffers", 0, "byteLength", to=1000),
    "do not fit into 36 bytes": changed("bufferViews", 0, "byteStride", to=252),
    "lies outside of the folder": changed("buffers", 0, "uri", to="../secret.bin"),
    "lies outside of the folder of": changed("buffers", 0, "uri", to="/etc/passwd"),
    "only files in the folder of the document are read": changed("buffers", 0, "uri", to="https://example.org/a.bin"),
    "no such file or directory": changed("buffers", 0, "uri", to="missing.bin"),
    "broken base64": changed("buffers", 0, "uri", to="data:;base64,*"),
    "nodes inside of each other, or a circle": document(nodes=[{"mesh": 0, "children": [0]}]),
    "`translation` is not a list of 3 numbers": changed("nodes", 0, "translation", to=[1, 2]),
    "NaN, infinite or beyond 1e18": changed("nodes", 0, "translation", to=[1e300, 0, 0]),
    "`nodes` is not a list": changed("scenes", 0, "nodes", to="all"),
    "an empty mesh: the scene has no triangles (lines are left out)": changed("meshes", 0, "primitives", 0, "mode", to=1),
    "an empty mesh: the scene has no triangles": document(nodes=[{}]),
    "KHR_draco_mesh_compression": document(extensionsRequired=["KHR_draco_mesh_compression"]),
    "the document has no `asset`": {"scenes": []},
}


@pytest.mark.parametrize("message", WRONG)
def test_a_wrong_gltf_names_the_part_that_is_wrong(message: str, folder: Path) -> None:
    with pytest.raises(UsageError) as caught:
        gltf(WRONG[message])
    assert message in str(caught.value)


def test_an_index_beyond_the_vertices_and_a_nan_are_named(folder: Path) -> None:
    root = document()
    data = bytearray(base64.b64decode(root["buffers"][0]["uri"].partition(",")[2]))
    data[62:64] = b"\xff\xff"
    root["buffers"][0]["uri"] = "data:;base64," + base64.b64encode(data).decode()
    with pytest.raises(UsageError, match="vertex 65535, and there are 3"):
        gltf(root)
    data[4:8] = struct.pack("<f", float("nan"))
    root["buffers"][0]["uri"] = "data:;base64," + base64.b64encode(data).decode()
    with pytest.raises(UsageError, match="row 0 is NaN or infinite"):
        gltf(root)


def test_a_link_out_of_the_folder_is_not_followed(folder: Path) -> None:
    (folder / "inside").mkdir()
    (folder / "secret.bin").write_bytes(bytes(66))
    (folder / "inside" / "link.bin").symlink_to(folder / "secret.bin")
    with pytest.raises(UsageError, match="lies outside of the folder"):
        gltf(changed("buffers", 0, "uri", to="link.bin"), "inside/mesh.gltf")


@pytest.mark.parametrize("seed", range(40))
def test_damaged_files_end_with_a_message_or_a_mesh(seed: int, folder: Path) -> None:
    """Bytes of a .glb changed, cut or doubled: a mesh comes, or UsageError."""
    chance = random.Random(seed)
    root = document()
    whole = glb(root, base64.b64decode(root["buffers"][0].pop("uri").partition(",")[2]))
    for _ in range(25):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(data))
            data[at : at + chance.choice((0, 1, 1, 4))] = chance.choice((b"", bytes([chance.randrange(256)]), b"9", b"\xff\xff\xff\x7f"))
        Path("mesh.glb").write_bytes(bytes(data))
        try:
            found = len(read_mesh("mesh.glb").triangles)
        except UsageError as error:
            found = str(error).startswith("mesh.glb: ")
        assert found
