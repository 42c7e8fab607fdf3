"""The error of an OpenGL driver that refuses a buffer."""

from driving_sandbox.physics.base.user_error import UserError


class GraphicsError(UserError):
    """`str()` says which buffer the OpenGL driver refused."""

    exit_code = 1
