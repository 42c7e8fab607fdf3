"""The sweep as road query of a vehicle: contact plane and jounce, kerbs, starts inside the ground, gaps."""

import math

import numpy as np
import pytest
from naive_ground import box_mesh, random_field

from driving_sandbox.physics.ground.arrays import JOINT_DEPTH, ROUGHNESS_AMPLITUDE
from driving_sandbox.physics.ground.ground import Ground, Heightfield, Plane, plane_ground
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.road.sweep_query import EASE
from driving_sandbox.physics.tick.commands import NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.wheel.rim import edge_compression
from driving_sandbox.physics.world.world import World

ICE = default_surfaces().index("ice")  # without roughness


def world(ground, values=None, tick=1.0 / 240.0, vehicle=None, smooth=True):
    """World of a roadster, or of `vehicle`.

    values: {parameter path: value}.
    tick: s.
    smooth: whether roughness is removed from all surfaces.
    """
    vehicle = vehicle or load_vehicle("roadster_simple")
    if values:
        vehicle.set_many(values)
    if smooth:
        ground.arrays.surfaces[:, [ROUGHNESS_AMPLITUDE, JOINT_DEPTH]] = 0.0
    return World(ground, [vehicle], tick_seconds=tick)


def run(w, seconds, **values):
    """Run a world in neutral gear; values: fields of the command."""
    command = neutral_command()
    command["gear"] = NEUTRAL
    for key, value in values.items():
        command[key] = value
    for _ in range(round(seconds / w.tick_seconds)):
        assert w.step(command) is None


def all_wheels(vehicle, **fields):
    """{parameter path: value} of every wheel."""
    return {f"{slot}.{wheel}.{key}": value for wheel in vehicle.wheel_names
            for slot, part in fields.items() for key, value in part.items()}  # fmt: skip


def wheels(w, slot, key):
    """A state value of the four wheels."""
    return np.array(w.vehicles[0].state[slot][key][0, :4])


def set_rolling(v, speed):
    """Set the forward speed, m/s, of a vehicle that faces +y, and of its wheels' treads."""
    v.state["body"]["velocity"][0, 1] = speed
    v.state["wheel"]["omega"][0, :4] = speed / v.params["wheel"]["radius"][0, :4]


@pytest.mark.parametrize("form", ["ray", "sweep"])
def test_the_contact_plane_reproduces_the_swept_jounce(form):
    """The suspension's closed form, ray or cylinder, on the stored contact plane gives the jounce of the sweep."""
    rng = np.random.default_rng(2)
    field = random_field(rng, size=12, cell=1.0, origin=(-6.0, -6.0), holes=False)
    ground = Ground(Heightfield(field.heights * np.float32(0.1), field.cell_surface, field.origin, 1.0))
    checked_count = 0
    for seed in range(25):
        w = world(ground)
        v = w.vehicles[0]
        v.set_many(all_wheels(v, suspension={"jounce_query": form}))
        rng = np.random.default_rng(seed)
        turn = quat.from_rotation_vector(tuple(rng.normal(0.0, 0.06, 3).tolist()))
        w.place(0, tuple(rng.uniform(-2.0, 2.0, 2)), rng.uniform(-3.0, 3.0))
        v.put(v.model_position(), quat.multiply(turn, v.model_orientation()))
        run(w, w.tick_seconds)
        w = world(ground, tick=1e-9)  # the body does not move, so that jounce and plane refer to the same pose
        v.context, w.vehicles = w.context, [v]
        run(w, 1e-9)
        jounce, expected = wheels(w, "suspension", "jounce"), wheels(w, "road", "jounce")
        travel = v.params["suspension"]["travel"][0, :4]
        np.testing.assert_allclose(jounce, np.clip(expected, 0.0, travel), atol=1e-9)
        checked_count += np.count_nonzero((expected > 0.0) & (expected < travel))
    assert checked_count > 20


