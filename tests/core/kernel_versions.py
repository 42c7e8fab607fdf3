"""A program that calls a kernel with the record types named on the command line, and prints the results."""

import sys

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel

KINDS = {
    "short": np.dtype([("value", np.float64)], align=True),
    "long": np.dtype([("value", np.float64), ("other", np.float64)], align=True),
    "swapped": np.dtype([("other", np.float64), ("value", np.float64)], align=True),
}


@kernel
def value_of(record):
    return record.value


@kernel
def value(records):
    return value_of(records[0])


@kernel
def both_values(records, others):
    return value_of(records[0]) + 10.0 * value_of(others[0])  # a decimal digit for each


def main(names):
    """Print the value that the kernels return for a record of each named kind, and for both of two."""
    records = []
    for name in names:
        records.append(np.zeros(1, KINDS[name]))
        records[-1]["value"] = len(records)
        print(name, value(records[-1]))
    if len(records) == 2:
        print("both", both_values(*records))


if __name__ == "__main__":
    main(sys.argv[1:])
