"""Drawing of the running gear: wheels, brakes, and springs and arms from the body to the wheels.

Wheels take a frame's `wheel_orientation`, brakes `hub_orientation`; springs and arms are stretched, so that both ends
stay attached (game/view/vehicle/link.py, chain.py). On graphics cards the whole running gear is one mesh near the eye,
because separate nodes would be two thirds of a watched vehicle's draw calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count

from panda3d.core import LMatrix4f, LVecBase3f, NodePath

from driving_sandbox.game.view.vehicle.batched_mesh import BatchedMesh
from driving_sandbox.game.view.vehicle.bound import pose
from driving_sandbox.game.view.vehicle.chain import Chain, find_ends, part_number
from driving_sandbox.game.view.vehicle.detail import Detail
from driving_sandbox.game.view.vehicle.link import Link
from driving_sandbox.game.view.vehicle.model import Part, VehicleModel
from driving_sandbox.game.view.vehicle.rotations import panda_matrix, quaternion, rotate, rotate_back
from driving_sandbox.physics.base.user_error import WrongValue


def wheel_count(model: VehicleModel) -> int:
    """Number of wheels, which are the nodes wheel1, wheel2 ... without a gap."""
    return next(n for n in count() if f"wheel{n + 1}" not in model.parts)


def links_of(model: VehicleModel) -> dict[str, tuple[int, Link, tuple]]:
    """{name: (wheel index, Link, offset of its wheel end from the wheel's centre, m)} of the parts suspN and armN.

    Parts of the Chain are left out. Raises WrongValue if a helper node is missing.
    """
    chained, rest, links = _chain_ends(model), model.node_position, {}
    for wheel in range(wheel_count(model)):
        for name in (f"susp{wheel + 1}", f"arm{wheel + 1}"):
            if name not in model.parts or part_number(name) in chained:
                continue
            hull_end, wheel_end = rest(f"{name}_hull"), rest(f"{name}_wheel")
            if hull_end is None or wheel_end is None:
                raise WrongValue(f"model part {name} needs helper nodes {name}_hull and {name}_wheel")
            on_hub = tuple((wheel_end - rest(f"wheel{wheel + 1}")).tolist())
            links[name] = wheel, Link(hull_end, wheel_end), on_hub
    return links


def chain_of(model: VehicleModel) -> Chain | None:
    """The model's Chain, None if no part is in one. Raises WrongValue for a wrong one."""
    ends = _chain_ends(model)
    wheels = [model.node_position(f"wheel{n + 1}") for n in range(wheel_count(model))]
    return Chain(ends, wheels) if ends else None


def _chain_ends(model: VehicleModel) -> dict:
    """{part number: [End]} of the parts of a Chain; parts with a helper suspN_wheel (no number) are a Link instead."""
    parts = model.parts
    return find_ends({n: model.node_position(n) for n in parts if f"{n.split('_')[0]}_wheel" not in parts})


class RunningGear:
    """Nodes of the parts named wheelN, brakeN, suspN and armN.

    Args:
        model: VehicleModel.
        root, body: nodes of the vehicle.
        attach: function(part, parent) -> node.
    Attributes:
        wheels, brakes: nodes below `root`.
        links: [(wheel index, Link, node, rest pose of the node, offset of its wheel end from the wheel's centre)].
        chained: {number: (node, rest pose)} of the parts of a Chain.
        springs: nodes of `links` and `chained`.
        names: names of all attached parts.
        parts: [(number, node, rest pose)] as `BatchedMesh` takes them, wheels first.
        batched: BatchedMesh of all parts, set by `gather`.
    """

    def __init__(
        self, model: VehicleModel, root: NodePath, body: NodePath, attach: Callable[[Part, NodePath], NodePath]
    ) -> None:
        self.wheels: list[NodePath] = []
        self.brakes: list[NodePath] = []
        self.links: list[tuple[int, Link, NodePath, LMatrix4f, tuple]] = []
        self.chained: dict[int, tuple[NodePath, LMatrix4f]] = {}
        self.names: set[str] = set()
        self.batched: BatchedMesh  # set by `gather`
        self._model, self._root, self._body, self._attach = model, root, body, attach
        # (position of the body, its orientation, positions of the wheels, orientations of the hubs), set by `pose`
        self._now: tuple[Sequence[float], Sequence[float], Sequence[Sequence[float]], Sequence[Sequence[float]]]
        for n in range(1, wheel_count(model) + 1):
            self._add_wheel(n)
        for name, link in links_of(model).items():
            self._add_link(name, *link)
        self._add_chain(_chain_ends(model))
        self._chain = chain_of(model)  # Chain of the parts in `chained`
        self.springs = [*(path for _, _, path, *_ in self.links), *(path for path, _ in self.chained.values())]
        rests = [model.parts[f"wheel{n + 1}"].rest for n in range(len(self.wheels))]
        # wheels, brakes (posed as their wheels are), springs
        rests += [*rests, *(rest for _, _, _, rest, _ in self.links), *(rest for _, rest in self.chained.values())]
        nodes = [*self.wheels, *self.brakes, *self.springs]
        self.parts = [*zip(count(1), nodes, rests, strict=False)]

    def _add_wheel(self, n: int) -> None:
        """Attach wheel n with its brake."""
        parts = self._model.parts
        self.wheels.append(self._attach(parts[f"wheel{n}"], self._root))
        brake = parts.get(f"brake{n}", Part(f"brake{n}", LMatrix4f.identMat()))
        self.brakes.append(self._attach(brake, self._root))
        self.names |= {f"wheel{n}", f"brake{n}"}

    def _add_link(self, name: str, wheel: int, link: Link, on_hub: tuple) -> None:
        """Attach a suspension part; `wheel`, `link` and `on_hub` as from `links_of`."""
        part = self._model.parts[name]
        path = self._attach(part, self._body)
        path.setMat(part.rest)
        self.links.append((wheel, link, path, part.rest, on_hub))
        self.names.add(name)

    def _add_chain(self, ends: dict) -> None:
        """Attach the parts of the Chain with these ends."""
        parts = self._model.parts
        names = {part_number(name): name for name in parts if part_number(name) in ends}
        for number, name in names.items():
            self.chained[number] = self._attach(parts[name], self._body), parts[name].rest
            self.chained[number][0].setMat(parts[name].rest)
        self.names |= set(names.values())

    def gather(self, detail: Detail) -> None:
        """Create the BatchedMesh that can be drawn instead of all parts.

        Args:
            detail: Detail of the wheels.
        """
        self.batched = BatchedMesh("running gear", self._body, (), (), self.parts, detail)

    def on_wheel(self, wheel: int, on_hub: Sequence[float]) -> tuple[float, float, float]:
        """Position in the body frame of a point on a wheel's hub, given by its offset in hub axes, m."""
        (x, y, z), orientation, positions, hubs = self._now
        ex, ey, ez = rotate(hubs[wheel], on_hub)
        px, py, pz = positions[wheel]
        return rotate_back(orientation, (px + ex - x, py + ey - y, pz + ez - z))

    def pose(
        self,
        position: Sequence[float],
        orientation: Sequence[float],
        positions: Sequence[Sequence[float]],
        wheels: Sequence[Sequence[float]],
        hubs: Sequence[Sequence[float]],
        discs: bool,
        springs: bool,
    ) -> None:
        """Pose all parts.

        Args:
            position, orientation: pose of the body, m and quaternion (x, y, z, w).
            positions: positions of the wheels, m.
            wheels, hubs: orientations of wheels and hubs, quaternions (x, y, z, w).
            discs, springs: whether brake discs, and springs and arms are drawn.
        """
        self._now = position, orientation, positions, hubs
        if self.batched.shown:
            body, turning = pose(position, orientation), zip([*positions, *positions], [*wheels, *hubs], strict=True)
            stretched = (rest * panda_matrix(rows) * body for _, rest, rows in self._stretched())
            self.batched.pose([body, *(pose(*wheel_or_brake) for wheel_or_brake in turning), *stretched])
            return
        for index, wheel_position in enumerate(positions):
            centre = LVecBase3f(*wheel_position)
            self.wheels[index].setPosQuat(centre, quaternion(wheels[index]))
            if discs:
                self.brakes[index].setPosQuat(centre, quaternion(hubs[index]))
        for path, rest, rows in self._stretched() if springs else ():
            path.setMat(rest * panda_matrix(rows))

    def _stretched(self) -> Iterator[tuple[NodePath, LMatrix4f, Sequence[Sequence[float]]]]:
        """Yield (node, rest pose, rows of its transform from rest in the body frame) of each spring and arm."""
        count = len(self._now[2])
        for wheel, link, path, rest, on_hub in self.links:
            if wheel < count:
                yield path, rest, link.rows(self.on_wheel(wheel, on_hub))
        if self._chain is not None and count == len(self.wheels):
            rows_of = self._chain.rows(self.on_wheel)
            for number, (path, rest) in self.chained.items():
                yield path, rest, rows_of[number]
