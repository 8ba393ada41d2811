"""Datasets that are decoded piece by piece: Parquet and LibSVM files, local ones and others."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import datetime
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mlc import estimator, losses, ops, train
from mlc import feature_column as fc
from mlc.data import Dataset, PieceDataset, _pieces
from mlc.data._pieces import Order, PieceBatches, PieceReader
from mlc.errors import DataError, UnsupportedError

ROWS = 230


def table() -> pa.Table:
    rng = np.random.default_rng(5)
    x = rng.normal(size=ROWS).astype(np.float32)
    jobs = [["cook", "smith", None][number % 3] for number in range(ROWS)]
    tags = [[["a", "b", "c"], ["b"], []][number % 3] for number in range(ROWS)]
    return pa.table({
        "x": x, "job": jobs, "y": (x > 0).astype(np.int64), "tags": tags, "part": np.arange(ROWS) // 100,
        "when": [datetime.datetime(2020, 1, 1)] * ROWS,
    })  # fmt: skip


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    path = tmp_path / "rows.parquet"
    pq.write_table(table(), path, row_group_size=40)
    return path


def linear(model_dir: Path, tags: bool = False) -> estimator.LinearClassifier:
    columns = [fc.numeric_column("x"), fc.categorical_column_with_vocabulary_list("job", ["cook", "smith"])]
    if tags:
        columns.append(fc.categorical_column_with_vocabulary_list("tags", ["a", "b", "c"]))
    config = estimator.RunConfig(tf_random_seed=1, save_summary_steps=0)
    return estimator.LinearClassifier(columns, str(model_dir), config=config)


def assert_same(one: estimator.Estimator, other: estimator.Estimator) -> None:
    names = one.get_variable_names()
    assert names == other.get_variable_names()
    for name in names:
        assert one.get_variable_value(name).tobytes() == other.get_variable_value(name).tobytes(), name


# Pieces


def order_of(rows: list[int], size: int, passes: int | None, order: Order | None, drop: bool = False) -> list[list[int]]:
    """The numbers of the rows of each batch."""
    ends = np.cumsum(rows)
    read = lambda piece: {"row": np.arange(ends[piece] - rows[piece], ends[piece])}  # noqa: E731
    batches = PieceBatches(PieceReader(read, rows, size, drop, passes, order))
    found = []
    while (given := batches()) is not None and len(found) < 1000:
        found += [given["row"][begin : begin + size].tolist() for begin in range(0, len(given["row"]), size)]
    return found


def test_batches_in_order() -> None:
    assert order_of([3, 1, 4], 3, 1, None) == [[0, 1, 2], [3, 4, 5], [6, 7]]
    assert order_of([3, 1, 4], 3, 1, None, drop=True) == [[0, 1, 2], [3, 4, 5]]
    # Batches end with a pass.
    assert order_of([3, 1, 4], 5, 2, None) == [[0, 1, 2, 3, 4], [5, 6, 7]] * 2
    assert order_of([3, 1], 100, 2, None) == [[0, 1, 2, 3]] * 2
    assert order_of([3, 1], 100, None, None, drop=True) == []


@pytest.mark.parametrize("buffer_rows", [1, 20, 1000])
@pytest.mark.parametrize("drop", [False, True])
def test_shuffled_passes(buffer_rows: int, drop: bool) -> None:
    rows = [7, 5, 11, 2, 9, 6]
    batches = order_of(rows, 8, 3, Order(0, 4, buffer_rows), drop)
    assert [len(batch) for batch in batches] == [8] * 5 * 3 if drop else [8, 8, 8, 8, 8] * 3
    passes = [sum(batches[begin : begin + 5], []) for begin in (0, 5, 10)]
    for each in passes:
        assert sorted(each) == list(range(40))
    assert passes[0] != passes[1] != passes[2]
    assert batches == order_of(rows, 8, 3, Order(0, 4, buffer_rows), drop)
    assert batches != order_of(rows, 8, 3, Order(0, 5, buffer_rows), drop)
    # A run that goes on has the batches that come next.
    for begin in (1, 4, 5, 7, 12):
        assert order_of(rows, 8, 1, Order(begin, 4, buffer_rows), drop)[: 15 - begin] == batches[begin:][: 5 - begin % 5]


def test_what_is_read_ahead_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_pieces, "_threads", lambda: 3)
    lock, held, most = threading.Lock(), [0], [0]

    def read(piece: int) -> dict[str, np.ndarray]:
        with lock:
            held[0] += 1
            most[0] = max(most[0], held[0])
        return {"row": np.full(10, piece)}

    batches = PieceBatches(PieceReader(read, [10] * 50, 10, False, 1, None))
    for number in range(50):
        batch = batches()
        assert batch is not None and (batch["row"] == number).all()
        with lock:
            held[0] -= 1
    assert batches() is None
    assert 1 < most[0] <= 6
    threads = {thread.name for thread in threading.enumerate()}
    assert not any(name.startswith("mlc-data") for name in threads)


def test_lists_of_other_lengths_and_texts_are_joined() -> None:
    parts = [
        {"ids": np.array([[1]]), "ids.weight": np.array([[0.5]], dtype=np.float32), "steps": np.array([[0.5]]),
         "t": np.array([b"a"]), "u": np.array([["x"]])},
        {"ids": np.array([[2, 3]]), "ids.weight": np.ones((1, 2), np.float32), "steps": np.ones((1, 2)), "t": np.array([b"long"]),
         "u": np.array([["y", "z"]], dtype=object)},
    ]  # fmt: skip
    joined = _pieces._joined(parts)
    assert joined["ids"].tolist() == [[1, -1], [2, 3]] and joined["ids.weight"].tolist() == [[0.5, 0], [1, 1]]
    np.testing.assert_array_equal(joined["steps"], [[0.5, np.nan], [1, 1]])
    assert joined["t"].tolist() == [b"a", b"long"] and joined["u"].tolist() == [["x", ""], ["y", "z"]]


# Parquet


def test_parquet_trains_as_arrays(parquet: Path, tmp_path: Path) -> None:
    rows = table()
    arrays = Dataset.from_arrays({name: rows[name] for name in ("x", "job", "tags")}, rows["y"])
    of_files, of_arrays = linear(tmp_path / "files", tags=True), linear(tmp_path / "arrays", tags=True)
    files = Dataset.from_parquet(parquet, "y")
    assert len(files) == ROWS
    of_files.train(lambda: files.repeat(3).batch(32))
    of_arrays.train(lambda: arrays.repeat(3).batch(32))
    assert_same(of_files, of_arrays)
    for steps in (None, 3):
        found = of_files.evaluate(lambda: files.batch(32), steps)
        assert found == of_arrays.evaluate(lambda: arrays.batch(32), steps)
    assert of_files.evaluate(lambda: files.repeat().batch(32), 20)["accuracy"] > 0.5
    mine = [p["logits"] for p in of_files.predict(lambda: files.repeat(2).batch(50))]
    others = [p["logits"] for p in of_arrays.predict(lambda: arrays.repeat(2).batch(50))]
    assert np.array_equal(mine, others)


def test_parquet_goes_on_where_it_was(parquet: Path, tmp_path: Path) -> None:
    dataset = lambda: Dataset.from_parquet(parquet, "y").shuffle(60, seed=9).repeat().batch(32)  # noqa: E731
    once, twice = linear(tmp_path / "once"), linear(tmp_path / "twice")
    once.train(dataset, max_steps=27)
    twice.train(dataset, steps=11)
    twice.train(dataset, max_steps=27)
    assert_same(once, twice)
    assert not any(thread.name.startswith("mlc-data") for thread in threading.enumerate())
    assert "bit-exact: yes" in (tmp_path / "twice/runs/0002/log.txt").read_text()
    # Passes are as many steps.
    twice.train(lambda: Dataset.from_parquet(parquet, "y").shuffle().repeat(2).batch(32))
    assert twice._newest_step() == 27 + 2 * 8


def test_parquet_train_and_evaluate(parquet: Path, tmp_path: Path) -> None:
    model = estimator.LinearClassifier(
        [fc.numeric_column("x")], str(tmp_path / "m"),
        config=estimator.RunConfig(save_checkpoints_steps=10, save_summary_steps=0),
    )
    dataset = lambda: Dataset.from_parquet(parquet, "y")  # noqa: E731
    spec = estimator.TrainSpec(lambda: dataset().shuffle().repeat().batch(32), max_steps=30)
    metrics, _ = estimator.train_and_evaluate(model, spec, estimator.EvalSpec(lambda: dataset().batch(50), steps=3))
    # Each evaluation begins with the first batch.
    assert sorted(model.evaluations()) == [10, 20, 30]
    assert metrics is not None
    assert metrics["average_loss"] == pytest.approx(model.evaluate(lambda: dataset().batch(50), 3)["average_loss"])


def test_partitions_are_columns(tmp_path: Path) -> None:
    pq.write_to_dataset(table(), tmp_path / "d", partition_cols=["part"], row_group_size=30)
    dataset = Dataset.from_parquet(tmp_path / "d", "y")
    assert len(dataset) == ROWS
    results = []
    for number, each in enumerate((dataset, Dataset.from_arrays({"part": table()["part"]}, table()["y"]))):
        column = fc.categorical_column_with_identity("part", 3)
        config = estimator.RunConfig(tf_random_seed=1, save_summary_steps=0)
        results.append(estimator.LinearClassifier([column], str(tmp_path / f"{number}"), config=config))
        results[-1].train(lambda: each.repeat(5).batch(ROWS))
    assert results[0].get_variable_value("linear/linear_model/part/weights") == pytest.approx(
        results[1].get_variable_value("linear/linear_model/part/weights"), rel=1e-5
    )


def test_only_needed_columns_are_read(parquet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlc.data._parquet import RowGroups

    seen: list[list[str]] = []
    read = RowGroups.read
    monkeypatch.setattr(RowGroups, "read", lambda self, number, keys: (seen.append(list(keys)), read(self, number, keys))[1])
    # Timestamps are in the way of nobody who does not read them.
    linear(tmp_path / "m").train(lambda: Dataset.from_parquet(parquet, "y").batch(32))
    assert seen and all(keys == ["x", "job", "y"] for keys in seen)


def test_model_fn_reads_parquet(parquet: Path, tmp_path: Path) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> estimator.EstimatorSpec:
        from mlc import layers

        logits = layers.dense(ops.reshape(features["x"], [-1, 1]), 1)
        loss = losses.sigmoid_cross_entropy(ops.reshape(ops.cast(labels, "float32"), [-1, 1]), logits)
        step = train.GradientDescentOptimizer(0.5).minimize(loss, global_step=train.get_global_step())
        return estimator.EstimatorSpec(mode, loss=loss, train_op=step)

    model = estimator.Estimator(model_fn, str(tmp_path / "m"))
    model.train(lambda: Dataset.from_parquet(parquet, "y", columns=["x", "job"]).repeat(2).batch(32))
    assert model._newest_step() == 16
    with pytest.raises(DataError, match="feature 'when': found an Arrow column of timestamp"):
        model = estimator.Estimator(model_fn, str(tmp_path / "n"))
        model.train(lambda: Dataset.from_parquet(parquet, "y", columns=["x", "when"]).batch(32))


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda p: Dataset.from_parquet(p.parent / "none.parquet"), DataError, "none.parquet"),
        (lambda p: Dataset.from_parquet([]), DataError, "empty list"),
        (lambda p: Dataset.from_parquet(p, "yy"), DataError, "no column 'yy' for labels; found 'x', 'job'"),
        (lambda p: Dataset.from_parquet(p, columns=["jobs"]), DataError, "no column 'jobs'.*did you mean 'job'"),
        (lambda p: Dataset.from_parquet([p, "memory://x"]), DataError, "several filesystems"),
    ],
)
def test_what_parquet_datasets_refuse(make: Any, error: type[Exception], text: str, parquet: Path) -> None:
    with pytest.raises(error, match=text):
        make(parquet)


def test_bad_parquet(parquet: Path, tmp_path: Path) -> None:
    whole = parquet.read_bytes()
    parquet.write_bytes(whole[:-10])
    with pytest.raises(DataError, match="rows.parquet"):
        Dataset.from_parquet(parquet)
    parquet.write_bytes(b"")
    with pytest.raises(DataError, match="rows.parquet"):
        Dataset.from_parquet(parquet)
    # A row group that is damaged, of which no footer tells, and a value that the model cannot read.
    pq.write_table(table(), parquet, row_group_size=40, compression="zstd", use_dictionary=False)
    whole = parquet.read_bytes()
    begin = pq.ParquetFile(parquet).metadata.row_group(3).column(0).data_page_offset
    parquet.write_bytes(whole[: begin + 30] + bytes(100) + whole[begin + 130 :])
    with pytest.raises(DataError, match=r"rows\.parquet: row group 3: "):
        linear(tmp_path / "m").train(lambda: Dataset.from_parquet(parquet, "y").batch(32))
    x = table()["x"].to_pylist()
    x[201] = None
    pq.write_table(table().set_column(0, "x", pa.array(x, pa.float32())), parquet, row_group_size=40)
    with pytest.raises(DataError, match=r"rows\.parquet: row group 5: feature 'x', row 1: found no value"):
        linear(tmp_path / "n").train(lambda: Dataset.from_parquet(parquet, "y").batch(32))
    dates = table().set_column(0, "x", table()["when"])
    pq.write_table(dates, parquet)
    with pytest.raises(DataError, match="feature 'x': found an Arrow column of timestamp"):
        linear(tmp_path / "o").train(lambda: Dataset.from_parquet(parquet, "y").batch(32))
    pq.write_table(table().slice(0, 0), parquet)
    with pytest.raises(DataError, match="there is no row"):
        Dataset.from_parquet(parquet)


# LibSVM


def svm_lines(count: int = 150) -> tuple[str, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    x = np.where(rng.random((count, 6)) < 0.4, rng.normal(size=(count, 6)).astype(np.float32), 0).astype(np.float32)
    y = (x.sum(axis=1) > 0).astype(np.int64)
    lines = [f"{y[i]} " + " ".join(f"{j + 1}:{float(x[i, j])!r}" for j in range(6) if x[i, j]) for i in range(count)]
    return "\n".join(lines) + "\n", x, y


def test_libsvm_trains_as_arrays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlc.data._libsvm._PIECE_BYTES", 1000)
    text, x, y = svm_lines()
    (tmp_path / "a.svm").write_text("# made by a test\n\n" + text[:2000].rsplit("\n", 1)[0] + "  # the end")
    (tmp_path / "b.svm").write_text(text[text[:2000].rfind("\n") + 1 :])
    dense = Dataset.from_libsvm(tmp_path / "*.svm", 6)
    assert len(dense) == len(y) and len(dense.pieces.rows) > 4
    config = estimator.RunConfig(tf_random_seed=1, save_summary_steps=0)
    results = []
    for number, each in enumerate((dense, Dataset.from_arrays({"features": x}, y))):
        column = fc.numeric_column("features", shape=6)
        results.append(estimator.LinearClassifier([column], str(tmp_path / f"d{number}"), config=config))
        results[-1].train(lambda: each.repeat(4).batch(16))
    assert_same(*results)
    # The same as ids with weights: another model that computes the same.
    ids = fc.categorical_column_with_identity("indices", 6)
    sparse = estimator.LinearClassifier(
        [fc.weighted_categorical_column(ids, "values")], str(tmp_path / "s"), config=config
    )
    sparse.train(lambda: Dataset.from_libsvm(tmp_path / "*.svm").repeat(4).batch(16))
    mine = sparse.get_variable_value("linear/linear_model/indices_weighted_by_values/weights")
    other = results[0].get_variable_value("linear/linear_model/features/weights")
    assert mine == pytest.approx(other, rel=1e-4, abs=1e-6)


def test_agaricus(tmp_path: Path) -> None:
    data = os.environ.get("MLC_TEST_DATA", "")
    if not os.path.isdir(data):
        pytest.skip("MLC_TEST_DATA is not set")
    model = estimator.LinearClassifier([fc.numeric_column("features", shape=126)], str(tmp_path / "m"))
    model.train(lambda: Dataset.from_libsvm(f"{data}/agaricus/agaricus.txt.train", 126).shuffle().repeat(5).batch(100))
    metrics = model.evaluate(lambda: Dataset.from_libsvm(f"{data}/agaricus/agaricus.txt.test", 126).batch(500))
    assert metrics["accuracy"] > 0.99


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("1 1:2\n0 2:x\n", r"rows\.svm:2: found '0 2:x'; expected 'label index:value ...'"),
        ("1 1:2\n\n0 2 3:1\n", r"rows\.svm:3: found '0 2 3:1'"),
        ("1:2 2:3\n", r"rows\.svm:1: found '1:2 2:3'"),
        ("1 1:2:3\n", r"rows\.svm:1: found '1 1:2:3'"),
        # Two errors that make up for each other.
        ("1:2\n0 5 1:2\n", r"rows\.svm:1: found '1:2'"),
        ("1 1:nan\n", r"rows\.svm:1: found '1 1:nan'"),
        ("1 qid:3 1:1\n", r"rows\.svm:1: found '1 qid:3 1:1'"),
        ("1 1:2\n0 7:1\n", r"rows\.svm:2: found the index 7; expected one from 1 to 6"),
        ("1 1:2\n0 0:1\n", r"rows\.svm:2: found the index 0; expected one from 1 to 6"),
        ("1 1:2\n0 1.5:1\n", r"rows\.svm:2: found the index 1.5"),
        ("", "no row"),
        ("# nothing\n\n", "no row"),
    ],
)
def test_bad_libsvm(text: str, error: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.svm"
    path.write_text(text)
    with pytest.raises(DataError, match=error):
        Dataset.from_libsvm(path, 6)


def test_packed_libsvm(tmp_path: Path) -> None:
    (tmp_path / "rows.svm").write_bytes(b"\x1f\x8b\x08\x00")
    with pytest.raises(UnsupportedError, match="unpack the file first"):
        Dataset.from_libsvm(tmp_path / "rows.svm")


def test_piece_datasets_keep_their_kind(parquet: Path) -> None:
    dataset = Dataset.from_parquet(parquet, "y").shuffle(77, 3).repeat(2).batch(10)
    assert isinstance(dataset, PieceDataset)
    assert (dataset.buffer_rows, dataset.seed, dataset.epochs, dataset.batches_per_epoch) == (77, 3, 2, 23)


# Files that are not local


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """fsspec's filesystem in memory, and a cache of its own."""
    fsspec = pytest.importorskip("fsspec")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    filesystem = fsspec.filesystem("memory")
    yield filesystem
    filesystem.store.clear()


