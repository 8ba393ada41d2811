#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make.py: writes birds.csv and the same rows as Parquet, by pandas and pyarrow, which tests do not need."""

import random
from pathlib import Path

import pandas as pd

HERE = Path(__file__).resolve().parent
rng = random.Random(1)
KINDS = {"Adelie": (38.8, 3700, ["Biscoe", "Dream", "Torgersen"]), "Chinstrap": (48.8, 3733, ["Dream"]), "Gentoo": (47.5, 5076, ["Biscoe"])}


def row() -> dict:
    species = rng.choice(list(KINDS))
    length, mass, islands = KINDS[species]
    return {
        "species": species,
        "island": rng.choice(islands),
        "bill": None if rng.random() < 0.1 else round(rng.gauss(length, 2.7), 1),
        "mass": None if rng.random() < 0.05 else float(round(rng.gauss(mass, 400) / 25) * 25),
        "ringed": rng.random() < 0.5,
        "year": rng.randrange(2007, 2010),
        "seen": pd.Timestamp("2007-11-11") + pd.Timedelta(days=rng.randrange(700), hours=9),
        "sex": rng.choice(["male", "female", None]),
        "tags": [rng.choice(["old", "tagged", "a, b"]) for _ in range(rng.randrange(3))],
    }


frame = pd.DataFrame([row() for _ in range(150)])
text = frame.assign(tags=frame["tags"].map("|".join))
text.to_csv(HERE / "birds.csv", index=False)
kept = {"index": False, "store_schema": False, "write_statistics": False}
frame.to_parquet(HERE / "birds.parquet", row_group_size=64, **kept)
frame.iloc[:70].to_parquet(HERE / "part-1.parquet", compression="zstd", data_page_version="2.0", **kept)
frame.iloc[70:].to_parquet(HERE / "part-2.parquet", compression="gzip", use_dictionary=False, **kept)
# A text where a number is asked for, in the third row.
frame.iloc[:3].assign(mass=["3700", "4000", "heavy"]).to_parquet(HERE / "bad.parquet", **kept)
# A column that no cell holds.
odd = pd.DataFrame({"x": [i % 2 for i in range(30)], "s": [{"a": i} for i in range(30)], "y": [i * 0.5 for i in range(30)]})
odd.to_parquet(HERE / "odd.parquet", **kept)
