#!/usr/bin/env python3
# Compares the kernels of an export with those of its trainer, and with those that predictions launched.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: exported_kernels.py TRAINER PREDICT_SO COUNTERS

COUNTERS is a file of the emulator of PTX.
"""
import json
import pathlib
import re
import sys


def texts(path):
    """The PTX in a file."""
    return re.findall(rb"\.version [0-9.]+\n[^\0]*", pathlib.Path(path).read_bytes())


def kernels(text):
    return set(re.findall(rb"\.entry (\w+)", text))


def main():
    trainer, exported, counters = sys.argv[1:]
    # The trainer has the export in it.
    whole = max(texts(trainer), key=len)
    (of_predict,) = texts(exported)
    launched = {each["kernel"].encode() for each in json.loads(pathlib.Path(counters).read_text())["kernels"]}
    assert launched and launched == kernels(of_predict), (launched, kernels(of_predict))
    assert kernels(of_predict) < kernels(whole), "each is one of the trainer's"
    assert 2 * len(of_predict) < len(whole), f"{len(of_predict)} bytes, the trainer has {len(whole)}"


if __name__ == "__main__":
    main()
