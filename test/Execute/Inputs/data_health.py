# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of a number x (some missing), a word, a flag and a large label y: train.csv, clean.csv of the same kind, and
new.csv, where x is mostly missing, the words are other ones and the flag is never set."""

import random

chance = random.Random(7)


def write(name: str, rows: int, words: list, missing: float, flags: int) -> None:
    with open(name, "w") as file:
        file.write("x,word,flag,y\n")
        for _ in range(rows):
            x, word, flag = chance.gauss(0, 1), chance.choice(words), chance.randrange(flags)
            y = 200000 + 40000 * x + 30000 * (word == words[0]) + chance.gauss(0, 10000)
            file.write(f"{'' if chance.random() < missing else f'{x:.4f}'},{word},{'ny'[flag]},{y:.0f}\n")


write("train.csv", 400, ["red", "green", "blue"], 0.1, 2)
write("clean.csv", 100, ["red", "green", "blue"], 0.1, 2)
write("new.csv", 100, ["rouge", "vert", "bleu"], 0.8, 1)
