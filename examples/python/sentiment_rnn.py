#!/usr/bin/env python3
"""Is a sentence on a film friendly? A recurrent model over words.

    sentiment_rnn.py DIRECTORY

DIRECTORY has sst_binary_train_10k.csv and sst_binary_test.csv, with the columns sentence and label (Stanford Sentiment Treebank).
Shows a cell of a CSV file as a sequence of words, an embedding of each, a recurrent layer, and a Predictor for a few rows at a time.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys
from pathlib import Path

import mlc
from mlc import data, estimator
from mlc import feature_column as fc

if len(sys.argv) != 2:
    sys.exit(__doc__)
directory = Path(sys.argv[1])


def rows(name):
    # A cell has many values, between which is a blank.
    return data.Dataset.from_csv(directory / name, "label", separators={"sentence": " "})


words = fc.sequence_categorical_column_with_hash_bucket("sentence", 20000)
model = estimator.RNNClassifier(
    sequence_feature_columns=[fc.embedding_column(words, 32)],
    units=[32],
    cell_type="gru",
    optimizer=mlc.optimizers.Adam(0.003),
    config=estimator.RunConfig(tf_random_seed=1),
)
model.train(lambda: rows("sst_binary_train_10k.csv").shuffle().repeat(2).batch(64))
found = model.evaluate(lambda: rows("sst_binary_test.csv").batch(256))
print(f"accuracy {found['accuracy']:.3f} on {directory / 'sst_binary_test.csv'}; of the more frequent class {found['accuracy_baseline']:.3f}")

predictor = model.predictor()
for text in ("a warm and funny film", "a dull and lifeless mess", "not a good film"):
    friendly = predictor({"sentence": [text.split()]})["logistic"][0, 0]
    print(f"  {friendly:.2f}  {text}")
assert found["accuracy"] > 0.7