def test_on_flat_ground_ray_and_sweep_have_the_same_ride_height():
    from driving_sandbox.physics.road.query import RAY_QUERY
    from driving_sandbox.physics.vehicle.types import VARIANTS

    assert VARIANTS["road"]["ray"] is RAY_QUERY
    from driving_sandbox.benchmarks.sweep import with_query

    heights = []
    for query in ("ray", "sweep"):
        w = World(plane_ground(), [with_query(load_vehicle("roadster_simple"), query)], tick_seconds=1.0 / 240.0)
        w.ground.arrays.surfaces[:, [ROUGHNESS_AMPLITUDE, JOINT_DEPTH]] = 0.0
        w.place(0, (0.0, 0.0), 0.0)
        run(w, 3.0, brake=1.0)
        assert np.abs(w.vehicles[0].state["body"]["velocity"]).max() < 1e-4
        heights.append(w.vehicles[0].state["body"]["position"][0, 2])
    assert heights[1] == pytest.approx(heights[0], abs=2e-4)  # slight camber: the sweep meets the edges of the tread


@pytest.mark.parametrize("edge_lean", [0.02, 0.05, 0.2])
def test_a_leaning_wheel_rises_by_the_work_of_a_force_at_its_contact_point(edge_lean):
    """The contact point goes from the middle of the tread to its edge in proportion to the lean."""
    half_width, leans = 0.1, np.linspace(0.0, 0.3, 3001)
    compression = np.array([edge_compression(lean, half_width, edge_lean) for lean in leans])
    offset = half_width * np.minimum(leans / edge_lean, 1.0)
    work = np.concatenate([[0.0], np.cumsum(0.5 * (offset[1:] + offset[:-1]) * np.diff(leans))])
    assert half_width * leans - compression == pytest.approx(work, abs=1e-8)
    assert edge_compression(-0.1, half_width, edge_lean) == edge_compression(0.1, half_width, edge_lean)


@pytest.mark.parametrize("lean", [-0.1, 0.01, 0.03, 0.1])
def test_a_leaning_car_sinks_as_far_as_its_treads_yield(lean):
    jounces = []
    for edge_lean in (0.0, 0.05):
        w = world(plane_ground(), {"body.centre_of_mass": (0.0, 0.0, 0.46)})
        v = w.vehicles[0]
        v.set_many(all_wheels(v, road={"edge_lean": edge_lean}))
        w.place(0, (0.0, 0.0), 0.0)
        v.state["body"]["orientation"][0] = quat.from_rotation_vector((0.0, lean, 0.0))
        run(w, w.tick_seconds)
        jounces.append(wheels(w, "road", "unlimited_jounce"))
    half_width = v.params["wheel"]["half_width"][0, :4]
    compressions = [edge_compression(math.sin(lean), half, 0.05) / math.cos(lean) for half in half_width.tolist()]
    assert jounces[0] - jounces[1] == pytest.approx(compressions, rel=5e-3)  # the car moves during the tick


def rolling_energy(v):
    """Kinetic, potential and spring energy of body and rotating wheels, J."""
    b, p = v.state["body"][0], v.params["body"][0]
    spin = quat.rotate_inverse(tuple(b["orientation"].tolist()), tuple(b["angular_velocity"].tolist()))
    energy = 0.5 * p["mass"] * b["velocity"] @ b["velocity"] + p["mass"] * 9.81 * b["position"][2]
    energy += 0.5 * (p["inertia"] @ np.square(spin))
    energy += sum(0.5 * v.params["wheel"]["inertia"][0, i] * v.state["wheel"]["omega"][0, i] ** 2 for i in range(4))
    s, q = v.state["suspension"][0, :4], v.params["suspension"][0, :4]
    return energy + 0.5 * (q["stiffness"] * np.square(s["jounce"])).sum()


def energy_change(kerb, application, speed=5.0):
    """Relative energy change of an undamped car coasting up a kerb, minus that on flat ground; < 0: energy is lost.

    kerb: height, m.
    application: where suspension forces act, see `force_application`.
    speed: m/s.
    """
    energies = []
    for height in (kerb, 0.0):
        blocks = [box_mesh("kerb", (-50, 3, -1), (50, 60, height), ICE)] if height else []
        w = world(Ground(Plane(0.0, ICE), blocks), tick=1.0 / 960.0)
        v = w.vehicles[0]
        undamped = {"suspension": {"damping": 0.0, "force_application": application}, "wheel": {"damping": 0.0},
                "tire": {"rolling_resistance": 0.0, "camber_stiffness": 0.0}}  # fmt: skip
        v.set_many({**all_wheels(v, **undamped), "aero.drag_area": 0.0, "aero.downforce_area": 0.0,
                    "contact.suspension_limit": "none"})  # fmt: skip
        v.set_many(all_wheels(v, suspension={"travel": 0.3}))
        w.place(0, (0.0, 0.0), 0.0)
        v.state["body"]["velocity"][0] = (0.0, speed, 0.0)
        v.state["wheel"]["omega"][0, :4] = speed / v.params["wheel"]["radius"][0, :4]
        run(w, 0.02)
        before = rolling_energy(v)
        run(w, 1.5)
        energies.append(rolling_energy(v) / before - 1.0)
    return energies[0] - energies[1]


