"""The settings window over a running scene, with emulated joysticks."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "controls"))
from virtual_stick import VirtualStick

from driving_sandbox.game.controls.devices import Devices
from driving_sandbox.game.controls.keyboard import Keyboard
from driving_sandbox.game.program.settings import Settings
from driving_sandbox.game.windows.bindings_file import load_bindings
from driving_sandbox.game.windows.controls import Controls
from driving_sandbox.game.windows.settings_window import ProgramPage, SettingsWindow


class Bench:
    """The settings window, its scene, and devices polled once a frame as by a session."""

    def __init__(self, base, ui, user, path):
        self.user, self.path, self.now = user, path, 0.0
        self.base, self.ui = base, ui
        self.sticks = []
        self.bindings = load_bindings(path)
        self.keyboard = Keyboard(self.bindings.keys)
        self.devices = Devices(self.bindings)
        self.controls = Controls(self.bindings, self.keyboard, self.devices, path)
        self.window = SettingsWindow(ui, self.controls, ProgramPage(ui, Settings()), clock=lambda: self.now)
        self.window.open = True
        self.pressed, self.car_inputs = [], []  # button presses, and values of the axes, passed to the car
        self._task = base.taskMgr.add(self._poll, "poll", sort=10)
        ui.add(self.window.draw)
        user.step()

    def _poll(self, task):
        """Read the devices once a frame, as the program does, and collect what the car would get."""
        self.devices.poll()
        self.pressed += self.devices.take_presses()
        self.car_inputs.append(self.devices.analog)
        return task.cont

    def plug(self, **arguments):
        """A new VirtualStick, plugged in."""
        self.sticks.append(VirtualStick(**arguments))
        self.user.step()
        return self.sticks[-1]

    def show(self, stick):
        """Open the page of a stick; returns its device in the program."""
        self.user.click(f"tab:device:{stick.instance_id}")
        return self.devices.devices[stick.instance_id]

    def move(self, stick, axis, *values):
        """Move an axis to each of the values, -1 to 1."""
        for value in values:
            stick.axis(axis, value)
            self.user.step(2)

    def saved(self):
        """The bindings in the file."""
        return load_bindings(self.path)

    def assert_saved(self):
        """Assert that the bindings in the file are the present ones."""
        loaded = self.saved()
        assert loaded.keys == self.bindings.keys
        assert loaded.user_profiles == self.bindings.user_profiles

    def close(self):
        """Unplug all virtual devices and remove the window."""
        self.base.taskMgr.remove(self._task)
        self.ui.remove(self.window.draw)
        for stick in self.sticks:
            stick.unplug()
        self.devices.close()
