"""Screenshots that the user takes: in the user folder, under the lowest free number."""

from collections.abc import Callable
from typing import Any

from driving_sandbox.game.platform.user_folder import UserFolderError, subfolder
from driving_sandbox.game.platform.window import screenshot


def save_picture(base: Any, stem: str, say: Callable[..., None]) -> None:
    """Write the last drawn frame as STEM_0000.png or with the next free number.

    Calls `say` with a message that contains the path, or with the reason for a failure.
    """
    number = 0
    try:
        folder = subfolder("screenshots")
        while (path := folder / f"{stem}_{number:04d}.png").exists():
            number += 1
        screenshot(base, path)
    except (OSError, UserFolderError) as error:
        say(f"the picture could not be saved: {error}", "warning")
        return
    say(f"picture saved: {path}")
