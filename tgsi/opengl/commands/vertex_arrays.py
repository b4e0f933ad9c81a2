"""Vertex arrays, attributes and their current values. (OpenGL 4.6 compatibility, chapter 10)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tgsi.opengl.calls import command
from tgsi.opengl.commands.buffers import named as buffer_named
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value, not_negative
from tgsi.opengl.memory import Pointer, ints, numbers, uints, write
from tgsi.opengl.objects.vertex_array import MAX_ATTRIBUTES, PACKED, Attribute, VertexArray, element_bytes
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


def named(gl: Context, name: int) -> VertexArray:
    """The vertex array of a name; 0 is the default one."""
    if not name:
        return gl.default_vertex_array
    array = gl.vertex_arrays.get(name)
    if array is None:
        if name not in gl.vertex_arrays.objects:
            raise bad_operation(f"array: {name} is not a name that glGenVertexArrays returned")
        array = gl.vertex_arrays.put(name, VertexArray(name))
    return array


@command("glGenVertexArrays")
def gen_vertex_arrays(gl: Context, n: int, arrays: Pointer) -> None:
    """Fresh names."""
    not_negative("n", n)
    write("I", arrays, gl.vertex_arrays.generate(n))


@command("glCreateVertexArrays")
def create_vertex_arrays(gl: Context, n: int, arrays: Pointer) -> None:
    """Fresh names with their objects."""
    not_negative("n", n)
    write("I", arrays, gl.vertex_arrays.create(n, VertexArray))


@command("glIsVertexArray")
def is_vertex_array(gl: Context, array: int) -> int:
    """1 if the name has an object."""
    return int(gl.vertex_arrays.get(array) is not None)


@command("glDeleteVertexArrays")
def delete_vertex_arrays(gl: Context, n: int, arrays: Pointer) -> None:
    """Free names; if the bound vertex array is deleted, bind the default one."""
    not_negative("n", n)
    for name in uints(arrays, n):
        item = gl.vertex_arrays.drop(name)
        if item is not None and gl.vertex_array is item:
            gl.vertex_array = gl.default_vertex_array
            gl.dirty |= dirty.VERTICES


@command("glBindVertexArray")
def bind_vertex_array(gl: Context, array: int) -> None:
    """Bind a vertex array."""
    item = named(gl, array)
    if gl.vertex_array is not item:
        gl.vertex_array = item
        gl.dirty |= dirty.VERTICES


def attribute(item: VertexArray, index: int) -> Attribute:
    """One attribute; GL_INVALID_VALUE if there is no such."""
    if index >= MAX_ATTRIBUTES:
        raise bad_value(f"index: {index} is not below {MAX_ATTRIBUTES}")
    return item.attributes[index]


@command("glEnableVertexAttribArray")
def enable_vertex_attrib_array(gl: Context, index: int) -> None:
    """Feed an attribute from its array."""
    attribute(gl.vertex_array, index).is_enabled = True
    gl.dirty |= dirty.VERTICES


@command("glDisableVertexAttribArray")
def disable_vertex_attrib_array(gl: Context, index: int) -> None:
    """Feed an attribute from its current value."""
    attribute(gl.vertex_array, index).is_enabled = False
    gl.dirty |= dirty.VERTICES


@command("glEnableVertexArrayAttrib")
def enable_vertex_array_attrib(gl: Context, vaobj: int, index: int) -> None:
    """Feed an attribute from its array."""
    attribute(named(gl, vaobj), index).is_enabled = True
    gl.dirty |= dirty.VERTICES


@command("glDisableVertexArrayAttrib")
def disable_vertex_array_attrib(gl: Context, vaobj: int, index: int) -> None:
    """Feed an attribute from its current value."""
    attribute(named(gl, vaobj), index).is_enabled = False
    gl.dirty |= dirty.VERTICES


def put_format(item: Attribute, size: int, type: int, offset: int, **kinds: bool) -> None:
    """Set the format of an attribute."""
    is_bgra = size == GL.BGRA
    if is_bgra and (type not in (GL.UNSIGNED_BYTE, *PACKED) or not kinds.get("is_normalized")):
        raise bad_operation("size: GL_BGRA is for normalized bytes and packed values")
    if not is_bgra and not 1 <= size <= 4:
        raise bad_value(f"size: {size} is not 1 .. 4")
    if type in PACKED and not is_bgra and size != (3 if type == GL.UNSIGNED_INT_10F_11F_11F_REV else 4):
        raise bad_operation("type: packed values have another number of components")
    element_bytes(4 if is_bgra else size, type)
    item.size, item.type, item.is_bgra, item.offset = 4 if is_bgra else size, type, is_bgra, offset
    item.is_normalized, item.is_integer = kinds.get("is_normalized", False), kinds.get("is_integer", False)
    item.is_long = kinds.get("is_long", False)


def put_pointer(gl: Context, index: int, size: int, type: int, stride: int, pointer: Pointer, **kinds: bool) -> None:
    """Set the format of an attribute, and feed it from the bound buffer or, without one, from the caller's memory."""
    not_negative("stride", stride)
    item = attribute(gl.vertex_array, index)
    buffer = gl.buffers.get("ARRAY_BUFFER")
    if buffer is None and pointer and gl.profile == "core":
        raise bad_operation("pointer: no buffer is bound to GL_ARRAY_BUFFER")
    put_format(item, size, type, 0, **kinds)
    item.binding, item.stride = index, stride
    item.pointer = (pointer or 0) if buffer is None else 0
    binding = gl.vertex_array.bindings[index]
    binding.buffer, binding.offset, binding.stride = buffer, pointer or 0, stride or item.bytes()
    gl.dirty |= dirty.VERTICES


