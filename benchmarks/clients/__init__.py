"""OpenGL clients of Python (moderngl, MuJoCo, PyVista, PyOpenGL) on `tgsi.opengl` and on Mesa's libOSMesa."""
