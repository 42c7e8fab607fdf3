"""Renders the sounds of the documentation: a spectrogram and the loudness of every vehicle and of some manoeuvres.

    python -m driving_sandbox.docs.build.sounds [NAME ...] [--out FOLDER] [--update]

NAME is a vehicle or its file, `slide`, `crash` or `tunnel`; by default all. Writes a WAV file each, a sheet of
spectrograms and the spectra of engines (docs/build/order_spectra.py), by default into out/sounds, and prints a table of
loudness (docs/build/loudness.py). `--update` also writes both pictures into docs/pictures.
"""

import argparse
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from driving_sandbox.docs.build.contact_sheet import contact_sheet
from driving_sandbox.docs.build.loudness import loudness
from driving_sandbox.docs.build.order_spectra import engines_picture, spectra_of_takes
from driving_sandbox.lab.drivers.motion import motion_of
from driving_sandbox.lab.maneuvers import Lap
from driving_sandbox.lab.start import start
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.soundtrack import Soundtrack
from driving_sandbox.sound.wav_file import write_wav

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "out" / "sounds"
PICTURES = ROOT / "docs" / "pictures"
WINDOW = 4096  # samples per spectrum: 85 ms, frequencies 12 Hz apart
LOWEST, HIGHEST = 30.0, 12000.0  # Hz, ends of the logarithmic frequency axis
SIZE = (640, 360)  # px of a spectrogram
RANGE = 65.0  # dB from the strongest level, white, down to black
MARKED = (100.0, 1000.0, 10000.0)  # Hz, marked at the left edge
MARK_EVERY, MARK_LENGTH, MARK_WIDTH = 5.0, 12, 3  # s between marks at the lower edge; px, px of all marks
SILENCE = 1e-12  # added to powers, so that zero has a logarithm
IDLE, PULL, COAST = 2.0, 12.0, 4.0  # s, of the drive through the gears
SLIDE_BEGIN, HANDBRAKE_END = 5.0, 7.0  # s, when the car is thrown into the slide, and when the handbrake is released
RUN_UP = (30.0, -45.0)  # m, start of the crash: 75 m before the crates of the yard, 90 m before its tires
BRAKE_BEGIN = 7.4  # s, when the car has driven through the crates
TUNNEL_SECONDS = 12.0  # s, from 40 m before the tunnel to 70 m behind it
COLUMNS = 4
SHADES = 64  # colours of the sheet in the documentation: a third of the bytes, and no visible steps
Driver = Callable[[float], np.ndarray]


def through_the_gears(name: str) -> tuple[World, Driver, float]:
    """(world, command by time, duration): idling, full throttle, then coasting."""
    vehicle = load_vehicle(name)
    world = World(load_world("plane"), [vehicle])
    start(world)
    command = neutral_command()
    forward = AUTOMATIC if "autobox" in vehicle.sequence.by_slot else FIRST

    def drive(time: float) -> np.ndarray:
        command["gear"] = NEUTRAL if time < IDLE else forward
        command["throttle"] = IDLE <= time < IDLE + PULL
        return command

    return world, drive, IDLE + PULL + COAST


def slide() -> tuple[World, Driver, float]:
    """The roadster at full throttle, thrown into a slide by steering and handbrake."""
    world, _, _ = through_the_gears("roadster")
    command = neutral_command()
    command["gear"] = AUTOMATIC

    def drive(time: float) -> np.ndarray:
        command["throttle"] = time < SLIDE_BEGIN
        command["steer"] = time >= SLIDE_BEGIN
        command["handbrake"] = SLIDE_BEGIN <= time < HANDBRAKE_END
        return command

    return world, drive, 10.0


def crash() -> tuple[World, Driver, float]:
    """The roadster at full throttle through the yard's wall of crates into its stack of tires."""
    world = World(load_world("yard"), [load_vehicle("roadster")])
    world.place(0, RUN_UP, 0.0)
    command = neutral_command()
    command["gear"] = AUTOMATIC

    def drive(time: float) -> np.ndarray:
        command["throttle"], command["brake"] = time < BRAKE_BEGIN, time >= BRAKE_BEGIN
        return command

    return world, drive, 10.0


