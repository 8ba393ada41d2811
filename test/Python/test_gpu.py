"""Estimators on GPUs, which an emulator of PTX stands for (docs/ptxemu.md): the bits of the CPU, and what is said where there is none."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import logging
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

native = pytest.importorskip("mlc._native")

import mlc  # noqa: E402
from conftest import FakeNative  # noqa: E402
from mlc import _engine, errors, estimator, layers, losses, optimizers, runtime, train  # noqa: E402
from mlc import feature_column as fc  # noqa: E402
from mlc.data import Dataset  # noqa: E402

BUILD = Path(native.__file__).parents[2]
DRIVER = BUILD / "lib" / "ptxemu" / "libcuda.so.1"
if not DRIVER.exists():
    pytest.skip("the emulator of PTX is not built (target mlc_fake_cuda)", allow_module_level=True)

NOWHERE = "/nowhere/libcuda.so.1"
KEYS = ["SepalLength", "SepalWidth", "PentalLength", "PentalWidth"]
IRIS = Path(__file__).resolve().parents[2] / "examples" / "iris" / "data"


@pytest.fixture(autouse=True)
def driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two GPUs, that the emulator shows when it is first opened."""
    monkeypatch.setenv("MLC_CUDA_DRIVER", str(DRIVER))
    monkeypatch.setenv("PTXEMU_DEVICES", "2")


def iris(name: str = "training") -> Dataset:
    return Dataset.from_csv(IRIS / f"iris_{name}.csv", "Species")


def classifier(model_dir: Any, **config: Any) -> estimator.Estimator:
    columns = [fc.numeric_column(key) for key in KEYS]
    run = estimator.RunConfig(tf_random_seed=1, **config)
    return estimator.DNNClassifier([16, 8], columns, str(model_dir), n_classes=3, optimizer=optimizers.Adam(0.02), config=run)


def variables(model: estimator.Estimator) -> dict[str, bytes]:
    return {name: model.get_variable_value(name).tobytes() for name in model.get_variable_names()}


def shuffled() -> Dataset:
    return iris().shuffle().repeat().batch(32)


@pytest.fixture(scope="module")
def on_cpu(tmp_path_factory: pytest.TempPathFactory) -> estimator.Estimator:
    """A classifier of iris after 12 steps."""
    return classifier(tmp_path_factory.mktemp("cpu")).train(shuffled, steps=12)


def launches(counters: Path) -> int:
    import json

    return sum(kernel["launches"] for kernel in json.loads(counters.read_text())["kernels"])


def test_iris_has_the_bits_of_the_cpu(on_cpu: estimator.Estimator, tmp_path: Path) -> None:
    model = classifier(tmp_path / "m", device="gpu", gpu_memory="64MiB").train(shuffled, steps=12)
    assert variables(model) == variables(on_cpu)
    assert model.evaluate(lambda: iris("test").batch(32)) == on_cpu.evaluate(lambda: iris("test").batch(32))
    rows = [list(each.predict(lambda: iris("test").batch(32))) for each in (model, on_cpu)]
    for found, expected in zip(*rows, strict=True):
        assert {key: value.tolist() for key, value in found.items()} == {key: value.tolist() for key, value in expected.items()}
    one = {key: [value] for key, value in zip(KEYS, (5.9, 3.0, 4.2, 1.5), strict=True)}
    for _ in range(2):
        np.testing.assert_array_equal(model.predictor()(one)["logits"], on_cpu.predictor()(one)["logits"])
    paths = [tmp_path / "gpu.csv", tmp_path / "cpu.csv"]
    for each, path in zip((model, on_cpu), paths, strict=True):
        each.predict_files(lambda: iris("test").batch(32), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    # An export runs on any host, and a run goes on anywhere.
    assert (Path(model.export_saved_model(tmp_path / "e").decode()) / "predict.so").exists()
    classifier(tmp_path / "m").train(shuffled, steps=3)
    on_cpu_again = classifier(tmp_path / "c", device="auto").train(shuffled, steps=15)
    assert variables(classifier(tmp_path / "m")) == variables(on_cpu_again)


def test_kernels_ran_there(tmp_path: Path) -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_gpu as t\n"
        "t.classifier(sys.argv[2], device=sys.argv[3]).train(t.shuffled, steps=2)"
    )
    counted = {}
    for device in ("gpu", "cpu"):
        counters = tmp_path / f"{device}.json"
        words = [sys.executable, "-c", script, str(Path(__file__).parent), str(tmp_path / device), device]
        subprocess.run(words, check=True, env=environment(PTXEMU_COUNTERS=str(counters)))
        counted[device] = launches(counters) if counters.exists() else 0
    assert counted["gpu"] > 20 and counted["cpu"] == 0


