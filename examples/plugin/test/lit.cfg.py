# Tests of the plug-in, by lit. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os

import mlc_lit

config.name = "demo"
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.binary_dir, "test")
mlc_lit.use(config, config.mlc_tools, config.llvm_tools)
config.substitutions.append(("%{demo}", os.path.join(config.binary_dir, "demo.so")))
