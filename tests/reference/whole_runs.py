"""Whole drives recorded from the reference, the PhysX 5 vehicle SDK, simulated by our components with its behaviour.

A run cannot follow the reference step by step everywhere: a wheel is numerically stiff below the speed

    v* = h C_x R^2 / (2 I) - m      h: substep; m: smallest slip speed of driven and braked, or of free wheels

where differences by single precision grow. Until a wheel is first slower than its v*, positions are compared; from
then on velocity, distance, gears and the final state. Where even these depend on rounding (near rest, with wheels
constrained to speed ratios by a projection), the allowed difference is that of runs whose states are changed by one
unit of float32's last place before every step.
"""

from dataclasses import dataclass

import numpy as np
from drive_harness import LEVERS, HarnessError, Rig, disturbed, step_of

NEAR = 0.005  # m, or SHARE of the distance if larger, before any wheel is stiff
SHARE = 0.002  # of the distance travelled
VELOCITY_BAND = 0.8  # m/s, afterwards
DISTANCE_BAND = 0.03  # of the distance, afterwards
DISTANCE_FLOOR = 0.3  # m; a stop two steps later is some centimetres farther
PERTURBED_RUNS = 8  # number of runs with perturbed states
SPREAD_FACTOR = 1.5  # allowed difference of velocity relative to the largest one caused by perturbing the states


def start_state(rig):
    """Initial state of a drive in the file."""
    start, frame, n = rig.drive.doc["initial_state"], rig.imported.frame, rig.vehicle.wheel_count
    state = rig.vehicle.state.copy()
    body = state["body"]
    body["position"][0] = frame.vector(start["position"])
    body["orientation"][0] = frame.quaternion(start["quaternion_xyzw"])
    body["velocity"][0] = frame.vector(start["lin_vel"])
    body["angular_velocity"][0] = frame.direction(start["ang_vel"])
    state["wheel"]["omega"][0, :n] = np.array(start["wheel_omega"])[rig.order]
    state["wheel"]["corrected_omega"][0, :n] = state["wheel"]["omega"][0, :n]
    if not rig.is_direct:
        state["engine"]["omega"] = start["engine_omega"]
        state["gearbox"]["current_gear"] = start["current_gear"]
        state["gearbox"]["target_gear"] = start["target_gear"]
    rig.lay_road(state, np.array([0]))  # the road is constant
    return state


class Stiffness:
    """Finds wheels that are numerically stiff."""

    def __init__(self, rig):
        n = rig.vehicle.wheel_count
        h = rig.drive.doc["dt"] / rig.drive.doc["substeps"]
        wheel, tire = rig.vehicle.params["wheel"][0][:n], rig.vehicle.params["tire"][0][:n]
        # m/s: h C_x R^2 / (2 I) of every wheel, and m of free and of driven or braked wheels
        self.rate = h * tire["longitudinal_stiffness"] * wheel["radius"] ** 2 / (2.0 * wheel["inertia"])
        self.added = rig.context["min_passive_slip_speed"][0], rig.context["min_active_slip_speed"][0]
        self.count = n

    def has_stiff_wheel(self, state):
        """Whether any loaded wheel is so slow that its slip is numerically stiff."""
        tire, acts = state["tire"][0][: self.count], state["actuation"][0][: self.count]
        active = (acts["brake_applied"] + acts["drive_applied"]) > 0
        slowest = self.rate - np.where(active, self.added[1], self.added[0])
        return bool(((np.abs(tire["longitudinal_speed"]) < slowest) & (tire["load"] > 0.0)).any())


def run_drive(rig, ground, rng=None, steps=None):
    """(states after steps, first step with a stiff wheel) of a run with the recorded commands.

    rng: perturbs the state before every step like rounding to single precision.
    steps: steps whose states are returned, by default the recorded ones.
    """
    d, stiffness, state = rig.drive, Stiffness(rig), start_state(rig)
    step = step_of(rig, state, ground)
    commands, external = rig.commands(), rig.externals()
    steps = d.recorded if steps is None else steps
    result = np.repeat(state, len(steps))
    row_of = {int(step): row for row, step in enumerate(steps)}
    dt, first_stiff = float(np.float32(d.doc["dt"])), len(commands)
    for k in range(len(commands)):
        for lever, side in rig.levers.items():
            state["levers"][f"thrust_{side}"] = d.commands[k, LEVERS + lever]
        if rng is not None:
            state[:] = disturbed(state, rng)
        fault = step(external[k : k + 1], commands[k : k + 1], dt)
        if fault:
            raise HarnessError(f"{d.path}: fault {fault} in step {k}")
        if k in row_of:
            result[row_of[k]] = state[0]
        if first_stiff > k and stiffness.has_stiff_wheel(state):
            first_stiff = k
    return result, first_stiff


