"""Scrolls the parameter panel to a row."""


def show(panel, user, path):
    """Scroll to the row of a parameter, which must then be drawn."""
    panel.reveal(path)
    user.step(5)
    assert any(name.startswith(path) for name in user.ui.items.names()), f"{path} is not visible"