def environment(**variables: str) -> dict[str, str]:
    import os

    return {**os.environ, **variables}


def test_hooks_get_values_while_the_next_step_runs(tmp_path: Path) -> None:
    # Hooks that are known do not keep the GPU waiting, one of the program's own does. All get the same.
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import test_gpu as t\n"
        "class Own(t.train.SessionRunHook):\n"
        "    def after_run(self, context, values): pass\n"
        "last = t.train.FinalOpsHook('loss')\n"
        "hooks = [t.train.StopAtStepHook(last_step=9), t.train.StepCounterHook(), t.train.NanTensorHook('loss'), last]\n"
        "m = t.classifier(sys.argv[2], device=sys.argv[3])\n"
        "m.train(lambda: t.iris().shuffle().repeat().batch(32), hooks=hooks + [Own()] * int(sys.argv[4]))\n"
        "print(m.latest_checkpoint().split('-')[-1], last.final_ops_values)"
    )
    told, early = [], []
    for device, own in (("cpu", "0"), ("gpu", "0"), ("gpu", "1")):
        counters = tmp_path / f"{device}{own}.json"
        words = [sys.executable, "-c", script, str(Path(__file__).parent), str(tmp_path / f"{device}{own}"), device, own]
        ran = subprocess.run(
            words, check=True, env=environment(PTXEMU_COUNTERS=str(counters)), capture_output=True, text=True
        )
        told.append(ran.stdout)
        early.append(json.loads(counters.read_text())["early_waits"] if counters.exists() else 0)
    assert told[0] == told[1] == told[2]
    assert int(told[0].split()[0]) == 9
    assert early[0] == early[2] == 0 and early[1] >= 2, early


def test_model_fn_with_hooks_has_the_bits_of_the_cpu(tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=(64, 4)).astype(np.float32)
    y = x.sum(1, keepdims=True) ** 2

    def model_fn(features: Any, labels: Any, mode: str) -> estimator.EstimatorSpec:
        hidden = layers.dense(features["x"], 8, activation="relu", name="hidden")
        out = layers.dense(hidden, 1, name="out")
        if mode == estimator.ModeKeys.PREDICT:
            return estimator.EstimatorSpec(mode, predictions={"y": out})
        loss = losses.mean_squared_error(labels, out)
        train_op = mlc.optimizers.Adam(0.05).minimize(loss) if mode == estimator.ModeKeys.TRAIN else None
        return estimator.EstimatorSpec(mode, predictions={"y": out}, loss=loss, train_op=train_op)

    class Watch(train.SessionRunHook):
        def __init__(self) -> None:
            self.seen: list[bytes] = []

        def after_run(self, context: Any, values: Any) -> None:
            self.seen.append(context.session.run("hidden/kernel").tobytes())

    def rows() -> Dataset:
        return Dataset.from_arrays({"x": x}, y).batch(16).repeat()

    found = []
    for device in ("cpu", "gpu"):
        model = estimator.Estimator(model_fn, str(tmp_path / device), estimator.RunConfig(tf_random_seed=3, device=device))
        watch = Watch()
        model.train(rows, hooks=[watch], steps=6)
        predicted = np.stack([each["y"] for each in model.predict(lambda: Dataset.from_arrays({"x": x}, None).batch(16))])
        assert len(set(watch.seen)) == 6
        found.append((variables(model), watch.seen, predicted.tobytes(), model.evaluate(rows, steps=2)))
    assert found[0] == found[1]


def test_two_gpus_train(on_cpu: estimator.Estimator, tmp_path: Path) -> None:
    model = classifier(tmp_path, device="auto", gpus=2).train(shuffled, steps=12)
    for name in model.get_variable_names():
        np.testing.assert_allclose(model.get_variable_value(name), on_cpu.get_variable_value(name), rtol=1e-3, atol=1e-4)
    with pytest.raises(errors.DeviceError, match="there is no GPU number 2; expected: 0 to 1"):
        classifier(tmp_path, device="gpu", gpus=3).train(shuffled, steps=1)
    assert model.evaluate(lambda: iris("test").batch(32))["global_step"] == 12


def test_tables_on_the_host(tmp_path: Path) -> None:
    words = {"w": np.array([f"w{i * 7 % 40}" for i in range(64)], dtype=object)}
    y = np.arange(64) % 3

    def rows() -> Dataset:
        return Dataset.from_arrays(words, y).batch(16).repeat()

    def model(name: str, **config: Any) -> estimator.Estimator:
        column = fc.embedding_column(fc.categorical_column_with_hash_bucket("w", 500), 8)
        run = estimator.RunConfig(tf_random_seed=2, **config)
        return estimator.DNNClassifier([8], [column], str(tmp_path / name), n_classes=3, config=run).train(rows, steps=6)

    assert variables(model("gpu", device="gpu", host_tables="1KB", gpu_chips=["sm_80"])) == variables(model("cpu"))


