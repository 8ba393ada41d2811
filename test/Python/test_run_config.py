"""RunConfig with TF_CONFIG, TrainSpec, EvalSpec, exporters, warm start."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

from mlc.errors import UnsupportedError
from mlc.estimator import (
    BestExporter,
    EvalSpec,
    FinalExporter,
    LatestExporter,
    ModeKeys,
    RunConfig,
    TrainSpec,
    VocabInfo,
    WarmStartSettings,
)
from mlc.estimator.specs import warm_start


def no_input() -> None:
    """An input_fn that nothing calls."""


def test_defaults_are_those_of_tf() -> None:
    config = RunConfig()
    assert (config.model_dir, config.tf_random_seed, config.save_summary_steps) == (None, None, 100)
    assert (config.save_checkpoints_steps, config.save_checkpoints_secs) == (None, 600)
    assert (config.keep_checkpoint_max, config.keep_checkpoint_every_n_hours) == (5, 10000)
    assert (config.log_step_count_steps, config.session_creation_timeout_secs) == (100, 7200)
    assert (config.task_type, config.task_id, config.is_chief, config.master) == ("worker", 0, True, "")
    assert (config.num_ps_replicas, config.num_worker_replicas, config.global_id_in_cluster) == (0, 1, 0)


def test_steps_and_seconds() -> None:
    assert RunConfig(save_checkpoints_steps=9).save_checkpoints_secs is None
    assert RunConfig(save_checkpoints_secs=9).save_checkpoints_steps is None
    both_none = RunConfig(save_checkpoints_steps=None, save_checkpoints_secs=None)
    assert both_none.run_settings()["save_checkpoints_steps"] == 2**62
    with pytest.raises(ValueError, match="cannot be both set"):
        RunConfig(save_checkpoints_steps=1, save_checkpoints_secs=1)


def test_replace() -> None:
    config = RunConfig(model_dir="m", save_checkpoints_steps=9)
    assert config.replace(save_checkpoints_secs=5).save_checkpoints_steps is None
    assert config.replace(tf_random_seed=1).save_checkpoints_steps == 9
    assert config.replace(model_dir="n").model_dir == "n"
    assert config.model_dir == "m"
    with pytest.raises(ValueError, match="cannot be both set"):
        config.replace(save_checkpoints_steps=1, save_checkpoints_secs=1)
    with pytest.raises(ValueError, match="Replacing nope is not supported"):
        config.replace(nope=1)


def test_copies_are_equal() -> None:
    config = RunConfig(model_dir="m", keep_checkpoint_max=None)
    assert copy.deepcopy(config) == config == pickle.loads(pickle.dumps(config))
    assert config.run_settings()["keep_checkpoint_max"] == 0


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"model_dir": ""}, ValueError),
        ({"save_summary_steps": -1}, ValueError),
        ({"save_checkpoints_steps": 0}, ValueError),
        ({"keep_checkpoint_max": -1}, ValueError),
        ({"keep_checkpoint_every_n_hours": 0}, ValueError),
        ({"log_step_count_steps": 0}, ValueError),
        ({"tf_random_seed": 1.5}, ValueError),
        ({"tf_random_seed": -1}, ValueError),
        ({"checkpoint_save_graph_def": 1}, ValueError),
        ({"session_config": object()}, UnsupportedError),
        ({"train_distribute": object()}, UnsupportedError),
        ({"eval_distribute": object()}, UnsupportedError),
        ({"experimental_distribute": object()}, UnsupportedError),
        ({"device_fn": len}, UnsupportedError),
        ({"protocol": "grpc"}, UnsupportedError),
        ({"experimental_max_worker_delay_secs": 5}, UnsupportedError),
        ({"session_creation_timeout_secs": 5}, UnsupportedError),
    ],
)
def test_refused_fields_are_named(fields: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(fields))):
        RunConfig(**fields)


def use_tf_config(monkeypatch: pytest.MonkeyPatch, **config: Any) -> None:
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))


CLUSTER = {"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"]}


@pytest.mark.parametrize(
    ("kind", "index", "number", "chief"), [("chief", 0, 0, True), ("worker", 1, 2, False), ("ps", 0, 3, False)]
)
def test_a_cluster(monkeypatch: pytest.MonkeyPatch, kind: str, index: int, number: int, chief: bool) -> None:
    use_tf_config(monkeypatch, cluster=CLUSTER, task={"type": kind, "index": index}, model_dir="m")
    config = RunConfig()
    assert (config.task_type, config.task_id, config.is_chief) == (kind, index, chief)
    assert config.global_id_in_cluster == number
    assert (config.num_ps_replicas, config.num_worker_replicas) == (1, 3)
    assert config.master == "grpc://" + CLUSTER[kind][index]
    assert config.model_dir == "m"
    assert config.task.is_distributed
    with pytest.raises(ValueError, match="must have the same value as the model_dir in TF_CONFIG"):
        RunConfig(model_dir="other")


def test_an_evaluator(monkeypatch: pytest.MonkeyPatch) -> None:
    use_tf_config(monkeypatch, cluster=CLUSTER, task={"type": "evaluator", "index": 0})
    config = RunConfig()
    assert (config.task_type, config.num_worker_replicas, config.is_chief) == ("evaluator", 0, False)
    assert config.cluster_spec == {}


def test_a_single_node_has_no_master(monkeypatch: pytest.MonkeyPatch) -> None:
    use_tf_config(monkeypatch, cluster={"chief": ["a:1"]}, task={"type": "chief", "index": 0})
    assert RunConfig().master == ""
    assert not RunConfig().task.is_distributed


@pytest.mark.parametrize(
    "config",
    [
        {"task": {"type": "ps"}},
        {"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}},
        {"cluster": CLUSTER},
        {"cluster": CLUSTER, "task": {"type": "worker", "index": 7}},
        {"cluster": CLUSTER, "task": {"type": "owl", "index": 0}},
        {"cluster": {**CLUSTER, "evaluator": ["e:1"]}, "task": {"type": "chief", "index": 0}},
        {"model_dir": ""},
    ],
)
def test_broken_rules_of_tf_config(monkeypatch: pytest.MonkeyPatch, config: dict[str, Any]) -> None:
    use_tf_config(monkeypatch, **config)
    with pytest.raises(ValueError, match=r"."):
        RunConfig()


HOST = {"chief": ["a:1"], "worker": ["b:1"]}
CHIEF = {"type": "chief", "index": 0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("junk", "TF_CONFIG is no JSON: .*; found 'junk'"),
        ('{"cluster": {', "TF_CONFIG is no JSON"),
        ("[]", r"TF_CONFIG: found \[\]; expected an object"),
        ("3", "TF_CONFIG: found 3; expected an object"),
        ({"cluster": "a:1", "task": CHIEF}, "cluster in TF_CONFIG: found \"a:1\"; expected an object"),
        ({"cluster": {**HOST, "ps": "c:1"}, "task": CHIEF}, "cluster.ps in TF_CONFIG: found \"c:1\"; expected a list of addresses"),
        ({"cluster": {**HOST, "ps": [1]}, "task": CHIEF}, "cluster.ps in TF_CONFIG: found 1; expected an address"),
        ({"cluster": {**HOST, "ps": {"x": "c:1"}}, "task": CHIEF}, "cluster.ps in TF_CONFIG"),
        ({"cluster": HOST, "task": "chief"}, "task in TF_CONFIG: found \"chief\"; expected an object"),
        ({"cluster": HOST, "task": {"type": 3, "index": 0}}, "task.type in TF_CONFIG: found 3; expected a text"),
        ({"cluster": HOST, "task": {"type": "chief", "index": "x"}}, "task.index in TF_CONFIG: found \"x\"; expected an integer"),
        ({"cluster": HOST, "task": {"type": "worker", "index": 0.7}}, "task.index in TF_CONFIG: found 0.7; expected an integer"),
        ({"cluster": HOST, "task": {"type": "worker", "index": -1}}, "-1 is not a valid task_id"),
        ({"model_dir": 3}, "model_dir in TF_CONFIG: found 3; expected a text"),
    ],
)
def test_what_is_no_tf_config_is_named(monkeypatch: pytest.MonkeyPatch, text: Any, message: str) -> None:
    monkeypatch.setenv("TF_CONFIG", text if isinstance(text, str) else json.dumps(text))
    with pytest.raises(ValueError, match=message):
        RunConfig()


def test_what_schedulers_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """An index as a text, and addresses of some tasks alone, as the trainer reads them."""
    cluster = {"chief": ["a:1"], "worker": {"5": "c:1", "3": "b:1"}}
    use_tf_config(monkeypatch, cluster=cluster, task={"type": "worker", "index": "5"})
    config = RunConfig()
    assert (config.task_id, config.master, config.num_worker_replicas, config.global_id_in_cluster) == (5, "grpc://c:1", 3, 2)
    use_tf_config(monkeypatch, cluster=cluster, task={"type": "worker", "index": 0})
    with pytest.raises(ValueError, match="0 is not a valid task_id"):
        RunConfig()


def test_specs() -> None:
    assert (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT) == ("train", "eval", "infer")
    assert TrainSpec(no_input).max_steps is None
    spec = EvalSpec(no_input)
    assert (spec.steps, spec.name, spec.start_delay_secs, spec.throttle_secs) == (100, None, 120, 600)
    assert EvalSpec(no_input, exporters=FinalExporter("f")).exporter_list[0].name == "f"


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: TrainSpec(3), TypeError, "`input_fn` must be callable"),
        (lambda: TrainSpec(no_input, max_steps=0), ValueError, "Must specify max_steps > 0, given: 0"),
        (lambda: EvalSpec(no_input, steps=-1), ValueError, "Must specify steps > 0"),
        (lambda: EvalSpec(no_input, name=3), TypeError, "`name` must be string"),
        (lambda: EvalSpec(no_input, throttle_secs=-1), ValueError, "throttle_secs >= 0"),
        (lambda: EvalSpec(no_input, exporters=len), TypeError, "must be an Exporter, an iterable of Exporter, or None"),
        (lambda: EvalSpec(no_input, exporters=[FinalExporter("f"), LatestExporter("f")]), ValueError, "twice: f"),
        (lambda: EvalSpec(no_input, exporters=["f"]), TypeError, "exporters of mlc.estimator"),
        (lambda: FinalExporter(""), ValueError, "expected a letter"),
        (lambda: LatestExporter("x", exports_to_keep=0), ValueError, "must be a positive number"),
        (lambda: LatestExporter("x", len), UnsupportedError, "serving_input_receiver_fn"),
        (lambda: BestExporter(compare_fn=7), ValueError, "compare_fn must be a function of best_eval_result and"),
        (lambda: BestExporter(compare_fn=lambda best, new: True), ValueError, "must include best_eval_result argument"),
        (
            lambda: BestExporter(compare_fn=lambda best_eval_result, current_eval_result, x: True), ValueError,
            r"following not expected args: \['x'\]",
        ),
        (
            lambda: BestExporter(compare_fn=lambda best_eval_result, current_eval_result: True, metric="auc"), ValueError,
            "compare_fn and metric both",
        ),
    ],
)
def test_what_specs_refuse(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()


def test_exporters_are_settings() -> None:
    best = BestExporter("b", metric="auc", larger_is_better=True, exports_to_keep=None)
    assert best.settings() == {
        "name": "b", "kind": "BEST", "metric": "auc", "better": "LARGER", "exports_to_keep": "0"
    }  # fmt: skip
    assert LatestExporter("l").settings() == {"name": "l", "kind": "LATEST", "exports_to_keep": "5"}
    assert FinalExporter("f").settings() == {"name": "f", "kind": "FINAL"}


def test_warm_start() -> None:
    start = warm_start("/m")
    assert start is not None
    assert (start.checkpoint, start.variables, start.remaps) == ("/m", None, ())
    info = VocabInfo("new.txt", 9, 0, "/old.txt", old_vocab_size=5, axis=1)
    start = warm_start(WarmStartSettings("/m", ["dnn/.*"], {"dnn/logits/kernel": info}))
    assert start is not None
    assert start.variables == ("dnn/.*",)
    remap = start.remaps[0]
    assert (remap.variable, remap.old_vocabulary_file, remap.old_vocabulary_size, remap.axis) == (
        "dnn/logits/kernel", "/old.txt", 5, 1
    )  # fmt: skip
    only_infos = warm_start(WarmStartSettings("/m", None, {"a/b": info}))
    assert only_infos is not None
    assert only_infos.variables == ("a/b$",)
    assert warm_start(WarmStartSettings("/m", None)) is None
    assert warm_start(None) is None
    renamed = warm_start(WarmStartSettings("/m", var_name_to_prev_var_name={"a": "b"}))
    assert renamed is not None
    assert renamed.previous_names == (("a", "b"),)
    with pytest.raises(ValueError, match="'zero' is not known; expected one of mlc.initializers: Zeros"):
        VocabInfo(None, None, 0, "/old.txt", backup_initializer="zero")
    with pytest.raises(ValueError, match="MUST be set"):
        WarmStartSettings("")
