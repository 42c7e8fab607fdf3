"""Opens the window, or an offscreen buffer that needs no X server.

The offscreen buffer comes from EGL (p3headlessgl). Both request an OpenGL core profile of at least 3.2. If the window
or buffer cannot be opened, `NoDisplay` says so in one sentence. Panda3D's own errors go to `log_path` if given, else
to the terminal.
"""

from __future__ import annotations

import errno
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from panda3d.core import (
    FrameBufferProperties,
    GraphicsPipe,
    GraphicsWindow,
    PNMImage,
    RenderAttrib,
    RenderState,
    WindowProperties,
    load_prc_file_data,
)

from driving_sandbox.game.platform.system_packages import how_to_install_opengl
from driving_sandbox.physics.base.user_error import UserError

SOFTWARE_RENDERERS = ("llvmpipe", "softpipe", "swrast", "swiftshader", "software rasterizer", "gdi generic")

# Categories of Panda3D's messages about missing X servers and input devices, which the program reports itself.
QUIET_CATEGORIES = ("device", "display", "x11display", "glxdisplay", "egldisplay", "windisplay", "chan", "audio")

# Tasks of ShowBase for intervals and collisions, which the program does not use.
IDLE_TASKS = ("resetPrevTransform", "ivalLoop", "collisionLoop")
COLLECTED = 0.02  # share of all render states that each frame checks for unused ones; Panda3D's default is 0.5
FLIP_SORT = 55  # position of the task that shows a frame in the task order; Panda3D's task draws at 50


class NoDisplay(UserError):
    """Neither window nor buffer can be opened; the message says what to do instead."""

    exit_code = 1


@dataclass
class WindowSettings:
    """How the window or offscreen buffer is opened.

    Attributes:
        offscreen: whether to open a buffer instead of a window.
        size: (width, height), pixels; None for 1280 x 720, or less if a window of that size does not fit on the screen.
        vsync: whether frames wait for the display.
        log_path: file for Panda3D's messages, or None for the terminal.
        sound: whether to load Panda3D's audio library.
    """

    offscreen: bool = False
    size: tuple[int, int] | None = None
    fullscreen: bool = False
    vsync: bool = True
    title: str = "Driving sandbox"
    log_path: Path | None = None
    sound: bool = False


def _configure(settings: WindowSettings) -> None:
    """Set Panda3D's configuration, which it reads when its display module loads: call it before ShowBase."""
    width, height = settings.size or (1280, 720)
    lines = [
        f"load-display {'p3headlessgl' if settings.offscreen else 'pandagl'}",
        "aux-display",
        "gl-version 3 2",
        f"window-type {'offscreen' if settings.offscreen else 'onscreen'}",
        f"win-size {width} {height}",
        f"window-title {settings.title}",
        f"sync-video {int(settings.vsync)}",
        f"fullscreen {int(settings.fullscreen)}",
        "textures-power-2 none",
        "texture-anisotropic-degree 1",
        "framebuffer-srgb 0",
        "print-pipe-types 0",
        "show-frame-rate-meter 0",
        f"garbage-collect-states-rate {COLLECTED}",
        "transform-cache 0",  # poses change every frame: caching their products costs more than it saves
        "notify-level error",
        "default-directnotify-level error",
    ]
    lines += [f"notify-level-{name} fatal" for name in QUIET_CATEGORIES]
    if settings.log_path is not None:
        lines.append(f"notify-output {settings.log_path}")
    if not settings.sound:
        lines.append("audio-library-name null")
    load_prc_file_data("driving sandbox", "\n".join(lines))
    os.environ.setdefault("EGL_LOG_LEVEL", "fatal")


def _require_display() -> None:
    """Raise NoDisplay where a window needs an X display and none is named."""
    unix_desktop = sys.platform.startswith(("linux", "freebsd"))
    if unix_desktop and not os.environ.get("DISPLAY"):
        raise NoDisplay(
            "no display: DISPLAY is not set, so no window can be opened. "
            "Use --offscreen to draw without one, or set DISPLAY to a running X server."
        )


