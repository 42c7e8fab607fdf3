"""The message at the first start of the program."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from driving_sandbox.game.controls.bindings import ACTIONS
from driving_sandbox.game.platform.user_folder import user_folder
from driving_sandbox.game.windows.overlays import Welcome

if TYPE_CHECKING:
    from driving_sandbox.game.toolkit.backend import ImGuiBackend

TITLE = "Welcome to the proving ground"
TEXT = (
    "Drive the car, open the tuning panel, change anything while driving, and watch what happens. Everything is "
    "recorded, and the last seconds can be rewound. A gamepad or steering wheel works as soon as it is plugged in.\n"
    "Setups, recordings, pictures and settings are kept in {folder}."
)
# actions whose keys are listed
BEGINNER_ACTIONS = ("throttle", "brake", "steer_left", "steer_right", "handbrake", "recover", "rewind", "panel",
                    "choose", "pause", "help")  # fmt: skip


def welcome(ui: "ImGuiBackend", key_help: Iterable[tuple[str, str]]) -> Welcome:
    """The Welcome with the keys that a beginner needs.

    Args:
        key_help: rows (key label, text) of the help screen.
    """
    beginner_texts = {ACTIONS[name] for name in BEGINNER_ACTIONS}
    rows = [(key, text) for key, text in key_help if key and text in beginner_texts]
    return Welcome(ui, TITLE, TEXT.format(folder=user_folder()), rows)
