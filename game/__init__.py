"""The driving program: window, controls, view and panel. Reads snapshots of the core and sends it commands."""
