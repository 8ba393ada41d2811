"""Puts the bitcode of a C file into a module, where it says BITCODE.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import subprocess

parser = argparse.ArgumentParser()
for name in ("module", "source", "output", "--clang", "--define"):
    parser.add_argument(name)
args = parser.parse_args()
runtime = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[".."] * 4, "runtime", "include")
command = [args.clang, "-O1", "-fPIC", "-I" + runtime, "-D" + args.define, "-emit-llvm", "-c", args.source, "-o", args.output + ".bc"]
subprocess.run(command, check=True)
with open(args.output + ".bc", "rb") as file:
    bitcode = "".join(f"\\{byte:02X}" for byte in file.read())
with open(args.module, encoding="utf-8") as file:
    module = file.read()
with open(args.output, "w", encoding="utf-8") as file:
    file.write(module.replace("BITCODE", bitcode))