def test_without_a_gpu_the_cpu_runs_and_a_line_says_why(
    on_cpu: estimator.Estimator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MLC_CUDA_DRIVER", NOWHERE)
    with caplog.at_level(logging.WARNING, "mlc"):
        model = classifier(tmp_path / "auto", device="auto").train(shuffled, steps=12)
    said = [record.getMessage() for record in caplog.records if "device" in record.getMessage()]
    assert len(said) == 1 and said[0].startswith(f"warning: device   cpu: no CUDA driver: {NOWHERE}")
    assert variables(model) == variables(on_cpu)
    caplog.clear()
    classifier(tmp_path / "quiet").train(shuffled, steps=1)
    assert "device" not in caplog.text
    with pytest.raises(errors.DeviceError, match="no CUDA driver") as caught:
        classifier(tmp_path / "none", device="gpu").train(shuffled, steps=1)
    assert (caught.value.codes, caught.value.exit_code) == (("E0504",), 4)
    for call in (lambda m: m.evaluate(lambda: iris("test").batch(32)), lambda m: next(m.predict(lambda: iris("test").batch(32))), lambda m: m.predictor()):
        with pytest.raises(errors.DeviceError, match="no CUDA driver"):
            call(classifier(tmp_path / "auto", device="gpu"))


def test_a_chip_that_no_code_is_for(tmp_path: Path) -> None:
    with pytest.raises(errors.DeviceError, match="sm_80"):
        classifier(tmp_path, device="gpu", gpu_chips=["sm_90"]).train(shuffled, steps=1)
    with pytest.raises(errors.SpecError, match="unknown chip 'sm_7'; expected one of sm_80"):
        classifier(tmp_path, device="gpu", gpu_chips=["sm_7"]).train(shuffled, steps=1)


def test_tiles_of_products_come_from_a_table(tmp_path: Path) -> None:
    table = tmp_path / "tiles.table"
    table.write_text((Path(__file__).parents[1] / "Execute" / "Inputs" / "tiles.table").read_text())
    plans = []
    for name, config in (("built-in", {}), ("table", {"kernel_table": table})):
        trainer = tmp_path / name
        classifier(tmp_path / "m", device="auto", gpu_chips=["sm_80"], **config).compile_trainer(trainer)
        said = subprocess.run([trainer, "info", "--json"], check=True, capture_output=True, text=True).stdout
        plans.append(json.loads(said)["plan_fingerprint"])
    assert plans[0] != plans[1]
    table.write_text("mlc-kernel-table 1\ntile any f32 8x8x8\n")
    with pytest.raises(errors.SpecError, match="tiles.table:2: .*8x8x8"):
        classifier(tmp_path / "m", device="auto", kernel_table=str(table)).compile_trainer(tmp_path / "none")
    table.unlink()
    with pytest.raises(errors.SpecError, match="^error.E0203.: kernel_table: cannot read '.*tiles.table'"):
        classifier(tmp_path / "m", device="gpu", kernel_table=table).train(shuffled, steps=1)


def test_memory_that_runs_out(tmp_path: Path) -> None:
    model = classifier(tmp_path, device="gpu").train(shuffled, steps=2)
    with pytest.raises(errors.OutOfMemoryError, match="at most 1.0 kB") as caught:
        classifier(tmp_path, device="gpu", gpu_memory=1000).train(shuffled, steps=2)
    assert caught.value.codes == ("E0502",)
    assert isinstance(caught.value, (MemoryError, errors.RunError))
    assert "RunConfig(gpu_memory=...)" in str(caught.value) and "--" not in str(caught.value)
    assert model.latest_checkpoint() == f"{tmp_path}/ckpt-0000000002"
    # The limit was that of one run.
    assert model.train(shuffled, steps=1).get_variable_value("global_step") == 3
    with pytest.raises(errors.SpecError, match="gpu_memory is 'lots'; expected: bytes, as 4294967296, 512MiB or 4GB"):
        classifier(tmp_path, device="gpu", gpu_memory="lots").train(shuffled, steps=2)
    with pytest.raises(errors.SpecError, match="host_tables is 'few'"):
        classifier(tmp_path, device="gpu", host_tables="few").train(shuffled, steps=2)


def test_the_memory_of_a_gpu_is_a_runs_own(tmp_path: Path) -> None:
    def run(name: str, memory: str) -> None:
        for number in range(3):
            try:
                classifier(tmp_path / f"{name}{number}", device="gpu", gpu_memory=memory).train(shuffled, steps=1)
                ended.setdefault(name, []).append("trained")
            except errors.OutOfMemoryError as error:
                ended.setdefault(name, []).append("1.0 kB" if "at most 1.0 kB" in str(error) else str(error))

    ended: dict[str, list[str]] = {}
    run("warm", "64MiB")  # compiled once, so that the runs below are at once
    threads = [threading.Thread(target=run, args=each) for each in (("large", "64MiB"), ("small", "1000"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ended == {name: [end] * 3 for name, end in (("warm", "trained"), ("large", "trained"), ("small", "1.0 kB"))}


LOSE = """
import sys
sys.path.insert(0, sys.argv[1])
import test_gpu as t
model = t.classifier(sys.argv[2], device="gpu", save_checkpoints_steps=3)
try:
    model.train(t.shuffled, max_steps=12)
except t.errors.DeviceError as error:
    assert (error.codes, error.exit_code) == (("E0503",), 195), error
    assert 'RunConfig(device="cpu")' in str(error), error
assert 0 < model.get_variable_value("global_step") < 12
t.classifier(sys.argv[2], device="cpu").train(t.shuffled, max_steps=12)
"""


def test_a_gpu_that_is_lost(on_cpu: estimator.Estimator, tmp_path: Path) -> None:
    words = [sys.executable, "-c", LOSE, str(Path(__file__).parent), str(tmp_path)]
    lost = {"PTXEMU_LOSE_AFTER": "150:999", "PTXEMU_REPORT": str(tmp_path / "report")}
    subprocess.run(words, check=True, env=environment(**lost))
    assert variables(classifier(tmp_path)) == variables(on_cpu)


def test_trainer_has_code_for_both(on_cpu: estimator.Estimator, tmp_path: Path) -> None:
    model = classifier(tmp_path / "m", device="auto", gpu_chips=["sm_80", "sm_90"])
    model.train(shuffled, steps=1)
    trainer = tmp_path / "trainer"
    model.compile_trainer(trainer)
    content = trainer.read_bytes()
    assert b".visible .entry kernel_" in content and b".target sm_80" in content and b".target sm_90" in content
    on_cpu.compile_trainer(tmp_path / "other")
    assert b".visible .entry kernel_" not in (tmp_path / "other").read_bytes()
    files = ["--train_files", IRIS / "iris_training.csv"]
    command = [trainer, "train", "--device", "gpu", "--max_steps", "2", "--model_dir", tmp_path / "t", "--quiet", *files]
    subprocess.run(list(map(str, command)), check=True)
    assert classifier(tmp_path / "t").get_variable_value("global_step") == 2


def test_tasks_of_a_cluster_take_gpus(tmp_path: Path) -> None:
    models = []
    for name, config in (("cpu", {}), ("gpu", {"device": "gpu"}), ("two", {"device": "gpu", "gpus": 2})):
        model = classifier(tmp_path / name, **config)
        spec = estimator.TrainSpec(shuffled, max_steps=4)
        counters = tmp_path / f"{name}.json"
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PTXEMU_COUNTERS", str(counters))
            mlc.launch(model, spec, workers=2, ps=1, sync=True, cpu="x86-64-v3")
        assert counters.exists() == bool(config)
        models.append(variables(model))
    assert models[0] == models[1] == models[2]


def test_several_gpus_bring_sums_together_by_nccl(
    on_cpu: estimator.Estimator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLC_NCCL_LIBRARY", str(DRIVER.parent / "libnccl.so.2"))
    two = classifier(tmp_path / "nccl", device="gpu", gpus=2, gpu_sums="nccl").train(shuffled, steps=4)
    copies = classifier(tmp_path / "copies", device="gpu", gpus=2).train(shuffled, steps=4)
    assert variables(two) == variables(copies)
    assert "by NCCL 2.23.4" in "".join(path.read_text() for path in (tmp_path / "nccl").rglob("log.txt"))
    monkeypatch.setenv("MLC_NCCL_LIBRARY", "/nowhere/libnccl.so.2")
    with pytest.raises(errors.DeviceError, match="no NCCL: .*; expected: libnccl.so.2"):
        classifier(tmp_path / "none", device="gpu", gpus=2, gpu_sums="allreduce").train(shuffled, steps=1)


@pytest.fixture
def models_of(native: FakeNative, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """What the native compiler is asked for."""
    asked: list[dict[str, Any]] = []

    def compile_(spec: str, name: str, **given: Any) -> tuple[str, list[Any]]:
        asked.append(given)
        return f"/cache/{len(asked)}.so", []

    monkeypatch.setattr(native, "compile", compile_)
    yield asked


def test_a_table_that_changes_is_another_target(models_of: list[dict[str, Any]], tmp_path: Path) -> None:
    table = tmp_path / "tiles.table"
    config = estimator.RunConfig(device="gpu", kernel_table=table)
    for text in ("mlc-kernel-table 1", "mlc-kernel-table 1", "mlc-kernel-table 1\n"):
        if not table.exists() or table.read_text() != text:
            table.write_text(text)
        _engine.compile_model("a spec", target=config.target)
    assert models_of == 2 * [{"target": "cuda", "kernel_table": str(table)}]


def test_models_in_memory_are_of_a_target(models_of: list[dict[str, Any]]) -> None:
    gpu = estimator.RunConfig(device="gpu", gpu_chips=["sm_90"], host_tables=4096)
    for _ in range(2):
        for config in (estimator.RunConfig(), gpu, gpu.replace(device="auto"), gpu.replace(gpu_chips=["sm_80"])):
            _engine.compile_model("a spec", target=config.target)
    # "auto" and "gpu" have the same code.
    assert models_of == [
        {}, {"target": "cuda", "chips": ["sm_90"], "host_tables": "4096"}, {"target": "cuda", "chips": ["sm_80"], "host_tables": "4096"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"device": "cuda"}, "device must be one of 'cpu', 'auto', 'gpu'; found 'cuda'"),
        ({"gpus": 2}, "gpus is 2, and device 'cpu'; expected 'gpu' or 'auto'"),
        ({"gpu_sums": "ring"}, "gpu_sums must be one of 'copies', 'nccl', 'allreduce'; found 'ring'"),
        ({"device": "gpu", "gpus": 0}, "gpus must be at least 1; found 0"),
        ({"gpu_memory": 1.5}, "gpu_memory must be bytes, as 4294967296 or '4GB'; found 1.5"),
        ({"host_tables": -1}, "host_tables must be bytes, as 4294967296 or '4GB'; found -1"),
        ({"gpu_chips": "sm_80"}, "gpu_chips must be a list of names, as .*; found 'sm_80'"),
        ({"kernel_table": 3}, "kernel_table must be the path of a file, or None; found 3"),
    ],
)
def test_fields_out_of_range(fields: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        estimator.RunConfig(**fields)


def test_scikit_learn_classes_have_the_bits_of_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn, on which mlc.sklearn stands, is not installed")
    from mlc.sklearn import MLCClassifier

    x = np.random.RandomState(0).randn(60, 4)
    y = (x[:, 0] > 0).astype(int)

    def model(device: str) -> Any:
        return MLCClassifier("dnn", (8,), max_iter=3, refit=False, random_state=0, device=device)

    on_gpu = model("gpu").fit(x, y)
    np.testing.assert_array_equal(on_gpu.predict_proba(x), model("cpu").fit(x, y).predict_proba(x))
    pickled = pickle.dumps(on_gpu)
    monkeypatch.setenv("MLC_CUDA_DRIVER", NOWHERE)
    for call in (lambda: model("gpu").fit(x, y), lambda: pickle.loads(pickled).predict(x)):
        with pytest.raises(errors.DeviceError, match=f"no CUDA driver: {NOWHERE}"):
            call()
    with pytest.raises(ValueError, match="device must be one of 'cpu', 'auto', 'gpu'; found 'tpu'"):
        model("tpu").fit(x, y)


def test_exports_run_on_both(on_cpu: estimator.Estimator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = classifier(tmp_path / "m", device="gpu").train(shuffled, steps=12)
    export = model.export_saved_model(tmp_path / "e")
    rows = {key: np.linspace(1, 5, 7, dtype=np.float32) for key in KEYS}
    expected = runtime.load(on_cpu.export_saved_model(tmp_path / "c"))(rows)["probabilities"]
    for device in ("cpu", "auto", "gpu"):
        served = runtime.load(export, device=device)
        assert served.device == ("cpu" if device == "cpu" else "gpu")
        np.testing.assert_array_equal(served(rows)["probabilities"], expected)
    with pytest.raises(errors.SpecError, match="device is 'cuda'"):
        runtime.load(export, device="cuda")
    monkeypatch.setenv("MLC_CUDA_DRIVER", NOWHERE)
    assert runtime.load(export, device="auto").device.startswith(f"cpu: no CUDA driver: {NOWHERE}")
    with pytest.raises(errors.DeviceError, match="no CUDA driver"):
        runtime.load(export, device="gpu")
