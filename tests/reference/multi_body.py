"""Integration of the CommonRoad multi-body car, to generate drives for comparison with the car file.

`PYTHONPATH=. python tests/reference/multi_body.py [NAME ...]` rewrites data/commonroad/*.npz, except the published
drive.

The car has a sprung body (roll, pitch, heave, lateral), two solid axles that move laterally, vertically and in roll
relative to it, and four wheels that spin; x forward, y left, z down, angles counter-clockwise from above, wheels lf rf
lr rr. Axles have springs, dampers and auxiliary roll stiffness, and a stiff lateral joint at the height of the roll
axis; tires are vertical springs with a reduced Magic Formula. Equations and values are from M. Althoff and
G. Wuersching, CommonRoad: Vehicle Models (2020), sec. 9 and annex B, after R. W. Allen et al., NHTSA (1992), with
their symbols. Peculiarities of that model are included: longitudinal forces pitch the sprung body by its own height,
constant shifts of the lateral formula have the sign of camber, and that of the longitudinal one is inside its sine.

The published drives are read with y to the left. The model itself has y to the right, so its lf is the outer wheel of
a left turn, where its roll is negative.

Limits: speed above 0.1 m/s (the model has other equations at rest); wheels do not turn backwards; no air drag, no
rolling resistance.
"""

import json
import math
import sys
from math import atan, cos, sin
from pathlib import Path

import numpy as np

GRAVITY = 9.81  # m/s^2
PARAMETERS = Path(__file__).resolve().parent / "data" / "commonroad" / "bmw320i_parameters.json"
NAMES = [
    "x", "y", "delta", "v_x", "psi", "psi_dot", "roll", "roll_rate", "pitch", "pitch_rate", "v_y", "z", "v_z",
    "roll_f", "roll_rate_f", "v_y_f", "z_f", "v_z_f", "roll_r", "roll_rate_r", "v_y_r", "z_r", "v_z_r",
    "omega_lf", "omega_rf", "omega_lr", "omega_rr", "delta_y_f", "delta_y_r",
]  # fmt: skip
STEP = 1e-3  # s; the fastest modes, wheel spin and axle hop, have time constants of some 4 ms
SAMPLES = 10  # steps between stored rows
SAMPLE = SAMPLES * STEP  # s
STORED = ("delta", "v_x", "psi_dot", "v_y")  # states stored in files
STEERING_START = 0.5  # s, start of steering


def parameters():
    """{symbol: value in SI units} of the car."""
    return json.loads(PARAMETERS.read_text("utf-8"))


def magic(bx, c, e):
    """Argument of the Magic Formula's sine or cosine; bx: stiffness factor times slip, c: shape, e: curvature."""
    return c * atan(bx - e * (bx - atan(bx)))


def sign_of(x):
    return float(x > 0.0) - float(x < 0.0)


def weight(x, shift, b, c, e):
    """Factor of a force at combined slip: 1 if the other slip x is 0. b, c, e: stiffness, shape, curvature."""
    return cos(magic(b * (x + shift), c, e)) / cos(magic(b * shift, c, e))


def tire(t, slip, angle, camber, load):
    """(F_x, F_y) of a tire; slip is positive in braking."""
    peak = t["p_dx1"] * (1.0 - t["p_dx3"] * camber**2) * load
    bx = load * t["p_kx1"] / (t["p_cx1"] * peak) * (t["p_hx1"] - slip)
    fx = peak * sin(magic(bx, t["p_cx1"], t["p_ex1"]) + load * t["p_vx1"])
    b = t["r_bx1"] * cos(atan(t["r_bx2"] * slip))
    fx *= weight(angle, t["r_hx1"], b, t["r_cx1"], t["r_ex1"])

    size, sign = abs(camber), sign_of(camber)
    peak = t["p_dy1"] * (1.0 - t["p_dy3"] * camber**2) * load
    by = load * t["p_ky1"] / (t["p_cy1"] * peak) * (angle + sign * (t["p_hy1"] + t["p_hy3"] * size))
    fy = peak * sin(magic(by, t["p_cy1"], t["p_ey1"])) + sign * load * (t["p_vy1"] + t["p_vy3"] * size)
    b = t["r_by1"] * cos(atan(t["r_by2"] * (angle - t["r_by3"])))
    fy *= weight(slip, t["r_hy1"], b, t["r_cy1"], t["r_ey1"])
    shift = peak * (t["r_vy1"] + t["r_vy3"] * camber) * cos(atan(t["r_vy4"] * angle))
    return fx, fy + shift * sin(t["r_vy5"] * atan(t["r_vy6"] * slip))


