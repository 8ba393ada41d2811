"""What lit tests of mlc, and of what is built with find_package(MLC), have in common: a configuration calls `use`.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import sys

import lit.formats

HELPERS = ("exit", "metrics", "npy")


def add_helper(config, name):
    """%NAME runs NAME.py, which lies beside this file."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".py")
    config.substitutions.append(("%" + name, f"{sys.executable} {script}"))


def use(config, mlc_tools, llvm_tools):
    """Shell tests in .mlir and .test files, with the programs of both directories on the PATH (mlc, FileCheck), a
    cache of trainers beside the tests' output, and the substitutions
        %exit CODE COMMAND...     fails unless the command exits with CODE; prints both its streams
        %npy write FILE TYPE SHAPE VALUE...    arrays as files (its own help tells more)
        %metrics CONDITION...     checks the JSON object that it reads: 'accuracy>=0.8'
        %python                   this interpreter"""
    config.test_format = lit.formats.ShTest(execute_external=False)
    config.suffixes = [".mlir", ".test"]
    # Substitutions that tests define may use each other.
    config.recursiveExpansionLimit = 4
    config.environment["PATH"] = os.pathsep.join([mlc_tools, llvm_tools, os.environ["PATH"]])
    config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"
    # Trainers that tests compile are kept apart from the user's.
    config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")
    for helper in HELPERS:
        add_helper(config, helper)
    config.substitutions.append(("%python", sys.executable))