def test_remote_csv(memory: Any, tmp_path: Path) -> None:
    for number in range(3):
        memory.pipe(f"/b/part-{number}.csv", f"x,y\n{number},1\n".encode())
    dataset = Dataset.from_csv("memory://b/part-*.csv", "y")
    assert [Path(path).read_text() for path in dataset.files.patterns] == [f"x,y\n{n},1\n" for n in range(3)]
    # Copied once, and again where a file changed.
    assert Dataset.from_csv("memory://b/part-*.csv").files.patterns == dataset.files.patterns
    memory.pipe("/b/part-1.csv", b"x,y\n7,1\n")
    changed = Dataset.from_csv("memory://b/part-*.csv")
    assert Path(changed.files.patterns[1]).read_text() == "x,y\n7,1\n"
    assert list((tmp_path / "cache/mlc/remote").glob("unfinished*")) == []
    config = estimator.RunConfig(tf_random_seed=1, save_summary_steps=0)
    model = estimator.LinearRegressor([fc.numeric_column("x")], str(tmp_path / "m"), config=config)
    model.train(lambda: Dataset.from_csv("memory://b/*.csv", "y").batch(3))
    assert model._newest_step() == 1
    with pytest.raises(DataError, match="no file matches 'memory://b/none.csv'"):
        Dataset.from_csv("memory://b/none.csv")
    with pytest.raises(DataError, match="cannot be opened: Protocol not known: foo"):
        Dataset.from_csv("foo://b/none.csv")
    # A local path with a scheme.
    (tmp_path / "local.csv").write_text("x\n1\n")
    assert Dataset.from_csv(f"file://{tmp_path}/local.csv").files.patterns == (str(tmp_path / "local.csv"),)


