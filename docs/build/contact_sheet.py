"""A sheet of many small pictures with their names; an image of a picture, its reference and their difference."""

from collections.abc import Collection

import numpy as np
from PIL import Image, ImageDraw, ImageFont

COLUMNS = 8  # pictures in a row
WIDTH = 320  # px of a picture on the sheet
LINE = 16  # px, height of the line with its name
PAPER = (24, 25, 27)  # background
INK = (205, 207, 210)  # colour of names
ALARM = (255, 120, 90)  # colour of the names of pictures that differ
FULL = 12.0  # colour distance that is drawn white, see picture_difference.py


def contact_sheet(
    pictures: dict[str, np.ndarray], alarming: Collection[str] = (), columns: int = COLUMNS, width: int = WIDTH
) -> Image.Image:
    """An image of the pictures {name: array of bytes} in their order; the names in `alarming` have the colour ALARM."""
    height = round(width * 9 / 16)
    rows = -(-len(pictures) // columns)  # rounded up
    sheet = Image.new("RGB", (columns * width, rows * (height + LINE)), PAPER)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(11)
    for k, (name, picture) in enumerate(pictures.items()):
        x, y = k % columns * width, k // columns * (height + LINE)
        sheet.paste(Image.fromarray(picture).resize((width, height), Image.Resampling.LANCZOS), (x, y))
        label = name.replace("_", " ")
        while font.getlength(label) > width - 8:
            label = label.partition(" ")[2] or label[1:]  # shortened from the left: the end tells names apart
        draw.text((x + 4, y + height + 1), label, ALARM if name in alarming else INK, font)
    return sheet


def side_by_side(picture: np.ndarray, reference: np.ndarray, distance: np.ndarray) -> Image.Image:
    """An image of three parts: the picture, its reference, and their distance in grey."""
    grey = np.clip(distance / FULL, 0.0, 1.0)[..., None] * np.array([255, 255, 255])
    return Image.fromarray(np.concatenate([picture, reference, grey.astype(np.uint8)], axis=1))
