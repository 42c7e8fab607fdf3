"""The planar vehicle: a bicycle model on flat ground; its component list is in physics/vehicle/types.py."""
