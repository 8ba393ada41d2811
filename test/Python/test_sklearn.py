"""MLCClassifier and MLCRegressor: what they promise beyond scikit-learn's own checks (test_sklearn_checks.py)."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("mlc._native")
pytest.importorskip("sklearn", reason="scikit-learn, on which mlc.sklearn stands, is not installed")

import joblib
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV

import mlc
from mlc import _engine
from mlc.errors import MlcError, NanLossDuringTrainingError
from mlc.sklearn import MLCClassifier, MLCRegressor

X, Y = load_iris(return_X_y=True)
QUICK = {"max_iter": 3, "random_state": 0}


def test_defaults_learn():
    model = MLCClassifier(random_state=0).fit(X, Y)
    assert model.score(X, Y) > 0.93
    assert model.recipe_["early_stopping"] and model.recipe_["refit"]
    assert model.validation_loss_ == min(model.validation_curve_) < 0.5
    assert mlc.MLCClassifier is MLCClassifier
    numbers, target = load_diabetes(return_X_y=True)
    regression = MLCRegressor(random_state=0).fit(numbers, target)
    assert regression.score(numbers, target) > 0.5
    assert abs(regression.predict(numbers).mean() - target.mean()) < 10


@pytest.mark.parametrize("model", ["dnn", "linear", "wide_deep"])
def test_models(model):
    job = np.array(["clerk", "smith", "cook"])[Y]
    frame = pd.DataFrame(X, columns=list("abcd")).assign(job=np.where(np.arange(150) % 3 == 0, job, None))
    fitted = MLCClassifier(model, random_state=0, max_iter=60).fit(frame, job)
    assert fitted.score(frame, job) > 0.9
    assert fitted.predict(frame.assign(job="pilot")).dtype == job.dtype


def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads():
    one, two = (MLCClassifier(n_jobs=jobs, **QUICK).fit(X, Y).predict_proba(X) for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)
    assert np.any(MLCClassifier(max_iter=3, random_state=1).fit(X, Y).predict_proba(X) != one)


def test_a_search_compiles_once(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(_engine, "_models", type(_engine._models)())
    grid = {"learning_rate": [0.001, 0.01], "alpha": [1e-4, 1e-2], "dropout": [0.1, 0.5], "batch_size": [16, 32], "max_iter": [2, 3]}
    search = GridSearchCV(MLCClassifier(hidden_units=(9, 7), random_state=0), grid, cv=2).fit(X, Y)
    assert len(search.cv_results_["params"]) == 32
    assert len(_engine._models) == 1
    # What the disk keeps: one of each kind, a library and code.
    kept = [path.parent.name for path in tmp_path.rglob("llvmcache-*")]
    assert len(kept) == len(set(kept))


def test_a_pickle_needs_no_cache(tmp_path):
    model = MLCClassifier(**QUICK).fit(X, Y)
    joblib.dump((model, model.predict_proba(X)), tmp_path / "model")
    script = (
        "import joblib, sys, numpy as np; from sklearn.datasets import load_iris; from mlc import _engine\n"
        "_engine.native_module().compile = None  # no compiler\n"
        "model, told = joblib.load(sys.argv[1]); assert (model.predict_proba(load_iris().data) == told).all()"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "model")], check=True, env=environment)


def test_a_pickle_whose_code_is_for_another_processor_is_compiled_again(monkeypatch):
    model = MLCClassifier(**QUICK).fit(X, Y)
    expected = model.predict_proba(X)
    # Its list of what the processor must have names something that none has.
    model._fitted._library = _engine.library_bytes(model._fitted.spec).replace(b"avx2", b"avx9")
    packed = pickle.dumps(model)
    monkeypatch.setattr(_engine, "_models", type(_engine._models)())
    with pytest.raises(MlcError, match="avx9"):
        _engine.load_model(model._fitted.spec, model._fitted._library)
    again = pickle.loads(packed)
    np.testing.assert_array_equal(again.predict_proba(X), expected)
    assert b"avx9" not in pickle.loads(pickle.dumps(again))._fitted._library


def test_threads_share_a_fitted_model():
    model, found = MLCClassifier(**QUICK).fit(X, Y), []
    threads = [threading.Thread(target=lambda: found.append(model.predict_proba(X))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    assert all((each == model.predict_proba(X)).all() for each in found)


def test_nothing_stays_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    model = MLCClassifier(**QUICK).fit(X, Y).partial_fit(X, Y)
    model.predict(X)
    with pytest.raises(NanLossDuringTrainingError):
        MLCClassifier(optimizer="sgd", learning_rate=1e9, random_state=0).fit(X, Y)
    assert not [path for path in tmp_path.iterdir() if path.suffix != ".lock"]


def test_partial_fit_goes_on():
    model, losses = MLCClassifier(random_state=0), []
    for _ in range(30):
        losses.append(model.partial_fit(X, Y, classes=[0, 1, 2]).loss_)
    assert losses[-1] < 0.8 * losses[0]
    assert model._fitted.step == 30 * 5
    # What the rules said of the first call's rows stays.
    before = model.recipe_
    assert model.partial_fit(X[:3], Y[:3]).recipe_ == before
    with pytest.raises(ValueError, match=r"new classes \[3\]"):
        model.partial_fit(X, Y + 1)
    with pytest.raises(ValueError, match="classes must be passed"):
        MLCClassifier().partial_fit(X, Y)
    with pytest.raises(ValueError, match="as a dict"):
        MLCClassifier(class_weight="balanced").partial_fit(X, Y, classes=[0, 1, 2])


def test_warm_start_begins_with_what_was_learned():
    model, losses = MLCClassifier(warm_start=True, max_iter=5, early_stopping=False, random_state=0), []
    for _ in range(4):
        losses.append(model.fit(X, Y).loss_)
    assert losses == sorted(losses, reverse=True)
    cold = clone(model).set_params(warm_start=False)
    assert cold.fit(X, Y).loss_ == cold.fit(X, Y).loss_ == losses[0]
    with pytest.raises(ValueError, match="3 features"):
        model.fit(X[:, :3], Y)
    with pytest.raises(ValueError, match=r"hidden_units is \(7,\), and the model to go on with has \(64, 32\)"):
        model.set_params(hidden_units=(7,)).fit(X, Y)


def test_callbacks_see_and_stop():
    told = []
    model = MLCClassifier(callbacks=[told.append, lambda told: told["epoch"] >= 5], random_state=0).fit(X, Y)
    assert model.n_iter_ in (5, 6)
    assert told[-1]["validation_loss"] is not None and told[0]["loss"] > 0 and not told[-1]["refit"]
    model = MLCClassifier(callbacks=told.append, **QUICK).fit(X, Y)
    assert told[-1]["refit"]
    with pytest.raises(ValueError, match="callbacks must be"):
        MLCClassifier(callbacks=3).fit(X, Y)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_what_ends_fit_leaves_the_estimator_as_it_was(error):
    def end(told):
        raise error

    model = MLCClassifier(**QUICK)
    with pytest.raises(error):
        model.set_params(callbacks=end).fit(X, Y)
    assert not hasattr(model, "classes_")
    model.set_params(callbacks=None).fit(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(error):
        model.set_params(callbacks=end).fit(X[:, :2], Y)
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_weights():
    heavy = MLCClassifier(class_weight={0: 1, 1: 50, 2: 1}, **QUICK | {"max_iter": 30}).fit(X, Y)
    assert np.mean(heavy.predict(X) == 1) > 0.5
    # Rows of weight 0 are as if they were not there, and the size of all weights means nothing.
    used = np.arange(150) % 3 > 0
    part = MLCClassifier(**QUICK).fit(X[used], Y[used]).predict_proba(X)
    np.testing.assert_array_equal(MLCClassifier(**QUICK).fit(X, Y, sample_weight=8.0 * used).predict_proba(X), part)
    with pytest.raises(ValueError, match="one class; expected 2"):
        MLCClassifier().fit(X, Y, sample_weight=(Y == 1).astype(float))
    with pytest.raises(ValueError, match="Negative values"):
        MLCClassifier().fit(X, Y, sample_weight=-np.ones(150))


def test_several_labels_and_several_numbers():
    marks = np.stack([Y == 0, X[:, 3] > 1], axis=1).astype(int)
    model = MLCClassifier(random_state=0, max_iter=100).fit(X, marks)
    assert model.predict_proba(X).shape == (150, 2)
    assert np.mean(model.predict(X) == marks) > 0.95
    numbers = MLCRegressor(random_state=0).fit(X[:, :2], X[:, 2:] * [1, 1000])
    assert numbers.predict(X[:, :2]).shape == (150, 2)
    assert numbers.score(X[:, :2], X[:, 2:] * [1, 1000]) > 0.8


def test_a_sparse_x_of_many_columns():
    words = scipy.sparse.random(400, 3000, density=0.005, format="csr", random_state=0)
    good = np.asarray(words[:, :300].sum(axis=1)).ravel() > np.asarray(words[:, 300:600].sum(axis=1)).ravel()
    model = MLCClassifier(random_state=0, max_iter=40, refit=False).fit(words, good)
    assert model.recipe_["model"] == "wide_deep"
    assert model.score(words, good) > 0.8
    np.testing.assert_array_equal(model.predict(words[:5].toarray()), model.predict(words[:5]))
    small = scipy.sparse.csr_matrix(X)
    np.testing.assert_array_equal(MLCClassifier(**QUICK).fit(small, Y).predict(X), MLCClassifier(**QUICK).fit(X, Y).predict(small))


def test_threads_that_a_process_may_use(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert MLCClassifier(n_jobs=3)._threads() == 3
    assert MLCClassifier()._threads() == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert MLCClassifier(n_jobs=3)._threads() == 2
    # A worker of joblib is told how many are its own.
    monkeypatch.delenv("OMP_NUM_THREADS")
    told = joblib.Parallel(n_jobs=2)(joblib.delayed(_threads_of)() for _ in range(2))
    assert sum(told) <= max(2, joblib.cpu_count())


def _threads_of():
    return MLCClassifier(n_jobs=-1)._threads()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": "dn"}, "model must be 'auto' or one of 'dnn', 'linear', 'wide_deep'; found 'dn'"),
        ({"hidden_units": "big"}, "hidden_units must be 'auto' or widths such as"),
        ({"hidden_units": [0]}, "hidden_units must be integers of at least 1"),
        ({"alpha": -1}, "alpha must be 'auto' or a number of at least 0; found -1"),
        ({"dropout": 1}, "dropout must be 'auto' or a number of at least 0 and below 1; found 1"),
        ({"learning_rate": "fast"}, "learning_rate must be 'auto' or a number of at least 0; found 'fast'"),
        ({"optimizer": "adm"}, "optimizer must be 'auto', an optimizer of mlc.optimizers or one of adagrad"),
        ({"activation": "rel"}, "activation 'rel' cannot be compiled"),
        ({"batch_size": 0}, "batch_size must be 'auto' or an integer of at least 1; found 0"),
        ({"max_iter": 0}, "max_iter must be None or an integer of at least 1; found 0"),
        ({"early_stopping": 3}, "early_stopping must be True, False or 'auto'; found 3"),
        ({"validation_fraction": 0.001}, "validation_fraction 0.001 of 150 rows leaves none on one side"),
        ({"class_weight": {0: -1, 1: 1, 2: 1}}, "class_weight is .*expected factors of at least 0"),
        ({"refit": "yes"}, "refit must be True, False or 'auto'; found 'yes'"),
    ],
)
def test_arguments_that_cannot_be_used_are_told(arguments, message):
    with pytest.raises(ValueError, match=message):
        MLCClassifier(**arguments).fit(X, Y)


def test_no_row_is_held_out_where_each_class_has_one():
    x = np.arange(12.0)[:, None]
    model = MLCClassifier(random_state=0, max_iter=2).fit(x, np.arange(12))
    assert (model.recipe_["early_stopping"], model.recipe_["refit"], model.validation_loss_) == (False, False, None)
    with pytest.raises(ValueError, match="early_stopping is True, and no class has two rows"):
        MLCClassifier(early_stopping=True).fit(x, np.arange(12))


def test_optimizers_may_be_objects():
    rule = mlc.optimizers.SGD(0.1, momentum=0.9)
    quick = MLCClassifier(optimizer=rule, **QUICK).fit(X, Y).loss_
    slow = MLCClassifier(optimizer=rule, learning_rate=1e-5, **QUICK).fit(X, Y).loss_
    assert quick < slow
    assert clone(MLCClassifier(optimizer=rule)).optimizer.learning_rate == 0.1


def test_mlc_alone_does_not_load_scikit_learn(tmp_path):
    (tmp_path / "sklearn.py").write_text("raise ImportError('No module named sklearn')")
    script = (
        "import sys, mlc; assert 'sklearn' not in sys.modules and 'MLCClassifier' in dir(mlc)\n"
        "try:\n    mlc.MLCClassifier\nexcept ImportError as error:\n    print(error)"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run([sys.executable, "-c", script], check=True, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert done.stdout.startswith("mlc.sklearn needs scikit-learn 1.2 or later: pip install scikit-learn")