@command("glVertexAttribPointer")
def vertex_attrib_pointer(gl: Context, index: int, size: int, type: int, normalized: int, stride: int, pointer: Pointer) -> None:
    """An array of numbers that become floats."""
    put_pointer(gl, index, size, type, stride, pointer, is_normalized=bool(normalized))


@command("glVertexAttribIPointer")
def vertex_attrib_integer_pointer(gl: Context, index: int, size: int, type: int, stride: int, pointer: Pointer) -> None:
    """An array of integers."""
    if type not in (GL.BYTE, GL.UNSIGNED_BYTE, GL.SHORT, GL.UNSIGNED_SHORT, GL.INT, GL.UNSIGNED_INT):
        raise bad_enum("type", type)
    put_pointer(gl, index, size, type, stride, pointer, is_integer=True)


@command("glVertexAttribLPointer")
def vertex_attrib_long_pointer(gl: Context, index: int, size: int, type: int, stride: int, pointer: Pointer) -> None:
    """An array of doubles."""
    if type != GL.DOUBLE:
        raise bad_enum("type", type)
    put_pointer(gl, index, size, type, stride, pointer, is_long=True)


@command("glVertexAttribDivisor")
def vertex_attrib_divisor(gl: Context, index: int, divisor: int) -> None:
    """Number of instances that share a value of an attribute."""
    attribute(gl.vertex_array, index).binding = index
    gl.vertex_array.bindings[index].divisor = divisor
    gl.dirty |= dirty.VERTICES


# -- separate formats and bindings
def _put_part(gl: Context, item: VertexArray, index: int, size: int, type: int, offset: int, **kinds: bool) -> None:
    part = attribute(item, index)
    if offset > 2047:
        raise bad_value(f"relativeoffset: {offset} is above 2047")
    put_format(part, size, type, offset, **kinds)
    part.pointer = 0
    gl.dirty |= dirty.VERTICES


@command("glVertexAttribFormat")
def vertex_attrib_format(gl: Context, index: int, size: int, type: int, normalized: int, offset: int) -> None:
    """The format of an attribute of floats."""
    _put_part(gl, gl.vertex_array, index, size, type, offset, is_normalized=bool(normalized))


@command("glVertexAttribIFormat")
def vertex_attrib_integer_format(gl: Context, index: int, size: int, type: int, offset: int) -> None:
    """The format of an attribute of integers."""
    _put_part(gl, gl.vertex_array, index, size, type, offset, is_integer=True)