def open_window(settings: WindowSettings | None = None) -> Any:
    """Open the window or offscreen buffer and return the ShowBase.

    Raises:
        NoDisplay: it cannot be opened.
    """
    settings = settings or WindowSettings()
    if not settings.offscreen:
        _require_display()
    _configure(settings)
    from direct.showbase.ShowBase import ShowBase

    base = ShowBase(windowType="none")
    base.windowType = "offscreen" if settings.offscreen else "onscreen"
    try:
        base.makeDefaultPipe(printPipeTypes=False)
        _check_pipe(base, settings)
        _open_main(base, settings)
    except NoDisplay:
        base.destroy()
        raise
    except Exception as error:  # ShowBase raises a bare Exception when the driver refuses the window
        base.destroy()
        raise NoDisplay(_refusal(settings)) from error
    base.disableMouse()
    _remove_unused(base)
    if isinstance(base.win, GraphicsWindow):
        base.taskMgr.add(_flip, "flip", FLIP_SORT, extraArgs=[base], appendTask=True)
    return base


def _flip(base: Any, task: Any) -> Any:
    """Show a frame as soon as it is drawn; Panda3D alone would show it when the next one begins, a frame later."""
    base.graphicsEngine.flipFrame()
    return task.cont


def forget_states() -> None:
    """Release all unused render states, and the textures in them, now instead of over many frames."""
    RenderState.clearCache()
    freed = 1
    while freed:  # each pass frees what the previous one released
        calls = range(round(1.0 / COLLECTED))
        freed = sum(RenderState.garbageCollect() + RenderAttrib.garbageCollect() for _ in calls)


def _remove_unused(base: Any) -> None:
    """Remove tasks, scene graphs and display regions of ShowBase that the program does not use."""
    for name in IDLE_TASKS:
        base.taskMgr.remove(name)
    for path in (base.aspect2d, base.pixel2d):
        path.stash()
    for region in base.win.getDisplayRegions():
        if region.getCamera() == base.cam2dp:
            region.setActive(False)


def _refusal(settings: WindowSettings) -> str:
    """Message of NoDisplay when the driver refuses the window or buffer."""
    if settings.offscreen:
        remedy = f" On Linux, {how_to_install_opengl()}." if sys.platform == "linux" else ""
        return f"no OpenGL 3.2 offscreen buffer could be opened: install a driver with EGL.{remedy}"
    return (
        f"no window could be opened on display {os.environ.get('DISPLAY', '(default)')!r}: "
        "use --offscreen to draw without one, or set DISPLAY to a running X server with OpenGL 3.2."
    )


def _check_pipe(base: Any, settings: WindowSettings) -> None:
    """Raise NoDisplay unless Panda3D has a graphics pipe that can open a window or buffer."""
    pipe = base.pipe
    kind = pipe.getInterfaceName() if pipe else ""
    windowless = not settings.offscreen and pipe and not pipe.supportsType(GraphicsPipe.OTWindow)
    if not pipe or not pipe.isValid() or kind == "TinyPanda" or windowless:
        raise NoDisplay(_refusal(settings))


def _open_main(base: Any, settings: WindowSettings) -> None:
    """Open ShowBase's window or buffer. Raises NoDisplay, also for OpenGL below 3.2."""
    properties = FrameBufferProperties()
    properties.setRgbaBits(8, 8, 8, 8)
    properties.setDepthBits(24)
    if not settings.offscreen:
        properties.setBackBuffers(1)
    base.openMainWindow(type=base.windowType, fbprops=properties, props=_window_properties(base, settings))
    base.graphicsEngine.openWindows()
    if base.win is None or not base.win.isValid() or base.win.getGsg() is None:
        raise NoDisplay(_refusal(settings))
    if base.win.getGsg().getDriverVersionMajor() * 10 + base.win.getGsg().getDriverVersionMinor() < 32:
        raise NoDisplay(_refusal(settings))


