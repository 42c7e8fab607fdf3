"""What the moving bodies under the wheels gave in a tick, for whoever moves them: they get the opposite.

Per substep a wheel that stands on a moving body (bodies.py) got from it

    h F_suspension + P_stop n + (h F_long + P_long) t_long + (h F_lat + P_lat) t_lat

with the forces of suspension and tire, and the impulses P of the solver's rows: the bump stop, and the tire that holds
instead of slipping. The sum over a tick is kept per wheel. Without moving bodies nothing is added up.

Limits: moments (aligning, rolling) are left out. The force is summed over the tick, its point is that of the last
substep.
"""

from physics import vec3
from physics.component import Component
from physics.contact.component import SUSPENSION_LINE
from physics.jit import kernel
from physics.schema import PerWheel, Vec3, field


class PressedState(PerWheel):
    """What one wheel got from the moving body it stands on."""

    impulse: Vec3() = field(unit="N*s", doc="In this tick from moving bodies, world axes.")


@kernel
def update(state, wheel_count):
    for i in range(wheel_count):
        vec3.store(state[i].impulse, (0.0, 0.0, 0.0))


@kernel
def gather(state, road, suspension, tire, contact, contact_params, external, wheel_count, dt):
    if external.moving_count <= 0:
        return
    for i in range(wheel_count):
        s, t, r = suspension[i], tire[i], road[i]
        if r.body == 0 or s.on_ground == 0:
            continue
        held = contact.solver.wheels[i]
        push = vec3.load(r.normal)
        if contact_params.suspension_limit == SUSPENSION_LINE:
            push = vec3.scale(vec3.load(s.direction), -1.0)
        given = vec3.add_scaled(vec3.load(state[i].impulse), vec3.load(s.force_vector), dt)
        given = vec3.add_scaled(given, push, held.limit_impulse)
        ahead = dt * t.longitudinal_force + held.longitudinal_impulse
        aside = dt * t.lateral_force + held.lateral_impulse
        given = vec3.add_scaled(given, vec3.load(t.longitudinal), ahead)
        vec3.store(state[i].impulse, vec3.add_scaled(given, vec3.load(t.lateral), aside))


PRESSED = Component(
    slot="pressed", name="impulses", state=PressedState, phases={"update": update, "gather": gather},
    doc="What wheels got from the moving bodies they stand on.",
)
