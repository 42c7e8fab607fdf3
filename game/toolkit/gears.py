"""Names of gears on the screen."""


def gear_name(gear: int, neutral: int) -> str:
    """N, the number of a forward gear, R for the only reverse gear, or R1, R2 ... counted from neutral.

    Args:
        gear: index into the gearbox's ratios.
        neutral: index of neutral; the gears below it are reverse gears.
    """
    if gear == neutral:
        return "N"
    if gear > neutral:
        return str(gear - neutral)
    return f"R{neutral - gear}" if neutral > 1 else "R"
