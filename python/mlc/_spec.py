"""Writes a model as an Estimator spec (docs/spec-reference.md): input, feature columns, body, head, warm start."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mlc._columns import InputColumn, InputColumns
from mlc._feature_spec import ColumnWriter, escaped_name, file_path
from mlc._model import LOSS_REDUCTIONS, BaselineBody, DnnBody, Head, LinearBody, Model, RnnBody, WarmStart
from mlc._text_format import Block, Scalar, Symbol
from mlc.errors import SpecError

if TYPE_CHECKING:
    from mlc.data import FileDataset
    from mlc.data._files import Field


def write_spec(
    model: Model,
    inputs: InputColumns,
    eval_names: Iterable[str] = (),
    run_config: Mapping[str, Scalar] | None = None,
    files: FileDataset | None = None,
) -> str:
    """The text of the spec.

    Args:
      model: what is written.
      inputs: the columns that it reads, as input_columns makes them.
      eval_names: of the eval sets, which a run refers to; an empty name is the unnamed set, which always is there.
      run_config: fields of the spec's RunConfig. They can be set when a run starts, so what is compiled does without.
      files: what the files look like that the spec is for; so are its label and defaults. None: CSV files with a header.

    Raises SpecError for what a spec cannot say.
    """
    columns = ColumnWriter(model.columns)
    labels = {column.name: column.name for column in inputs.labels}
    if files is not None and files.label_name is not None:
        several = files.label_name
        labels = {c.name: several if isinstance(several, str) else several[c.head or ""] for c in inputs.labels}
    compat = None if model.compat == "tf2" else Symbol(model.compat.upper())
    spec = Block(name=model.name, compat=compat, input=_input(inputs, labels, files))
    for block in columns.blocks(inputs):
        spec.add("feature_column", block)
    spec.add("model", _body(model, columns))
    for head, label in zip(model.heads, labels.values(), strict=True):
        spec.add("head", _head(head, label, model.compat))
    if model.warm_start is not None:
        spec.add("train", Block(warm_start=_warm_start(model.warm_start)))
    named = [name for name in eval_names if name]
    for name in ["", *named] if named else []:
        spec.add("eval", Block(name=name or None))
    if run_config:
        spec.add("run_config", Block(**run_config))
    return spec.text()


# Input


def _input(inputs: InputColumns, labels: Mapping[str, str], files: FileDataset | None) -> Block:
    settings = {"csv": {"header": True}} if files is None else files.files.settings
    (kind,) = [name for name in ("csv", "tfrecord") if name in settings]
    block = Block().add(kind, Block(**{name: _setting(name, value) for name, value in settings[kind].items()}))
    for column in inputs.columns if kind == "tfrecord" else ():
        if column.role == "value_weight" and column.several and column.key != column.name:
            raise SpecError(
                f"a spec reads the weights of '{column.name.removesuffix('.weight')}' of tf.Examples from the feature "
                f"'{column.name}'; found '{column.key}'"
            )
    for column in inputs.declared:
        if kind == "csv" and files is not None and column.role == "rows":
            column = _any_column(column, labels, files)
        name = labels[column.name] if column.role == "label" else column.name
        field = None if files is None else files.files.fields.get(name)
        declared = _column(column, name, field)
        if kind == "tfrecord" and column.role == "rows":
            declared.add("default_value", "0")  # no tf.Example has it, and each counts
        block.add("column", declared)
    return block.add("missing", settings.get("missing") or None)


def _any_column(rows: InputColumn, labels: Mapping[str, str], files: FileDataset) -> InputColumn:
    """A column that the files have, as text, which is never wrong or missing: a baseline model counts rows by it."""
    name = next((each for each in files.files.fields if each not in labels.values()), None)
    return rows if name is None else replace(rows, name=name, dtype="STRING")


_CSV_DEFAULTS: Mapping[str, Any] = {
    "field_delim": ",", "use_quote_delim": True, "skip_initial_space": False, "comment": [], "skip_lines": 0,
    "compression": "AUTO", "max_bad_rows": 0,
}  # fmt: skip


def _setting(name: str, value: Any) -> Any:
    """A field of Csv or TfRecord; None: it has its default."""
    if value == _CSV_DEFAULTS.get(name):
        return None
    return Symbol(value) if name == "compression" else value


def _column(column: InputColumn, name: str, field: Field | None) -> Block:
    block = Block(name=escaped_name(name), dtype=Symbol(column.dtype), shape=column.shape or None)
    if column.several:
        separator = field.separator if field is not None and field.separator != "|" else None
        weight_separator = ":" if column.has_weights else None
        block.add(
            "multi_value",
            Block(separator=separator, weight_separator=weight_separator, lengths_column=column.lengths),
        )
    if field is not None:
        block.add("strip", field.strip or None)
    if field is not None and field.default is not None:
        return block.add("default_value", field.default)
    if column.default is not None:
        whole = column.dtype.startswith("INT")
        block.add("default_value", "|".join(str(int(v)) if whole else repr(v) for v in column.default))
    return block.add("on_missing", Symbol("ERROR") if field is not None and field.required else None)


# Model


def _body(model: Model, columns: ColumnWriter) -> Block:
    if model.baseline is not None:
        return Block(baseline=_baseline(model.baseline))
    if model.rnn is not None:
        return Block(rnn=_rnn(model.rnn, columns))
    linear = None if model.linear is None else _linear(model.linear, columns)
    dnn = None if model.dnn is None else _dnn(model.dnn, columns)
    if linear is not None and dnn is not None:
        return Block(dnn_linear_combined=Block(linear=linear, dnn=dnn))
    return Block(linear=linear, dnn=dnn)


def _baseline(body: BaselineBody) -> Block:
    return Block(optimizer=body.optimizer.to_block())


def _linear(body: LinearBody, columns: ColumnWriter) -> Block:
    return Block(
        feature_columns=_listed([columns.name(column) for column in body.columns], columns.names),
        optimizer=body.optimizer.to_block(),
        sparse_combiner=None if body.sparse_combiner == "sum" else Symbol(body.sparse_combiner.upper()),
        regularizer=Block(l2=0.0) if body.l2 else None,
    )


def _dnn(body: DnnBody, columns: ColumnWriter) -> Block:
    return Block(
        feature_columns=_listed([columns.name(column) for column in body.columns], columns.names),
        hidden_units=body.hidden_units,
        activation_fn=None if body.activation_fn == "relu" else Symbol(body.activation_fn.upper()),
        dropout=body.dropout,
        batch_norm=body.batch_norm or None,
        regularizer=Block(l2=0.0) if body.l2 else None,
        optimizer=body.optimizer.to_block(),
    )


def _rnn(body: RnnBody, columns: ColumnWriter) -> Block:
    sequences = [columns.name(column) for column in body.sequence_columns]
    context = [columns.name(column) for column in body.context_columns]
    return Block(
        sequence_feature_columns=_listed(sequences, columns.names),
        context_feature_columns=_listed(context, columns.names) or None,
        units=body.units,
        cell_type=None if body.cell_type == "simple_rnn" else Symbol(body.cell_type.upper()),
        return_sequences=body.return_sequences or None,
        optimizer=body.optimizer.to_block(),
    )


def _listed(names: list[str], all_names: Iterable[str]) -> list[str]:
    """Names of feature columns for a body's list, in which '*' and '?' stand for other characters, too.

    SpecError if such a name would take columns along that are not in the list.
    """
    others = set(all_names).difference(names)
    for name in names:
        if "*" not in name and "?" not in name:
            continue
        pattern = re.escape(name).replace(r"\*", ".*").replace(r"\?", ".")
        taken = next((other for other in sorted(others) if re.fullmatch(pattern, other, re.DOTALL)), None)
        if taken is not None:
            raise SpecError(f"feature column '{name}' has '*' or '?' in its name, which would stand for '{taken}', too")
    return [escaped_name(name) for name in names]


# Head


def _head(head: Head, label: str, compat: str) -> Block:
    block = Block(name=head.name or head.metric_name, label=label, weight_column=head.weight_column)
    block.add("name_in_metrics", True if head.metric_name is not None else None)
    if head.loss_reduction != LOSS_REDUCTIONS[compat]:
        block.add("loss_reduction", Symbol(head.loss_reduction.upper()))
    if head.head_weight != 1:
        block.add("head_weight", head.head_weight)
    kind = Block()
    if head.kind in ("multi_class", "multi_label"):
        kind.add("n_classes", head.n_classes)
    if head.label_dimension > 1:
        kind.add("label_dimension", head.label_dimension)
    if not head.compute_full_loss:
        kind.add("compute_full_loss", False)
    kind.add("label_vocabulary", head.label_vocabulary)
    kind.add("thresholds", head.thresholds or None)
    return block.add(head.kind, kind.add("classes_for_class_based_metrics", head.class_metrics or None))


def _warm_start(start: WarmStart) -> Block:
    block = Block(ckpt_to_initialize_from=file_path(start.checkpoint), vars_to_warm_start=start.variables)
    for remap in start.remaps:
        block.add(
            "vocab_remap",
            Block(
                variable=remap.variable,
                old_vocabulary_file=file_path(remap.old_vocabulary_file),
                old_vocabulary_size=remap.old_vocabulary_size,
                axis=remap.axis or None,
                backup_initializer=None if remap.backup_initializer is None else remap.backup_initializer.to_block(),
            ),
        )
    for variable, previous in start.previous_names:
        block.add("var_name_to_prev_var_name", Block(variable=variable, previous=previous))
    return block