@command("glVertexAttribLFormat")
def vertex_attrib_long_format(gl: Context, index: int, size: int, type: int, offset: int) -> None:
    """The format of an attribute of doubles."""
    _put_part(gl, gl.vertex_array, index, size, type, offset, is_long=True)


@command("glVertexArrayAttribFormat")
def vertex_array_attrib_format(gl: Context, vaobj: int, index: int, size: int, type: int, normalized: int, offset: int) -> None:
    """The format of an attribute of floats."""
    _put_part(gl, named(gl, vaobj), index, size, type, offset, is_normalized=bool(normalized))


@command("glVertexArrayAttribIFormat")
def vertex_array_attrib_integer_format(gl: Context, vaobj: int, index: int, size: int, type: int, offset: int) -> None:
    """The format of an attribute of integers."""
    _put_part(gl, named(gl, vaobj), index, size, type, offset, is_integer=True)


@command("glVertexArrayAttribLFormat")
def vertex_array_attrib_long_format(gl: Context, vaobj: int, index: int, size: int, type: int, offset: int) -> None:
    """The format of an attribute of doubles."""
    _put_part(gl, named(gl, vaobj), index, size, type, offset, is_long=True)


def _put_attrib_binding(gl: Context, item: VertexArray, index: int, binding: int) -> None:
    if binding >= MAX_ATTRIBUTES:
        raise bad_value(f"bindingindex: {binding} is not below {MAX_ATTRIBUTES}")
    attribute(item, index).binding = binding
    gl.dirty |= dirty.VERTICES


@command("glVertexAttribBinding")
def vertex_attrib_binding(gl: Context, index: int, binding: int) -> None:
    """The binding that feeds an attribute."""
    _put_attrib_binding(gl, gl.vertex_array, index, binding)


@command("glVertexArrayAttribBinding")
def vertex_array_attrib_binding(gl: Context, vaobj: int, index: int, binding: int) -> None:
    """The binding that feeds an attribute."""
    _put_attrib_binding(gl, named(gl, vaobj), index, binding)


def _put_buffer(gl: Context, item: VertexArray, index: int, buffer: int, offset: int, stride: int) -> None:
    not_negative("stride", stride, offset)
    if index >= MAX_ATTRIBUTES:
        raise bad_value(f"bindingindex: {index} is not below {MAX_ATTRIBUTES}")
    binding = item.bindings[index]
    binding.buffer = buffer_named(gl, buffer) if buffer else None
    binding.offset, binding.stride = offset, stride
    gl.dirty |= dirty.VERTICES


@command("glBindVertexBuffer")
def bind_vertex_buffer(gl: Context, index: int, buffer: int, offset: int, stride: int) -> None:
    """The buffer of a binding."""
    _put_buffer(gl, gl.vertex_array, index, buffer, offset, stride)


@command("glVertexArrayVertexBuffer")
def vertex_array_vertex_buffer(gl: Context, vaobj: int, index: int, buffer: int, offset: int, stride: int) -> None:
    """The buffer of a binding."""
    _put_buffer(gl, named(gl, vaobj), index, buffer, offset, stride)


def _put_buffers(gl: Context, item: VertexArray, first: int, buffers: tuple[int, ...], offsets: Pointer, strides: Pointer) -> None:
    starts, steps = numbers("q", offsets, len(buffers)), ints(strides, len(buffers))
    for k, name in enumerate(buffers):
        _put_buffer(gl, item, first + k, name, starts[k] if name else 0, steps[k] if name else 16)


@command("glBindVertexBuffers")
def bind_vertex_buffers(gl: Context, first: int, count: int, buffers: Pointer, offsets: Pointer, strides: Pointer) -> None:
    """The buffers of several bindings; null empties them."""
    not_negative("count", count)
    _put_buffers(gl, gl.vertex_array, first, uints(buffers, count), offsets, strides)


@command("glVertexArrayVertexBuffers")
def vertex_array_vertex_buffers(
    gl: Context, vaobj: int, first: int, count: int, buffers: Pointer, offsets: Pointer, strides: Pointer
) -> None:
    """The buffers of several bindings; null empties them."""
    not_negative("count", count)
    _put_buffers(gl, named(gl, vaobj), first, uints(buffers, count), offsets, strides)