@dataclass
class RunComparison:
    """Differences of a run from the recorded one.

    Attributes:
        smooth: largest position difference before any wheel is stiff, in units of the limit.
        smooth_rows: number of rows before any wheel is stiff.
        velocity: largest difference of velocity, m/s.
        distance: difference of travelled distances, in units of the limit.
        gears: whether the order of gears is the same (`same_gears`).
        end: whether both end moving or both at rest, or with velocities that differ by less than VELOCITY_BAND; and
            with orientations that differ by less than 52 degrees.
    """

    rig: Rig
    smooth: float
    smooth_rows: int
    velocity: float
    distance: float
    gears: bool
    end: bool

    @property
    def within_bands(self):
        return self.velocity <= VELOCITY_BAND and self.distance <= 1.0 and self.gears and self.end


def compare_run(rig, ground):
    """(RunComparison of a run with its recording, states of the run)."""
    d, f = rig.drive, rig.imported.frame
    states, first_stiff = run_drive(rig, ground)
    theirs, ours = f.vector(d.of_body("px", "py", "pz")), states["body"]["position"]
    distance = distance_along(theirs)
    smooth = d.recorded < first_stiff
    position_error = np.linalg.norm(ours - theirs, axis=1) / np.maximum(NEAR, SHARE * distance)
    velocity = f.vector(d.of_body("vx", "vy", "vz"))
    final_orientation = f.quaternion(d.of_body("qx", "qy", "qz", "qw")[-1])
    resting = [np.linalg.norm(v) < VELOCITY_BAND for v in (velocity[-1], states["body"]["velocity"][-1])]
    same_end = resting[0] == resting[1] or np.linalg.norm(velocity[-1] - states["body"]["velocity"][-1]) < VELOCITY_BAND
    return RunComparison(
        rig=rig,
        smooth=float(position_error[smooth].max(initial=0.0)),
        smooth_rows=int(smooth.sum()),
        velocity=float(np.linalg.norm(states["body"]["velocity"] - velocity, axis=1).max()),
        distance=float(
            abs(distance_along(ours)[-1] - distance[-1]) / max(DISTANCE_FLOOR, DISTANCE_BAND * distance[-1])
        ),
        gears=rig.is_direct or same_gears(states["gearbox"]["current_gear"], d.of_body("current_gear")),
        end=bool(same_end) and abs(float(np.dot(final_orientation, states["body"]["orientation"][-1]))) > 0.9,
    ), states


def rounding_spread(rig, states, ground, sufficient):
    """Largest velocity difference between this run and runs with perturbed states, m/s.

    No further run is tried once the difference has reached `sufficient`.
    """
    rng = np.random.default_rng(20261120)
    spread = 0.0
    for _ in range(PERTURBED_RUNS):
        others, _ = run_drive(rig, ground, rng)
        difference = np.linalg.norm(others["body"]["velocity"] - states["body"]["velocity"], axis=1)
        spread = max(spread, float(difference.max()))
        if spread >= sufficient:
            break
    return spread


def distance_along(positions):
    """Travelled distance at every row, m."""
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(positions, axis=0), axis=1))])


def gear_order(gears):
    """Gears in the order they were engaged, without repetitions."""
    changes = np.flatnonzero(np.diff(gears) != 0)
    return [int(gears[0]), *(int(g) for g in gears[changes + 1])]


def same_gears(ours, theirs):
    """Whether the order of gears is the same; one of the two may lack the last change, with the neutral before it."""
    shorter, longer = sorted((gear_order(ours), gear_order(theirs)), key=len)
    return longer[: len(shorter)] == shorter and len(longer) - len(shorter) <= 2
