#!/usr/bin/env python3
"""rank_reference.py CSV EVALUATION: compares auc_exact of many rows with scikit-learn's area by x, in whose order the logits are.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys

import numpy as np
from sklearn.metrics import roc_auc_score

rows = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1, usecols=(0, 1))
found = json.load(open(sys.argv[2]))
expected = roc_auc_score(rows[:, 1], rows[:, 0])
print(f"auc_exact = {found['auc_exact']}, expected {expected}; gauc = {found['gauc']}")
# Logits of a bin differ by less than 2^-7 of their size, so that few of the 4001 values of x share one: the bound, half the
# share of the pairs within a bin, is below 2^-7.
sys.exit(0 if abs(found["auc_exact"] - expected) < 2**-7 and found["gauc"] == "NaN" and expected > 0.6 else 1)
