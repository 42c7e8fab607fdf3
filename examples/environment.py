"""An environment for reinforcement learning: observations, actions, rewards, and a reset to the same state."""

import numpy as np

from driving_sandbox import AUTOMATIC, load, neutral_command

OBSERVED = ("body.velocity.y", "body.velocity.x", "body.angular_velocity.z")  # m/s, m/s, rad/s
TICKS = 12  # an action holds for 1/20 s


class StraightLine:
    """Drive fast along +y without leaving a lane of 3.5 m."""

    def __init__(self) -> None:
        self.world = load("hatchback", "plane")
        self._start = self.world.snapshot()

    def reset(self) -> np.ndarray:
        """Put the car back to the start; returns the observation."""
        self.world.restore(self._start)
        return self._observation()

    def step(self, action: tuple[float, float]) -> tuple[np.ndarray, float, bool]:
        """Drive with an action (throttle 0..1, steer -1..1).

        Returns the observation, the reward (distance ahead, m), and whether the episode has ended.
        """
        car = self.world.vehicles[0]
        commands = neutral_command(TICKS)
        commands["throttle"], commands["steer"] = action
        commands["gear"] = AUTOMATIC
        before = car.model_position()[1]
        self.world.run(commands)
        x, y, _ = car.model_position()
        return self._observation(), y - before, abs(x) > 1.75  # m, half the lane's width

    def _observation(self) -> np.ndarray:
        return np.array([self.world.vehicles[0].read(name) for name in OBSERVED])


environment, generator = StraightLine(), np.random.default_rng(1)
for episode in range(3):
    environment.reset()
    total, ended = 0.0, False
    for _ in range(100):  # five seconds
        observation, reward, ended = environment.step((1.0, generator.uniform(-0.02, 0.02)))
        total += reward
        if ended:
            break
    print(f"episode {episode}: {total:.1f} m{', left the lane' if ended else ''}")
