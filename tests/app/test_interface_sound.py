"""Which sound of the interface a frame has: the one that matters most, and not too often."""

from types import SimpleNamespace

import pytest

from driving_sandbox.game.audio.interface_sound import BY_PRIORITY, InterfaceSound
from driving_sandbox.game.hud import MessageFeed
from driving_sandbox.lab.timing import Stopwatch
from driving_sandbox.physics.world.timing import Gate, Track
from driving_sandbox.sound.interface.kinds import Kind

FRAME = 1.0 / 60.0  # s


class Screen:
    """Stands in for a Screen with a drive; `frame` steps through a frame and returns its sound, or None."""

    def __init__(self):
        gates = (Gate((-5.0, 0.0), (5.0, 0.0), "start"), Gate((-5.0, 50.0), (5.0, 50.0), "end"))
        self.stopwatch = Stopwatch([Track("strip", gates, closed=False)])
        self.windows = {name: SimpleNamespace(open=False) for name in ("settings", "help")}
        self.panel, self.plots = SimpleNamespace(open=False), SimpleNamespace(open=False)
        self.pause, self.instruments = SimpleNamespace(page_count=0), SimpleNamespace(feed=MessageFeed())
        # recording automatically (state 1), and keeping no lap as a line
        self.control, self.driver_switch = SimpleNamespace(state=1), SimpleNamespace(lap=None)
        self.session = SimpleNamespace(stopwatch=self.stopwatch, recording_control=self.control)
        self.event, self.time, self.heard = None, 10.0, []
        self.ui = SimpleNamespace(popup_count=0, events=SimpleNamespace(read=self._read))
        self.hearing = SimpleNamespace(play_interface_sound=self.heard.append)
        self.sound = InterfaceSound(self, lambda: self.time)

    def _read(self):
        event, self.event = self.event, None
        return event

    def frame(self, seconds=FRAME):
        self.heard.clear()
        self.time += seconds
        self.sound.step()
        assert len(self.heard) <= 1
        return self.heard[0] if self.heard else None

    def say(self, text, level="info"):
        """Show a message."""
        self.instruments.feed.post(text, level)


@pytest.fixture
def screen():
    screen = Screen()
    assert screen.frame() is None
    return screen


def test_a_quiet_frame_has_no_sound(screen):
    assert screen.frame() is None


@pytest.mark.parametrize("kind", [Kind.FOCUS, Kind.PRESS, Kind.ON, Kind.OFF, Kind.STEP])
def test_widgets_are_heard(screen, kind):
    screen.event = kind
    assert screen.frame() == kind
    assert screen.frame() is None


def test_what_is_open_from_the_start_has_no_sound():
    screen = Screen()
    screen.panel.open, screen.control.state = True, 2
    assert screen.frame() is None


@pytest.mark.parametrize("part", ["window", "panel", "pause", "popup"])
def test_pages_are_heard_instead_of_the_press_that_opens_them(screen, part):
    def show(is_open):
        if part == "window":
            screen.windows["settings"].open = is_open
        elif part == "panel":
            screen.panel.open = screen.plots.open = is_open
        elif part == "pause":
            screen.pause.page_count = int(is_open)
        else:
            screen.ui.popup_count = int(is_open)

    show(True)
    screen.event = Kind.PRESS
    assert screen.frame() == Kind.OPENED
    show(False)
    assert screen.frame(1.0) == Kind.CLOSED


@pytest.mark.parametrize(
    ("level", "kind"),
    [("info", Kind.INFO), ("good", Kind.INFO), ("warning", Kind.WARNING), ("error", Kind.ERROR)],
)
def test_messages_are_heard_once(screen, level, kind):
    screen.say("the tank is empty", level)
    assert screen.frame() == kind
    screen.say("the tank is empty", level)  # the same line is only shown for longer
    assert screen.frame(1.0) is None


def test_a_message_that_answers_a_press_has_no_sound_but_a_warning_has(screen):
    screen.event = Kind.PRESS
    screen.frame()
    screen.say("sound off")
    assert screen.frame() is None
    screen.say("nothing is being recorded", "warning")
    assert screen.frame() == Kind.WARNING
    screen.say("mark 1")
    assert screen.frame(1.0) == Kind.INFO


def test_the_worst_of_several_messages_is_heard(screen):
    for level in ("info", "error", "warning"):
        screen.say(f"{level}!", level)
    assert screen.frame() == Kind.ERROR
    assert screen.frame(1.0) is None


def test_a_dragged_slider_ticks_five_to_nine_times_a_second(screen):
    heard = []
    for _ in range(60):
        screen.event = Kind.STEP
        heard.append(screen.frame())
    assert 5 <= heard.count(Kind.STEP) <= 9


def drive(screen, *stations):
    """Drive along the strip to these y, m, one a second; returns the sound of each frame."""
    heard = []
    for y in stations:
        screen.stopwatch.step((0.0, y, 0.0), screen.stopwatch.time + 1.0)
        heard.append(screen.frame(1.0))
    return heard


def test_gates_laps_and_a_better_lap_are_heard(screen):
    assert drive(screen, -10.0, 10.0, 40.0, 60.0) == [None, Kind.CHECKPOINT, None, Kind.LAP]
    screen.stopwatch.jumped()
    assert drive(screen, -10.0, 45.0, 60.0) == [None, Kind.CHECKPOINT, Kind.BEST_LAP]
    screen.stopwatch.jumped()
    assert drive(screen, -10.0, 10.0, 20.0, 30.0, 60.0)[-1] == Kind.LAP  # slower


def test_a_lap_that_is_cancelled_is_heard(screen):
    drive(screen, -10.0, 10.0)
    screen.stopwatch.jumped()
    assert screen.frame() == Kind.LAP_CANCELLED
    assert screen.frame() is None


def test_a_recording_that_is_kept_or_ends_is_heard(screen):
    screen.control.state = 2  # kept; 1 is an automatic recording, 0 none
    screen.say("recording saved")
    assert screen.frame() == Kind.RECORDING
    screen.control.state = 0
    assert screen.frame() == Kind.RECORDING_ENDED


def test_a_lap_that_is_kept_as_a_line_is_heard(screen):
    screen.driver_switch.lap = object()
    assert screen.frame() == Kind.RECORDING
    screen.driver_switch.lap = None
    assert screen.frame() == Kind.RECORDING_ENDED


def test_a_replay_has_no_recording_and_seeking_cancels_no_lap():
    screen = Screen()
    screen.session, screen.pause, screen.panel = None, None, None
    assert screen.frame() is None
    assert drive(screen, -10.0, 10.0) == [None, Kind.CHECKPOINT]
    screen.stopwatch.jumped()
    assert screen.frame() is None
    screen.say("to the next event")
    assert screen.frame() == Kind.INFO


def test_every_kind_has_exactly_one_rank():
    assert sorted(BY_PRIORITY) == sorted(Kind)
