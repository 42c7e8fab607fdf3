import sys
from pathlib import Path

for folder in ("reference", "drivetrain"):
    sys.path.insert(0, str(Path(__file__).parent.parent / folder))
