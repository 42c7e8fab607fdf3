"""The head-up display: speed, revs, gear, controls, wheels, grip, lamps, laps, the small map and messages.

It is drawn with Dear ImGui's draw lists behind all windows of the panel, so that it is crisp at any size. Lengths are
in *units*: 1/720 of the frame's height times `Hud.scale`. The welcome text and the replay's controls are in
`game.windows.overlays`, the list of keys in `game.windows.help`.
"""

from driving_sandbox.game.hud.display import Hud
from driving_sandbox.game.hud.frame import HudFrame
from driving_sandbox.game.hud.messages import MessageFeed
from driving_sandbox.game.hud.style import saturation_color

__all__ = ["Hud", "HudFrame", "MessageFeed", "saturation_color"]
