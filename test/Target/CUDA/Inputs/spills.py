# Assembles PTX for chips, and tells how many kernels it has: PTXAS FILE CHIP...; fails where code for one spills registers to memory.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import subprocess
import sys

ptxas, path, *chips = sys.argv[1:]
spilled = []
for chip in chips:
    made = subprocess.run([ptxas, "-v", f"-arch={chip}", path, "-o", "/dev/null"], capture_output=True, text=True)
    if made.returncode:
        sys.exit(made.stdout + made.stderr)
    kernel, num_kernels = "", 0
    for line in made.stderr.splitlines():
        if found := re.search(r"Compiling entry function '(\S+)'", line):
            kernel, num_kernels = found[1], num_kernels + 1
        if (found := re.search(r"(\d+) bytes spill stores", line)) and int(found[1]):
            spilled.append(f"{chip}: {kernel} spills {found[1]} bytes")
    print(f"{chip}: {num_kernels} kernels")
if spilled:
    sys.exit("\n".join(spilled))
