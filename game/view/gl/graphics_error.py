"""The error message for OpenGL features that the driver lacks."""

from driving_sandbox.physics.base.user_error import UserError


class GraphicsError(UserError):
    """The OpenGL driver refused a buffer; `str()` says which."""

    exit_code = 1