def tunnel() -> tuple[World, Driver, float]:
    """The roadster through the mountain road's tunnel, driven by the AI; the listener is in it from 4.6 to 8.9 s."""
    vehicle = load_vehicle("roadster")
    world = World(load_world("mountain_road"), [vehicle])
    world.spawn("tunnel")
    driver = Lap(vehicle, world, world.tick_seconds)
    return world, lambda time: driver(motion_of(vehicle, time)), TUNNEL_SECONDS


SCENES = {"slide": slide, "crash": crash, "tunnel": tunnel}


def scene(name: str) -> tuple[World, Driver, float]:
    """(world, command by time, duration) of a vehicle's drive through the gears or of a scene."""
    return SCENES[name]() if name in SCENES else through_the_gears(name)


def rendered(world: World, drive: Driver, seconds: float) -> Iterator[np.ndarray]:
    """Blocks of samples of a drive."""
    soundtrack = Soundtrack(world)
    for _ in range(round(seconds / world.tick_seconds)):
        world.step(drive(world.time))
        soundtrack.add()
        yield from soundtrack.blocks()


def samples_of(path: Path) -> np.ndarray:
    """Samples [n, 2] of a WAV file of 16 bits, -1..1."""
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2) / 2.0**15


def spectrogram(samples: np.ndarray) -> np.ndarray:
    """Image [height, width, 3] of samples [n, 2]: time rightwards, logarithmic frequency upwards, level as brightness.

    Levels are densities per octave of the sum of both ears' powers; the power of the sum of their samples would show
    the comb filter that results from the ears' distance.
    """
    width, height = SIZE
    starts = np.linspace(0, len(samples) - WINDOW, width).astype(int)
    power = np.zeros((width, WINDOW // 2 + 1))
    for ear in samples.T:
        frames = ear[starts[:, None] + np.arange(WINDOW)] * np.hanning(WINDOW)
        power += np.abs(np.fft.rfft(frames, axis=1)) ** 2
    frequencies = np.geomspace(HIGHEST, LOWEST, height)
    bins = np.interp(frequencies, np.fft.rfftfreq(WINDOW, 1.0 / SAMPLE_RATE), np.arange(power.shape[1]))
    level = 10.0 * np.log10(power[:, np.round(bins).astype(int)].T * frequencies[:, None] + SILENCE)
    picture = _colors(np.clip(1.0 + (level - level.max()) / RANGE, 0.0, 1.0))
    _mark(picture, frequencies, len(samples) / SAMPLE_RATE)
    return picture


def _colors(brightness: np.ndarray) -> np.ndarray:
    """RGB bytes [..., 3] of brightnesses 0..1: from black over violet and orange to white."""
    red, green = brightness**1.2, brightness**2.0
    color = np.stack([red, green, 0.35 * np.sqrt(brightness) * (1.0 - brightness) + brightness**4], axis=-1)
    return (255.0 * np.clip(color, 0.0, 1.0)).astype(np.uint8)


def _mark(picture: np.ndarray, frequencies: np.ndarray, seconds: float) -> None:
    """Mark the frequencies MARKED, and every MARK_EVERY seconds; `frequencies`: of the picture's rows, Hz."""
    height, width = picture.shape[:2]
    for frequency in MARKED:
        row = int(np.argmin(abs(frequencies - frequency)))
        picture[row : row + MARK_WIDTH, :MARK_LENGTH] = 255
    for time in np.arange(MARK_EVERY, seconds, MARK_EVERY):
        column = round(time / seconds * width)
        picture[height - MARK_LENGTH :, column : column + MARK_WIDTH] = 255


def main() -> None:
    """Write the sounds and their pictures of the named vehicles and scenes, by default of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    pictures = {}
    for name in options.names or [*sorted(path.stem for path in VEHICLE_FOLDER.glob("*.yaml")), *SCENES]:
        title = Path(name).stem
        path = options.out / f"{title}.wav"
        write_wav(path, rendered(*scene(name)))
        samples = samples_of(path)
        pictures[title] = spectrogram(samples)
        print(f"| {title} | {loudness(samples):.1f} |", flush=True)
    sheet = contact_sheet(pictures, columns=COLUMNS, width=SIZE[0] // 2)
    for name, picture in {"sounds": sheet, "engines": engines_picture(spectra_of_takes())}.items():
        for folder in [options.out] + [PICTURES] * options.update:
            picture.quantize(SHADES).save(folder / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
