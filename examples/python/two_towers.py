#!/usr/bin/env python3
"""A recommender of two towers: a vector of a user, a vector of a film, and their product is how much the one likes the other.

    two_towers.py

Shows feature columns in a model_fn, a column with several values in a row (the genres of a film), predictions of vectors, and how they are
used without the model. The ratings are made up, from tastes that are known here, so that it is known what can be learned: rows have noise
of a standard deviation of 0.3, and no model can be better than that.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from mlc import data, estimator, layers, losses, metrics, ops, optimizers
from mlc import feature_column as fc

USERS, FILMS, RATINGS = 300, 200, 20000
GENRES = ["action", "comedy", "crime", "drama", "romance", "war"]

random = np.random.default_rng(1)
films = [sorted(random.choice(GENRES, size=random.integers(1, 4), replace=False)) for _ in range(FILMS)]
likes_genre = random.normal(size=(USERS, len(GENRES)))
has_genre = np.array([[genre in film for genre in GENRES] for film in films], float)
likes = 3 + likes_genre @ (has_genre / has_genre.sum(1, keepdims=True)).T + random.normal(size=FILMS) / 2
user, film = random.integers(USERS, size=RATINGS), random.integers(FILMS, size=RATINGS)
features = {"user": user, "film": film, "genres": [films[i] for i in film]}
ratings = (likes[user, film] + random.normal(scale=0.3, size=RATINGS)).astype(np.float32)

user_columns = [fc.embedding_column(fc.categorical_column_with_identity("user", USERS), 8)]
film_columns = [
    fc.embedding_column(fc.categorical_column_with_identity("film", FILMS), 8),
    fc.embedding_column(fc.categorical_column_with_vocabulary_list("genres", GENRES), 8),
]


def tower(features, columns):
    x = layers.dense(fc.input_layer(features, columns), 16, activation="tanh")
    return layers.dense(x, 8)


def model_fn(features, labels, mode):
    user_vector, film_vector = tower(features, user_columns), tower(features, film_columns)
    rating = 3 + ops.sum(user_vector * film_vector, axis=1)
    if mode == estimator.ModeKeys.PREDICT:
        return estimator.EstimatorSpec(mode, predictions={"rating": rating, "user_vector": user_vector, "film_vector": film_vector})
    loss = losses.mean_squared_error(labels, rating)
    rmse = {"rmse": metrics.root_mean_squared_error(labels, rating)}
    train_op = optimizers.Adam(0.005).minimize(loss)
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=rmse)


def rows(begin, end):
    return data.Dataset.from_arrays({key: column[begin:end] for key, column in features.items()}, ratings[begin:end])


model = estimator.Estimator(model_fn, config=estimator.RunConfig(tf_random_seed=1))
model.train(lambda: rows(0, 18000).shuffle().repeat(10).batch(128))
found = model.evaluate(lambda: rows(18000, RATINGS).batch(500))
print(f"rmse {found['rmse']:.3f}; of the noise alone 0.3, of always saying the mean {ratings.std():.3f}")

# The films for one user: vectors of all films are computed once, and a user is a product with them.
vectors = list(model.predict(lambda: data.Dataset.from_arrays({"user": [7] * FILMS, "film": np.arange(FILMS), "genres": films}).batch(FILMS)))
scores = np.stack([row["film_vector"] for row in vectors]) @ vectors[0]["user_vector"]
print("what user 7 likes most:", ", ".join(f"{GENRES[i]} {likes_genre[7, i]:+.1f}" for i in np.argsort(-likes_genre[7])[:3]))
for i in np.argsort(-scores)[:3]:
    print(f"  film {i}: {3 + scores[i]:.1f} ({', '.join(films[i])}), in truth {likes[7, i]:.1f}")
assert found["rmse"] < 0.6