class Axle:
    """Forces of an axle's springs, joint and tires at a state `s`, whose numbers are in the order of NAMES.

    Names with _u are of the axle, others of the body. moved: lateral displacement of the axle's joint, m.
    """

    def __init__(self, p, front):
        f = "f" if front else "r"
        self.p, self.tire, self.ahead = p, p["tire"], p["a"] if front else -p["b"]
        self.half, self.mass, self.inertia = 0.5 * p[f"T_{f}"], p[f"m_u{f}"], p[f"I_u{f}"]
        self.spring, self.damper, self.bar = p[f"K_s{f}"], p[f"K_sd{f}"], p[f"K_ts{f}"]
        self.camber_gain, self.camber_bend, self.roll_axis = p[f"D_{f}"], p[f"E_{f}"], p[f"h_ra{f}"]
        self.static = p["m_s"] * GRAVITY * (p["b"] if front else p["a"]) / (2.0 * (p["a"] + p["b"]))
        self.offset = 0 if front else 5  # of its states, after those of the front axle
        self.front = front

    def suspension(self, s):
        """([left, right] forces of the springs between body and axle, N; [left, right] cambers of the wheels, rad)."""
        p, (roll_u, roll_rate_u, _, z_u, v_z_u) = self.p, self.own(s)
        roll, roll_rate, pitch, pitch_rate, z, v_z = *s[6:10], *s[11:13]
        above = p["h_s"] - p["R_w"]
        lift = (above + z_u - z) / cos(roll) - above + self.ahead * pitch
        lift_rate = v_z_u - v_z + self.ahead * pitch_rate
        forces, cambers = [], []
        for sign in (1.0, -1.0):
            jounce = lift + sign * self.half * (roll - roll_u)
            rate = lift_rate + sign * self.half * (roll_rate - roll_rate_u)
            push = self.static - self.spring * jounce - self.damper * rate
            forces.append(push + sign * self.bar * (roll - roll_u) / (2.0 * self.half))
            cambers.append(roll + sign * (self.camber_gain * jounce + self.camber_bend * jounce**2))
        return forces, cambers

    def own(self, s):
        """Roll, roll rate, lateral speed, depth and downward speed of the axle."""
        return s[13 + self.offset : 18 + self.offset]

    def joint(self, s, moved):
        """(lateral force of the joint, lateral speed of the axle relative to the body)."""
        p, roll, roll_rate = self.p, s[6], s[7]
        roll_u, roll_rate_u, v_y_u, z_u, v_z_u = self.own(s)
        down, twist = p["h_s"] - p["R_w"] + z_u - s[11], roll - roll_u
        arm, moving = self.roll_axis - p["R_w"], s[10] + self.ahead * s[5] - v_y_u
        bent = down * sin(roll) - moved * cos(roll) - arm * sin(twist)
        rate = (down * cos(roll) + moved * sin(roll)) * roll_rate + (v_z_u - s[12]) * sin(roll)
        rate -= moving * cos(roll) + arm * cos(twist) * (roll_rate - roll_rate_u)
        return bent * p["K_ras"] + rate * p["K_rad"], moving

    def tires(self, s, cambers, spins):
        """[(F_x, F_y, F_z)] left and right, in wheel axes."""
        p, forces = self.p, []
        roll_u, roll_rate_u, _, z_u, _ = self.own(s)
        delta = s[2] if self.front else 0.0
        across = s[10] + self.ahead * s[5]
        for sign, camber, omega in zip((1.0, -1.0), cambers, spins, strict=True):
            load = (z_u + p["R_w"] * (cos(roll_u) - 1.0) - sign * self.half * sin(roll_u)) * p["K_zt"]
            speed = s[3] + sign * self.half * s[5]
            along = max(speed * cos(delta) + across * sin(delta), 1e-9)
            angle = atan((across - roll_rate_u * (p["R_w"] - z_u)) / speed) - delta
            forces.append((*tire(self.tire, 1.0 - p["R_w"] * omega / along, angle, camber, load), load))
        return forces

    def rates(self, s, springs, joint, tires):
        """Derivatives of the axle's five states, and (F_x, F_y, yaw moment) on the car in body axes."""
        p, roll = self.p, s[6]
        roll_u, roll_rate_u, _, z_u, v_z_u = self.own(s)
        (fx_l, fy_l, fz_l), (fx_r, fy_r, fz_r) = tires
        delta = s[2] if self.front else 0.0
        c, d, lateral_compliance = cos(delta), sin(delta), p["K_lt"]
        fx, fy = (fx_l + fx_r) * c - (fy_l + fy_r) * d, (fy_l + fy_r) * c + (fx_l + fx_r) * d
        turn = fy * self.ahead + ((fy_r - fy_l) * d + (fx_l - fx_r) * c) * self.half
        twist = (springs[1] - springs[0]) * self.half - joint * (self.roll_axis - p["R_w"]) - fy * (p["R_w"] - z_u)
        twist += fz_l * (p["R_w"] * sin(roll_u) + self.half * cos(roll_u) - lateral_compliance * fy_l)
        twist -= fz_r * (-p["R_w"] * sin(roll_u) + self.half * cos(roll_u) + lateral_compliance * fy_r)
        up = fz_l + fz_r + joint * sin(roll) - sum(springs) * cos(roll)
        sideways = fy - joint * cos(roll) - sum(springs) * sin(roll)
        own = [roll_rate_u, twist / self.inertia, sideways / self.mass - s[5] * s[3], v_z_u, GRAVITY - up / self.mass]
        return own, (fx, fy, turn)


