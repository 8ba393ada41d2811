"""Other distributions that install a package named mlc: files of two in one directory are none that works."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
from importlib import metadata

DISTRIBUTION = "mlc-estimator"


def _top_names(distribution: metadata.Distribution, package: str) -> set[str]:
    """The names in the package's directory that a distribution installed."""
    files = distribution.files or []
    return {file.parts[1] for file in files if len(file.parts) > 1 and file.parts[0] == package}


def check(directory: str, package: str = "mlc") -> None:
    """Raises ImportError where `directory`, the package's, has files of another distribution than ours.

    Costs a look into the directory and into our own list of files, unless there is something else in it.
    """
    try:
        ours = metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return  # a build tree
    foreign = set(os.listdir(directory)) - _top_names(ours, package) - {"__pycache__"}
    if not foreign:
        return
    others = sorted(
        name
        for other in metadata.distributions()
        if (name := other.metadata["Name"]) and name != DISTRIBUTION and foreign & _top_names(other, package)
    )
    if others:
        raise ImportError(
            f"'{directory}' holds files of {' and '.join([*others, DISTRIBUTION])}, which install a package of the same "
            f"name: use environments of their own, or pip uninstall {' '.join([*others, DISTRIBUTION])}, then "
            f"pip install {DISTRIBUTION}"
        )
