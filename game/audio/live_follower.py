"""The listener of a drive seen from the chase, cabin or bonnet camera: the listener of the drive's soundtrack.

Its position (sound/follower.py) depends on the motion of the vehicle alone, not on frames. So the samples of the drive
are those of its recording, and frames of uneven length are not heard.
"""

import numpy as np

from driving_sandbox.physics.world.world import World
from driving_sandbox.sound.follower import CAMERAS, Follower


class LiveFollower:
    """Follows the first vehicle tick by tick with the listener of the camera in use, at first the chase camera.

    Args:
        world: its World.
    """

    def __init__(self, world: World) -> None:
        self._followers = {camera: Follower(world, camera) for camera in CAMERAS}
        self._camera = CAMERAS[0]  # one of CAMERAS, or "": another camera is in use
        self._noted: list[np.ndarray] = []  # LISTENER [1] of each tick since the last frame

    def tick(self, noted: bool) -> None:
        """Follow the vehicle in a tick. noted: whether the listener is noted, as the tick completes a row."""
        if self._camera:
            listener = self._followers[self._camera].listen()
            if noted:
                self._noted.append(listener.copy())

    def take(self, camera: str, count: int) -> np.ndarray | None:
        """Return the listeners noted in the last ticks, and forget all that were noted.

        Args:
            camera: one of CAMERAS, or "" if another camera is in use.
            count: number of these ticks.
        Returns:
            LISTENER [count]; None for "", and in the first frame of a camera, whose ticks were not followed.
        """
        followed = camera == self._camera and bool(camera)
        listeners = np.concatenate(self._noted[-count:]) if followed else None
        self.clear()
        if camera != self._camera:
            self._camera = camera
            self.restart()
        return listeners

    def clear(self) -> None:
        """Forget the ticks since the last frame."""
        self._noted.clear()

    def restart(self) -> None:
        """Let the chase camera's listener look along the vehicle at once, as the world has jumped."""
        for follower in self._followers.values():
            follower.restart()