def test_forces_at_the_contact_gain_no_energy_over_a_kerb():
    """Tire slip dissipates up to 2 %; no energy is gained. Forces at the attachment gain energy at the higher kerb."""
    at_contact, at_attachment = (
        [energy_change(height, application) for height in (0.03, 0.06)] for application in ("contact", "attachment")
    )
    print("\nenergy change over kerbs of 3 and 6 cm:", [f"{100 * e:.2f} %" for e in at_contact + at_attachment])
    for change in at_contact:
        assert -0.02 < change < 0.0
    assert at_attachment[1] > 0.002


def test_starting_inside_the_ground_lifts_the_car_gently():
    for depth in (0.1, 0.2, 0.28):
        w = world(plane_ground())
        v = w.vehicles[0]
        w.place(0, (0.0, 0.0), 0.0)
        rest = v.state["body"]["position"][0, 2]
        x, y, z = v.model_position()
        v.set_many({"contact.friction": 1.0})
        v.put((x, y, z - depth), v.model_orientation())
        v.params["contact"]["hull"]["part_count"] = 0  # the wheels alone
        fastest, highest = 0.0, -1.0
        for _ in range(240 * 4):
            run(w, w.tick_seconds, brake=1.0)
            fastest = max(fastest, v.state["body"]["velocity"][0, 2])
            highest = max(highest, v.state["body"]["position"][0, 2])
        assert fastest < 0.4, depth
        assert highest < rest + 0.02, depth
        assert v.state["body"]["position"][0, 2] == pytest.approx(rest, abs=0.01)


@pytest.mark.parametrize("speed", [1.0, 2.0])
def test_a_kerb_hit_sideways_compresses_the_suspension_no_faster_than_the_car_slides(speed):
    """In a tick jounce grows less than the car slides along the axle plus what the rate EASE (m/s) allows."""
    w = world(Ground(Plane(0.0, ICE), [box_mesh("kerb", (1.0, -50, -1), (5, 50, 0.12), ICE)]))
    w.place(0, (0.0, 0.0), 0.0)
    run(w, 1.0)
    w.vehicles[0].params["contact"]["hull"]["part_count"] = 0
    w.vehicles[0].state["body"]["velocity"][0, 0] = speed
    before, max_growth = wheels(w, "road", "jounce"), 0.0
    for _ in range(240):
        run(w, w.tick_seconds)
        now = wheels(w, "road", "jounce")
        max_growth = max(max_growth, (now - before).max())
        before = now
    assert wheels(w, "road", "point")[:, 2].max() > 0.1  # on top of the kerb
    assert max_growth < (speed + EASE) * w.tick_seconds


def over_a_gap(width, height):
    """(world, car) with the front wheels above a gap; width of the gap and height of the car: m."""
    blocks = [box_mesh("near", (-9, -9, -1), (9, -width / 2, 0)), box_mesh("far", (-9, width / 2, -1), (9, 9, 0))]
    w = world(Ground(None, blocks))
    v = w.vehicles[0]
    v.put((0.0, -float(v.params["suspension"]["attachment"][0, 0, 1]), height), (0.0, 0.0, 0.0, 1.0))
    return w, v


@pytest.mark.parametrize("speed", [0.02, 0.1])
def test_a_car_rocking_in_a_gap_comes_to_rest(speed):
    """After settling on its brakes, the car rolls to and fro between the edges of the gap and comes to rest."""
    w, v = over_a_gap(width=0.25, height=0.0)
    run(w, 3.0, brake=1.0)
    set_rolling(v, speed)
    run(w, 8.0)
    assert np.linalg.norm(v.state["body"]["velocity"][0]) < 1e-6
    assert wheels(w, "road", "normal")[:2, 2].min() > 0.999


