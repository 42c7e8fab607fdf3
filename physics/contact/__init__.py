"""Contact of bodywork with ground and vehicles, suspension limits, tires at rest and hitches, as constraints."""
