"""Levels of detail of a vehicle's large parts, chosen by the distance from the eye.

FINE forms are as modelled. MIDDLE forms are for the low resolution of software OpenGL, where each small triangle costs
as much as sixteen pixels: vertices within two pixels are merged, except for lamps and plates, which would become blots.
COARSE forms (game/view/vehicle/simplified_mesh.py) are for distant vehicles, and optionally for shadows. They take as
long to compute as two frames, so this is done when the vehicle is loaded; middle forms are computed when first drawn.
"""

from __future__ import annotations

from panda3d.core import BitMask32, Geom, GeomNode, NodePath

from driving_sandbox.game.view.gl.geometry import column_of, sphere_around
from driving_sandbox.game.view.light.mirrors import FLANK_MASK
from driving_sandbox.game.view.light.shadow import STATIC_MASK, VEHICLE_MASK
from driving_sandbox.game.view.vehicle.model import MATERIALS
from driving_sandbox.game.view.vehicle.simplified_mesh import CELL, simplified_geom

FINE, MIDDLE, COARSE = 0, 1, 2
MIDDLE_CELL = 0.024  # m; two pixels of a frame of 320 lines, seen from the chase camera
MIDDLE_KEPT = tuple(  # materials whose triangles stay as modelled in the middle form
    MATERIALS.index(name) for name in ("lamp_front", "lamp_rear", "lamp_turn", "lamp_reverse", "plate", "sign")
)
CAMERA_MASK = BitMask32.bit(0)


class Detail:
    """Forms of those nodes of `paths` that have a mesh; at first the fine forms are drawn and cast shadows.

    Attributes:
        shown: the form that is drawn.
    """

    def __init__(self, paths: list[NodePath]) -> None:
        self._paths = [path for path in paths if isinstance(path.node(), GeomNode) and path.node().getNumGeoms()]
        self._forms = {FINE: [path.node().getGeom(0).makeCopy() for path in self._paths]}  # {form: Geom of each path}
        self._geoms(COARSE)
        for path, fine in zip(self._paths, self._forms[FINE], strict=True):  # the other forms are within these bounds
            path.node().setBounds(sphere_around(column_of(fine, "vertex")))
        self.shown, self._left_out = FINE, False
        self._casters: list[NodePath] = []  # added by `cast_coarse`
        self._nodes = [path.node() for path in self._paths]  # nodes with the drawn geometry

    def cast_coarse(self, coarse: bool) -> None:
        """Choose whether the coarse forms cast the shadows instead of the drawn forms."""
        if coarse == bool(self._casters):
            return
        for caster in self._casters:
            caster.removeNode()
        self._casters, holders = [], []
        for index, path in enumerate(self._paths):
            path.node().removeAllGeoms()
            holders.append(GeomNode("drawn") if coarse else path.node())
            holders[-1].addGeom(self._geoms(self.shown)[index])
            if coarse:
                shadow = GeomNode("shadow")
                shadow.addGeom(self._geoms(COARSE)[index])
                self._casters += [path.attachNewNode(holders[-1]), path.attachNewNode(shadow)]
                self._casters[-2].hide(VEHICLE_MASK | STATIC_MASK | FLANK_MASK)
                self._casters[-1].hide(CAMERA_MASK)
        self._nodes = holders

    def forms(self, form: int) -> dict[NodePath, Geom]:
        """{node: Geom} of a form."""
        return dict(zip(self._paths, self._geoms(form), strict=True))

    def leave_out(self, left_out: bool) -> None:
        """Choose whether no form is drawn, because another mesh replaces the parts."""
        self._left_out = left_out
        for node, geom in zip(self._nodes, self._geoms(self.shown), strict=True):
            node.removeAllGeoms()
            if not left_out:
                node.addGeom(geom)

    def _geoms(self, form: int) -> list:
        """Geoms of a form in the order of the nodes, computed at the first call."""
        if form not in self._forms:
            cell, whole_materials = (CELL, ()) if form == COARSE else (MIDDLE_CELL, MIDDLE_KEPT)
            self._forms[form] = [simplified_geom(geom, cell, whole_materials) for geom in self._forms[FINE]]
        return self._forms[form]

    def show(self, form: int) -> None:
        """Draw a form."""
        if form != self.shown:
            self.shown = form
            if self._left_out:
                return
            for node, geom in zip(self._nodes, self._geoms(form), strict=True):
                node.setGeom(0, geom)