class MultiBody:
    """The car; `state` has the quantities of NAMES, in SI units."""

    def __init__(self, speed, p=None):
        p = self.p = p or parameters()
        self.axles = Axle(p, True), Axle(p, False)
        self.state = [0.0] * len(NAMES)
        self.state[3] = speed
        for axle in self.axles:
            self.state[16 + axle.offset] = (axle.static + 0.5 * axle.mass * GRAVITY) / p["K_zt"]
        self.state[23:27] = [speed / p["R_w"]] * 4

    def rates(self, s, steer_rate, acceleration):
        """Derivative of the state."""
        p, roll, z = self.p, s[6], s[11]
        v_x, yaw_rate = s[3], s[5]
        total = p["m"] * p["R_w"] * acceleration
        fronts = p["T_sb"] if acceleration < 0.0 else p["T_se"]
        fx = turn = rolling = pitching = up = across = 0.0
        own, spins, moving = [], [], []
        for axle, share, moved in zip(self.axles, (fronts, 1.0 - fronts), s[27:29], strict=True):
            first = 23 if axle.front else 25
            springs, cambers = axle.suspension(s)
            joint, speed = axle.joint(s, moved)
            tires = axle.tires(s, cambers, s[first : first + 2])
            rates, (along, _, moment) = axle.rates(s, springs, joint, tires)
            roll_u, z_u = s[13 + axle.offset], s[16 + axle.offset]
            own += rates
            moving.append(speed)
            spins += [(0.5 * share * total - p["R_w"] * force[0]) / p["I_y_w"] for force in tires]
            fx, turn = fx + along, turn + moment
            below = p["h_s"] - z - p["R_w"] + z_u - (axle.roll_axis - p["R_w"]) * cos(roll_u)
            rolling += (springs[0] - springs[1]) * axle.half - joint / cos(roll) * below
            pitching += axle.ahead * sum(springs)
            across += joint * cos(roll) + sum(springs) * sin(roll)
            up += sum(springs) * cos(roll) - joint * sin(roll)
        pitching += fx * (p["h_s"] - z)
        c, d = cos(s[4]), sin(s[4])
        body = [v_x * c - s[10] * d, v_x * d + s[10] * c, steer_rate, fx / p["m"] + yaw_rate * s[10], yaw_rate,
                turn / p["I_z"], s[7], rolling / p["I_Phi_s"], s[9], pitching / p["I_y_s"],
                across / p["m_s"] - yaw_rate * v_x, s[12], GRAVITY - up / p["m_s"]]  # fmt: skip
        spins = [0.0 if s[23 + i] <= 0.0 and rate < 0.0 else rate for i, rate in enumerate(spins)]
        return body + own + spins + moving

    def limited(self, steer_rate, acceleration):
        """Inputs within the limits of the model at the present state."""
        steering, engine, delta, v_x = self.p["steering"], self.p["longitudinal"], self.state[2], self.state[3]
        if (delta <= steering["min"] and steer_rate < 0.0) or (delta >= steering["max"] and steer_rate > 0.0):
            steer_rate = 0.0
        max_acceleration = engine["a_max"] * min(1.0, engine["v_switch"] / max(v_x, engine["v_switch"]))
        if v_x >= engine["v_max"]:
            max_acceleration = 0.0
        steer_rate = min(max(steer_rate, steering["v_min"]), steering["v_max"])
        return steer_rate, min(max(acceleration, -engine["a_max"]), max_acceleration)

    def step(self, steer_rate, acceleration):
        """A fourth-order Runge-Kutta step."""
        inputs, s, h = self.limited(steer_rate, acceleration), self.state, STEP
        k1 = self.rates(s, *inputs)
        k2 = self.rates([a + 0.5 * h * b for a, b in zip(s, k1, strict=True)], *inputs)
        k3 = self.rates([a + 0.5 * h * b for a, b in zip(s, k2, strict=True)], *inputs)
        k4 = self.rates([a + h * b for a, b in zip(s, k3, strict=True)], *inputs)
        ends = zip(s, k1, k2, k3, k4, strict=True)
        self.state = [a + h / 6.0 * (b + 2.0 * (c + d) + e) for a, b, c, d, e in ends]
        self.state[23:27] = [max(omega, 0.0) for omega in self.state[23:27]]


