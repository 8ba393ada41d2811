#!/usr/bin/env python3
"""Cuts the sentences of a CSV file into words for sentences.mlir: rows `words,label`, the words separated by '|'.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    words.py SENTENCES.csv OUT.csv       SENTENCES.csv has the columns sentence and label
"""
import csv
import sys


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    longest = rows = 0
    with open(sys.argv[1], encoding="utf-8", newline="") as file, open(sys.argv[2], "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["words", "label"])
        for row in csv.DictReader(file):
            words = row["sentence"].replace("|", " ").split()
            writer.writerow(["|".join(words), row["label"]])
            longest, rows = max(longest, len(words)), rows + 1
    print(f"{rows} sentences of up to {longest} words")


if __name__ == "__main__":
    main()
