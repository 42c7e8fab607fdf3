"""The panel: parameters, components, setups and tuning help."""