def _window_properties(base: Any, settings: WindowSettings) -> WindowProperties:
    """The default window properties; a window without a given size is made no larger than the screen."""
    properties = WindowProperties(WindowProperties.getDefault())
    screen = base.pipe.getDisplayWidth(), base.pipe.getDisplayHeight()
    if settings.size is None and not settings.offscreen and all(screen):
        properties.setSize(*map(min, screen, (properties.getXSize(), properties.getYSize())))
    return properties


def renderer_name(base: Any) -> str:
    """The GL renderer string, e.g. "llvmpipe (LLVM 15.0.6, 256 bits)"."""
    return base.win.getGsg().getDriverRenderer()


def is_software(renderer: str) -> bool:
    """Whether a GL renderer string is that of a software renderer."""
    return any(name in renderer.lower() for name in SOFTWARE_RENDERERS)


def pick_quality(base: Any) -> str:
    """The first quality level: `low` on a software renderer; on a graphics card `medium` in a window, else `high`.

    In a window better levels are tried later while frames are short enough.
    """
    if is_software(renderer_name(base)):
        return "low"
    return "medium" if isinstance(base.win, GraphicsWindow) else "high"


def refresh_rate(base: Any) -> float:
    """The refresh rate of the display from its modes, 1/s; 60 if no mode has the display's size and a rate."""
    modes = base.pipe.getDisplayInformation().getDisplayModes()
    size = (base.pipe.getDisplayWidth(), base.pipe.getDisplayHeight())
    return float(max((mode.refresh_rate for mode in modes if (mode.width, mode.height) == size), default=0)) or 60.0


def set_fullscreen(base: Any, on: bool) -> None:
    """Switch between full screen and window; the window gets back its earlier size."""
    if not isinstance(base.win, GraphicsWindow) or base.win.isFullscreen() == on:
        return
    properties = WindowProperties()
    properties.setFullscreen(on)
    if on:
        current = base.win.getProperties()
        base.windowed_size = (current.getXSize(), current.getYSize())
        properties.setSize(base.pipe.getDisplayWidth(), base.pipe.getDisplayHeight())
    else:
        properties.setSize(*getattr(base, "windowed_size", (1280, 720)))
        properties.setOrigin(-2, -2)  # -2: centred
    base.win.requestProperties(properties)


def last_picture(base: Any, redraw: bool = False) -> PNMImage:
    """The last drawn frame as an image, without alpha: it is below 1 in the sky, which viewers would show pale.

    Args:
        redraw: whether to draw the frame again; that is always done in a window.
    Raises:
        OSError: the window was closed.
    """
    if redraw or isinstance(base.win, GraphicsWindow):  # the content of a back buffer after a flip is undefined
        base.graphicsEngine.renderFrame()
    if base.win.getGsg() is None:  # drawing processes events, and one of them may have closed the window
        raise OSError(errno.ENODEV, "the window is closed")
    image = PNMImage()
    base.win.getScreenshot(image)
    image.removeAlpha()
    return image


def thumbnail(base: Any, path: Path | str, width: int = 320) -> None:
    """Write a small image file, `width` pixels wide, of the last drawn frame without menus, panels and instruments.

    Raises:
        OSError: the window was closed, or the file cannot be written.
    """
    base.render2d.hide()
    try:
        image = last_picture(base, redraw=True)
    finally:
        base.render2d.show()
    small = PNMImage(width, max(1, width * image.getYSize() // max(1, image.getXSize())))
    small.quickFilterFrom(image)
    _write(small, path)


def screenshot(base: Any, path: Path | str) -> None:
    """Write the last drawn frame to an image file.

    Raises:
        OSError: the window was closed, or the file cannot be written.
    """
    _write(last_picture(base), path)


def _write(image: PNMImage, path: Path | str) -> None:
    if not image.write(str(path)):  # Panda3D does not say why
        raise OSError(errno.EIO, "the picture could not be written", str(path))
