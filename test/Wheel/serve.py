"""What the wheel of mlc-runtime does, in an environment without mlc: predicts with an export, bit for bit what the model did.

    python serve.py DIRECTORY      # which install.py made
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib.util
import sys
from pathlib import Path

import mlc_runtime
import numpy as np


def main() -> None:
    directory = Path(sys.argv[1])
    model = mlc_runtime.load(directory / "export")
    rows, expected = np.load(directory / "rows.npz"), np.load(directory / "expected.npz")
    found = model(dict(rows))
    for name in expected.files:
        np.testing.assert_array_equal(found[name], expected[name])
    try:
        model({"a": rows["a"]})
    except mlc_runtime.errors.DataError as error:
        assert "no key 'b'" in str(error), error
    else:
        raise AssertionError("an input is missing")
    alone = "alone" if importlib.util.find_spec("mlc") is None else "beside mlc"
    print(f"mlc-runtime {mlc_runtime.version()} serves {alone}: {model}")


if __name__ == "__main__":
    main()