def limited_rates(target, samples):
    """Steering rates at every sample that follow the angle target(t) within the rate limit."""
    max_rate, angle, rates = parameters()["steering"]["v_max"], 0.0, np.zeros(samples)
    for k in range(samples):
        rates[k] = min(max((target((k + 1) * SAMPLE) - angle) / SAMPLE, -max_rate), max_rate)
        angle += rates[k] * SAMPLE
    return rates


# Steering angles, rad, and accelerations, m/s^2, as functions of time in s


def step_to(angle, begin=STEERING_START):
    return lambda t: angle if t > begin else 0.0


def ramp_to(rate, angle):
    return lambda t: min(max((t - STEERING_START) * rate, 0.0), angle)


def steady_rate(rate):
    return lambda t: rate * t


def swings(amplitude, frequency, count, begin=STEERING_START):
    """`count` periods of a sine; frequency in Hz."""
    return lambda t: amplitude * math.sin(math.tau * frequency * (t - begin)) * (0.0 <= t - begin < count / frequency)


def double_lane_change(amplitude, frequency, pause):
    """A lane change and, after a pause, its mirror image."""
    first, second = (
        swings(amplitude, frequency, 1),
        swings(-amplitude, frequency, 1, STEERING_START + 1.0 / frequency + pause),
    )
    return lambda t: first(t) + second(t)