def test_cache_is_bounded(memory: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache/mlc/remote"
    monkeypatch.setenv("MLC_REMOTE_CACHE_BYTES", "250")
    for number in range(3):
        memory.pipe(f"/b/{number}.csv", b"x\n" + b"1\n" * 49)
    Dataset.from_csv("memory://b/0.csv")
    Dataset.from_csv("memory://b/1.csv")
    # Both were used lately.
    with pytest.raises(DataError, match="holds 200 that were used lately; expected 250 together at most"):
        Dataset.from_csv("memory://b/2.csv")
    old = min(cache.iterdir(), key=lambda entry: entry.stat().st_mtime_ns)
    os.utime(old, (0, 0))
    Dataset.from_csv("memory://b/2.csv")
    assert not old.exists() and len(list(cache.iterdir())) == 2
    monkeypatch.setenv("MLC_REMOTE_CACHE_BYTES", "lots")
    memory.pipe("/b/3.csv", b"x\n1\n")
    with pytest.raises(ValueError, match="MLC_REMOTE_CACHE_BYTES is 'lots'"):
        Dataset.from_csv("memory://b/3.csv")


def test_remote_parquet_is_read_where_it_is(memory: Any, tmp_path: Path) -> None:
    with memory.open("/b/rows.parquet", "wb") as file:
        pq.write_table(table(), file, row_group_size=40)
    from pyarrow.fs import FSSpecHandler, PyFileSystem

    for number, dataset in enumerate((
        Dataset.from_parquet("memory://b/rows.parquet", "y"),
        Dataset.from_parquet("b/rows.parquet", "y", filesystem=memory),
        Dataset.from_parquet("b/rows.parquet", "y", filesystem=PyFileSystem(FSSpecHandler(memory))),
    )):  # fmt: skip
        model = linear(tmp_path / f"{number}")
        model.train(lambda: dataset.batch(32))
        assert model._newest_step() == 8
    assert not (tmp_path / "cache/mlc/remote").exists()
    with pytest.raises(DataError, match="foo://bucket/x' cannot be opened: Protocol not known"):
        Dataset.from_parquet("foo://bucket/x")


def test_remote_libsvm(memory: Any) -> None:
    memory.pipe("/b/rows.svm", b"1 1:2\n0 2:1\n")
    assert len(Dataset.from_libsvm("memory://b/rows.svm", 2)) == 2


@pytest.mark.parametrize("model_dir", ["s3://bucket/model", "gs://bucket/model", "hdfs://host/model"])
def test_model_dir_is_local(model_dir: str) -> None:
    with pytest.raises(UnsupportedError, match="model_dir .* a local directory"):
        estimator.LinearClassifier([fc.numeric_column("x")], model_dir)
    with pytest.raises(UnsupportedError, match="model_dir .* a local directory"):
        estimator.LinearClassifier([fc.numeric_column("x")], config=estimator.RunConfig(model_dir=model_dir))
