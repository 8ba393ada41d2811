# lit's configuration: IR tests and command lines. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os

import lit.formats

config.name = "mlc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Unit", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.mlc_binary_dir, "test")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.mlc_binary_dir, "bin"), config.llvm_tools_dir, os.environ["PATH"]])
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"
for name in ("MLC_TEST_DATA", "HOME", "XDG_CACHE_HOME", "LD_LIBRARY_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.substitutions.append(("%examples", os.path.join(config.mlc_source_dir, "examples")))
if os.path.isdir(os.environ.get("MLC_TEST_DATA", "")):
    config.available_features.add("test-data")