def alternating(angle, pause):
    """Steering that changes between plus and minus an angle, rad, after every pause, s."""
    return lambda t: (
        0.0
        if t <= STEERING_START
        else math.copysign(angle, math.cos(math.pi * math.floor((t - STEERING_START) / pause)))
    )


def pulse(acceleration, begin, end):
    return lambda t: acceleration if begin <= t < end else 0.0


def sum_of_pulses(*spans):
    """Sum of accelerations (m/s^2, start, end)."""
    return lambda t: sum(a for a, begin, end in spans if begin <= t < end)


NO_PEDAL = pulse(0.0, 0.0, 0.0)
DRIVES = {  # {name: (speed, m/s; steering angle(t), rad; acceleration(t), m/s^2; duration, s)}
    "step_steer_10_tight": (10, step_to(0.12), NO_PEDAL, 4),
    "step_steer_15_right": (15, step_to(-0.05), NO_PEDAL, 4),
    "step_steer_30_hard": (30, step_to(0.022), NO_PEDAL, 4),
    "ramp_steer_15": (15, ramp_to(0.02, 0.11), NO_PEDAL, 6),
    "turn_round_5": (5, step_to(0.5), NO_PEDAL, 5),
    "slalom_15": (15, swings(0.06, 0.6, 3), NO_PEDAL, 6),
    "sine_25": (25, swings(0.035, 0.5, 2), NO_PEDAL, 5),
    "lane_change_25": (25, swings(0.03, 0.5, 1), NO_PEDAL, 4),
    "double_lane_change_25": (25, double_lane_change(0.05, 0.5, 0.3), NO_PEDAL, 6),
    "double_lane_change_25_limit": (25, double_lane_change(0.06, 0.6, 0.2), NO_PEDAL, 5),
    "brake_in_turn_15": (15, step_to(0.06), pulse(-5.0, 2.5, 4.5), 4.5),
    "brake_in_turn_20_mild": (20, step_to(0.03), pulse(-3.0, 2.0, 5.0), 5),
    "brake_in_turn_20_hard": (20, step_to(0.03), pulse(-7.0, 2.0, 4.0), 4),
    "brake_in_turn_30": (30, step_to(0.015), pulse(-4.0, 2.0, 5.0), 5),
    "accelerate_in_turn_10": (10, step_to(0.09), pulse(4.0, 2.0, 3.5), 5),
    "accelerate_in_turn_20": (20, step_to(0.04), pulse(2.0, 2.0, 5.0), 5),
    "accelerate_in_turn_15": (15, step_to(0.05), pulse(2.0, 1.0, 5.0), 5),
    "brake_in_turn_25": (25, step_to(0.03), pulse(-6.0, 1.5, 4.5), 4.5),
    "brake_in_turn_25_right": (25, step_to(-0.025), pulse(-4.0, 1.5, 5.0), 5),
    "steer_in_stop_25": (25, step_to(0.03, 1.0), pulse(-5.0, 0.5, 4.5), 4.5),
    "swing_in_stop_25": (25, swings(0.03, 0.5, 2), pulse(-6.0, 1.0, 3.0), 4.5),
    "lane_change_braking_30": (30, swings(0.02, 0.5, 1), pulse(-5.0, 1.0, 3.0), 4),
    "brake_and_steer_15": (15, steady_rate(0.15), pulse(-0.7 * GRAVITY, 0.0, 1.0), 1),
    "accelerate_and_steer_15": (15, steady_rate(0.15), pulse(0.63 * GRAVITY, 0.0, 1.0), 1),
    "swings_fast_20": (20, swings(0.03, 1.5, 4), NO_PEDAL, 4),
    "swings_fast_25": (25, swings(0.02, 1.5, 4), NO_PEDAL, 4),
    "brake_in_turn_26": (26, step_to(0.025), pulse(-5.0, 1.5, 4.0), 5),
    "brake_in_turn_30_limit": (30, step_to(0.02), pulse(-3.0, 1.5, 4.0), 5),
    "brake_tapped_25": (25, step_to(0.03), sum_of_pulses((-5.0, 1.5, 2.0), (-5.0, 2.5, 3.0)), 4.5),
    "brake_released_26": (26, step_to(0.025), sum_of_pulses((-5.0, 1.0, 2.5), (1.0, 2.5, 4.0)), 4.5),
    "brake_in_turn_35": (35, step_to(0.01), pulse(-5.0, 1.5, 4.0), 5),
    "brake_in_turn_40": (40, step_to(0.006), pulse(-4.0, 1.5, 4.0), 5),
    "accelerate_in_turn_8": (8, step_to(0.1), pulse(4.0, 1.5, 4.0), 5),
    "accelerate_in_turn_15_hard": (15, step_to(0.05), pulse(3.0, 1.5, 4.0), 5),
    "accelerate_in_turn_10_hard": (10, step_to(0.05), pulse(5.0, 1.5, 4.0), 5),
    "swings_2_hz_10": (10, swings(0.03, 2.0, 6), NO_PEDAL, 4),
    "swings_2_hz_20": (20, swings(0.02, 2.0, 6), NO_PEDAL, 4),
    "swings_2_hz_30": (30, swings(0.01, 2.0, 6), NO_PEDAL, 4),
    "swings_3_hz_20": (20, swings(0.012, 3.0, 9), NO_PEDAL, 4),
    "swing_in_stop_30": (30, swings(0.015, 0.5, 1), pulse(-4.0, 0.5, 3.0), 4),
    "step_steer_15_past_grip": (15, step_to(0.12), NO_PEDAL, 3),
    "turn_round_3_tight": (3, step_to(0.6), pulse(0.8, 0.5, 6.0), 6),
    "throttle_lifted_25": (25, step_to(0.02), sum_of_pulses((1.0, 0.5, 2.5), (-1.5, 2.5, 5.0)), 5),
    "reversals_12": (12, alternating(0.05, 0.9), NO_PEDAL, 6),
    "reversals_braking_30": (30, alternating(0.008, 0.7), pulse(-3.0, 1.5, 4.0), 5),
    "bends_16_s": (18, swings(0.03, 0.13, 2),
                   sum_of_pulses((1.5, 2.0, 5.0), (-2.0, 6.0, 9.0), (1.0, 11.0, 14.0)), 16),
}  # fmt: skip


