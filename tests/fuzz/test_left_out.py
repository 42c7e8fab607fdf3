"""A nightly test that is left out for lack of time does not count as passed."""

import subprocess
import sys
from pathlib import Path


def test_a_fuzzer_that_is_left_out_fails_and_has_a_row():
    piles = Path(__file__).with_name("test_piles.py")
    arguments = ["-q", "-p", "no:cacheprovider", "-n0", "-m", "nightly", "--night-hours", "0", str(piles)]
    result = subprocess.run([sys.executable, "-m", "pytest", *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == 1 and "left out: the night is over" in result.stdout, result.stdout
    assert "test_piles.py::" in result.stdout.split("reliability")[-1] and "| failed |" in result.stdout
