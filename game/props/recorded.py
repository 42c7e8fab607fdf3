"""Props of a recording, drawn from their stored poses, without simulation and without the world file."""

from typing import TYPE_CHECKING, Any

from driving_sandbox.game.props.view import PropsView
from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.props.kinds import Kind, load_kind
from driving_sandbox.physics.recording import RecordingError
from driving_sandbox.physics.schema.yaml_file import ConfigError

if TYPE_CHECKING:
    from driving_sandbox.physics.recording.props import PropTrack
    from driving_sandbox.physics.recording.reader import Recording


class RecordedProps:
    """Props of a recording in a scene.

    Attributes:
        problem: why some or all props are not shown, one sentence, or "".
    """

    def __init__(self, scene: Any, recording: "Recording") -> None:
        self._tick_seconds, self.problem = recording.tick_seconds, ""
        self._track: PropTrack | None = None  # stored poses
        self._view: PropsView | None = None
        try:
            track = self._track = recording.props()
        except RecordingError as error:
            self.problem = str(error)
            return
        if track.kinds:
            kinds = {name: self._kind(name) for name in dict.fromkeys(track.kinds)}
            self._view = PropsView(scene, [kinds[name] for name in track.kinds], track.start)

    def _kind(self, name: str) -> Kind | None:
        """The Kind of this name; None, with `problem` set, if the name is no identifier or its file is wrong."""
        if not name.isidentifier():  # it may be a path: only the program's own files are read
            self.problem = f"{brief(name)}: this is not the name of a kind of prop"
            return None
        try:
            return load_kind(name)
        except ConfigError as error:
            self.problem = f"{name}: {error}"
            return None

    def show(self, scene: Any, time: float) -> None:
        """Show the props at their poses at `time`, s from the recording's start."""
        if self._track is not None and self._view is not None and self._track.moving:
            self._view.set_poses(self._track.moving, self._track.at(time / self._tick_seconds))
            scene.moving_others = True
