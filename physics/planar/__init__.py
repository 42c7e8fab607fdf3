"""The planar vehicle: a bicycle model on the flat; its list is in physics/vehicle/types.py."""
