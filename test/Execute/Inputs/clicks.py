# Clicks on movies: what somebody watched, tags with weights, genres by gender and the price decide, with some noise.
# usage: clicks.py DIRECTORY: writes train.tsv.gz, valid.tsv.gz
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import gzip
import pathlib
import random
import sys

GENRES = ["Action", "Comedy", "Drama", "Western"]
TAGS = ["horror", "cult", "slow", "quirky", "war"]
COLUMNS = ["user_id", "movie_id", "gender", "zip", "age", "watched_ids", "genres", "tags", "price", "I1", "I2",
           "clicked", "position_weight"]


def some(rng, values, most):
    return rng.sample(values, rng.randint(0, most))


def row(rng):
    movies = [f"m{i:02}" for i in range(1, 23)]  # two are in no vocabulary
    movie, watched = rng.choice(movies), some(rng, movies, 4)
    gender, genres = rng.choice("FM"), some(rng, GENRES, 3)
    tags = {tag: round(rng.uniform(0.1, 1), 1) for tag in some(rng, TAGS, 3)}
    price = rng.choice(["", "1.5", "4", "9.5"])
    score = 1.5 * sum((int(m[1:]) < 10) == (int(movie[1:]) < 10) for m in watched) - 1.5
    score += 2 * (("Action" in genres) == (gender == "M")) - 1
    score += 3 * tags.get("cult", 0) - 3 * tags.get("slow", 0) + rng.gauss(0, 0.3)
    texts = [tag if weight == 1 else f"{tag}:{weight}" for tag, weight in tags.items()]
    return [f"u{rng.randint(1, 40)}", movie, gender, f"{rng.randint(10, 19)}", rng.choice(["", "17", "34", "120"]),
            "|".join(watched), "|".join(genres), ",".join(texts), price, f"{rng.randint(0, 9)}", "3",
            str(int(score > 0)), rng.choice(["", "0.5", "2"])]


def write(path, seed, rows):
    rng = random.Random(seed)
    lines = [COLUMNS] + [row(rng) for _ in range(rows)]
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write("".join("\t".join(line) + "\n" for line in lines).encode())


directory = pathlib.Path(sys.argv[1])
write(directory / "train.tsv.gz", 1, 3000)
write(directory / "valid.tsv.gz", 2, 500)
