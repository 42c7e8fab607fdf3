"""What the program says when the GL driver refuses what a picture needs."""

from driving_sandbox.physics.base.user_error import UserError


class GraphicsError(UserError):
    """The GL driver refused a buffer; `str()` says which."""

    exit_code = 1
