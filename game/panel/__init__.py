"""The tuning panel: parameters, components, setups and tuning help."""
