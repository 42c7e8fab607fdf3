"""What the driver reads while driving: speed, revs, gear, controls, grip, and load and slip of every wheel.

Drawn with Dear ImGui's draw lists behind all windows of the panel, so it is crisp at any size. Everything is measured
in units of 1/720 of the picture's height times the person's own interface scale. First words and the replay's
controls are in `game.windows.overlays`, the list of keys in `game.windows.help`.
"""

from driving_sandbox.game.view.hud.display import Hud
from driving_sandbox.game.view.hud.frame import HudFrame
from driving_sandbox.game.view.hud.messages import Message, MessageFeed
from driving_sandbox.game.view.hud.style import saturation_color
from driving_sandbox.game.windows.help import HelpOverlay
from driving_sandbox.game.windows.overlays import ReplayAction, ReplayBar, Welcome

__all__ = [
    "HelpOverlay", "Hud", "HudFrame", "Message", "MessageFeed", "ReplayAction", "ReplayBar", "Welcome",
    "saturation_color",
]  # fmt: skip