def test_an_unbraked_car_over_a_gap_stays_in_it():
    w, v = over_a_gap(width=0.25, height=0.02)
    run(w, 4.0)
    start = v.state["body"]["position"][0].copy()
    run(w, 10.0)
    assert np.linalg.norm(v.state["body"]["position"][0] - start) < 1e-3
    assert wheels(w, "road", "normal")[:2, 2].min() > 0.999


def test_a_rotating_contact_plane_is_marked_for_a_sweep_every_substep():
    w = world(Ground(Plane(0.0), [box_mesh("kerb", (-50, 3, -1), (50, 60, 0.1))]))
    w.place(0, (0.0, 0.0), 0.0)
    run(w, 0.5)
    assert wheels(w, "road", "turn_phase").sum() == 0
    set_rolling(w.vehicles[0], 8.0)
    wheel_ticks = 0  # sum over ticks of the wheels whose plane rotates
    for _ in range(240):
        run(w, w.tick_seconds)
        wheel_ticks += np.count_nonzero(wheels(w, "road", "turn_phase"))
    assert 4 <= wheel_ticks <= 100
    assert math.isfinite(rolling_energy(w.vehicles[0]))


def test_ten_thousand_random_triangles_drive_like_a_plane():
    """While rolling, wheel loads differ from those on a plane by less than 0.1 % of their mean."""
    from test_sweep_scenes import random_sheet

    loads = []
    for ground in (random_sheet(10000, side=40.0), plane_ground()):
        w = world(ground)
        w.place(0, (20.0, 5.0), 0.0)
        run(w, 2.0, brake=1.0)
        set_rolling(w.vehicles[0], 8.0)
        run(w, 0.5)
        rows = []
        for _ in range(240):
            run(w, w.tick_seconds)
            rows.append(wheels(w, "suspension", "force"))
        loads.append(np.array(rows))
    mean_load = loads[1].mean(axis=0)
    print(f"\nloads on triangles and on a plane differ by {np.abs(loads[0] - loads[1]).max() / mean_load.min():.1e}")
    assert np.all(np.abs(loads[0] - loads[1]) < 1e-3 * mean_load)


@pytest.mark.covers("ST-QUERY-01")
def test_wheels_pass_through_surfaces_hidden_by_their_filter():
    kerb = box_mesh("kerb", (-50, -50, -1), (50, 50, 0.1), default_surfaces().index("kerb"))
    for query in ("ray", "sweep"):
        from driving_sandbox.benchmarks.sweep import with_query

        vehicle = with_query(load_vehicle("roadster_simple"), query)
        vehicle.set_many({"road.fl.raycast_filter": "no_kerbs", "road.fr.raycast_filter": "no_kerbs"})
        w = World(Ground(Plane(0.0, ICE), [kerb]), [vehicle], tick_seconds=1.0 / 240.0)
        w.place(0, (0.0, 0.0), 0.0)
        run(w, w.tick_seconds)
        assert wheels(w, "road", "point")[:, 2] == pytest.approx([0.0, 0.0, 0.1, 0.1], abs=0.01), query
        assert wheels(w, "road", "surface").tolist() == [ICE, ICE, *[default_surfaces().index("kerb")] * 2]


def test_cars_drive_over_a_full_and_a_one_sided_kerb():
    blocks = [box_mesh("kerb", (-50, 12, -1), (50, 14, 0.08)), box_mesh("one_sided", (0, 24, -1), (50, 26, 0.12))]
    for name in ("roadster_simple", "hatchback", "offroader", "buggy"):
        w = world(Ground(Plane(0.0), blocks), vehicle=load_vehicle(name), smooth=False)
        v = w.vehicles[0]
        w.place(0, (0.0, 0.0), 0.0)
        run(w, 0.5)
        set_rolling(v, 10.0)
        initial_energy, highest = rolling_energy(v), 0.0
        for _ in range(240 * 5):
            run(w, w.tick_seconds)
            highest = max(highest, v.state["body"]["position"][0, 2])
        assert v.state["body"]["position"][0, 1] > 30.0, name  # beyond both
        assert highest < 1.5 and rolling_energy(v) < initial_energy, name