def drive(speed, steer_rates, accelerations, p=None):
    """State (in the order of NAMES) at every sample of 10 ms, for inputs that are constant between samples."""
    car = MultiBody(speed, p)
    rows = [car.state]
    for steer_rate, acceleration in zip(steer_rates[:-1], accelerations[:-1], strict=True):
        for _ in range(SAMPLES):
            car.step(float(steer_rate), float(acceleration))
        rows.append(car.state)
    return np.array(rows)


def inputs(name):
    """(time, steering rates, accelerations) of one of DRIVES."""
    _, angle, acceleration, seconds = DRIVES[name]
    time = np.arange(round(seconds / SAMPLE) + 1) * SAMPLE
    return time, limited_rates(angle, len(time)), np.array([acceleration(t) for t in time])


def write_drives(names):
    """Write the columns read by comparisons, in single precision."""
    for name in names:
        speed = DRIVES[name][0]
        time, steer_rates, accelerations = inputs(name)
        states = drive(float(speed), steer_rates, accelerations)[:, [NAMES.index(key) for key in STORED]]
        np.savez_compressed(PARAMETERS.with_name(f"{name}.npz"), t=time, u_steer_rate=steer_rates.astype(np.float32),
                            u_accel=accelerations.astype(np.float32), mb=states.astype(np.float32),
                            mb_names=np.array(STORED), v0=float(speed))  # fmt: skip


if __name__ == "__main__":
    write_drives(sys.argv[1:] or DRIVES)
