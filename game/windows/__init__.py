"""One file per window or menu of the interface."""