@command("glVertexArrayElementBuffer")
def vertex_array_element_buffer(gl: Context, vaobj: int, buffer: int) -> None:
    """The index buffer."""
    named(gl, vaobj).index = buffer_named(gl, buffer) if buffer else None


def _put_divisor(gl: Context, item: VertexArray, index: int, divisor: int) -> None:
    if index >= MAX_ATTRIBUTES:
        raise bad_value(f"bindingindex: {index} is not below {MAX_ATTRIBUTES}")
    item.bindings[index].divisor = divisor
    gl.dirty |= dirty.VERTICES


@command("glVertexBindingDivisor")
def vertex_binding_divisor(gl: Context, index: int, divisor: int) -> None:
    """Instances that share a value of a binding."""
    _put_divisor(gl, gl.vertex_array, index, divisor)


@command("glVertexArrayBindingDivisor")
def vertex_array_binding_divisor(gl: Context, vaobj: int, index: int, divisor: int) -> None:
    """Instances that share a value of a binding."""
    _put_divisor(gl, named(gl, vaobj), index, divisor)


def attribute_parameter(gl: Context, index: int, name: int) -> tuple[Any, ...]:
    """A parameter of an attribute, or its current value."""
    item = attribute(gl.vertex_array, index)
    binding = gl.vertex_array.bindings[item.binding]
    values = {
        GL.VERTEX_ATTRIB_ARRAY_ENABLED: int(item.is_enabled),
        GL.VERTEX_ATTRIB_ARRAY_SIZE: GL.BGRA if item.is_bgra else item.size,
        GL.VERTEX_ATTRIB_ARRAY_STRIDE: item.stride,
        GL.VERTEX_ATTRIB_ARRAY_TYPE: item.type,
        GL.VERTEX_ATTRIB_ARRAY_NORMALIZED: int(item.is_normalized),
        GL.VERTEX_ATTRIB_ARRAY_INTEGER: int(item.is_integer),
        GL.VERTEX_ATTRIB_ARRAY_LONG: int(item.is_long),
        GL.VERTEX_ATTRIB_ARRAY_DIVISOR: binding.divisor,
        GL.VERTEX_ATTRIB_ARRAY_BUFFER_BINDING: binding.buffer.name if binding.buffer is not None else 0,
        GL.VERTEX_ATTRIB_BINDING: item.binding,
        GL.VERTEX_ATTRIB_RELATIVE_OFFSET: item.offset,
    }
    if name == GL.CURRENT_VERTEX_ATTRIB:
        return gl.attributes[index][1]
    if name not in values:
        raise bad_enum("pname", name)
    return (values[name],)


@command("glGetVertexAttribfv")
def get_vertex_attrib_floats(gl: Context, index: int, pname: int, params: Pointer) -> None:
    """A parameter as floats."""
    write("f", params, attribute_parameter(gl, index, pname))


@command("glGetVertexAttribdv", "glGetVertexAttribLdv")
def get_vertex_attrib_doubles(gl: Context, index: int, pname: int, params: Pointer) -> None:
    """A parameter as doubles."""
    write("d", params, attribute_parameter(gl, index, pname))


@command("glGetVertexAttribiv", "glGetVertexAttribIiv", "glGetVertexAttribIuiv")
def get_vertex_attrib_integers(gl: Context, index: int, pname: int, params: Pointer) -> None:
    """A parameter as integers."""
    write("i", params, [int(value) for value in attribute_parameter(gl, index, pname)])


@command("glGetVertexAttribPointerv")
def get_vertex_attrib_pointer(gl: Context, index: int, pname: int, pointer: Pointer) -> None:
    """The pointer of an attribute's array."""
    if pname != GL.VERTEX_ATTRIB_ARRAY_POINTER:
        raise bad_enum("pname", pname)
    item = attribute(gl.vertex_array, index)
    binding = gl.vertex_array.bindings[item.binding]
    write("Q", pointer, [item.pointer or binding.offset])
