"""Writes feature columns as those of a spec, with the names that tf.feature_column gives them."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from mlc._columns import InputColumns
from mlc._text_format import Block, Scalar, Symbol
from mlc.errors import SpecError, UnsupportedError
from mlc.feature_column import _vocabulary_file
from mlc.feature_column._types import (
    BucketizedColumn,
    CrossedColumn,
    EmbeddingColumn,
    FeatureColumn,
    HashedCategoricalColumn,
    IdentityCategoricalColumn,
    IndicatorColumn,
    NumericColumn,
    SequenceNumericColumn,
    SharedEmbeddingColumn,
    Table,
    VocabularyFileCategoricalColumn,
    VocabularyListCategoricalColumn,
    WeightedCategoricalColumn,
    walk,
)
from mlc.feature_column.normalizers import Log1p, MinMax, Normalizer, ZScore


class ColumnWriter:
    """The feature columns of a model, each once, with a name of its own in the spec.

    A column that a body lists has TensorFlow's name, by which its variables are called and by which layers are sorted.
    One that others are made of may have the name of another (numbers and ids of one key): it gets its kind after it.
    """

    def __init__(self, listed: Iterable[FeatureColumn]) -> None:
        listed = tuple(listed)
        self._names: dict[FeatureColumn, str] = {}
        self._taken: set[str] = set()
        for column in listed:
            self._give_name(column)
        for column in listed:
            for source in _with_sources(column):
                self._give_name(source)

    @property
    def names(self) -> frozenset[str]:
        """The names of all columns."""
        return frozenset(self._taken)

    def name(self, column: FeatureColumn) -> str:
        """The name of a column in the spec."""
        return self._names[column]

    def _give_name(self, column: FeatureColumn) -> None:
        if column in self._names:
            return
        name = column.name
        if name in self._taken:
            name += "_" + _kind_word(column)
        while name in self._taken:
            name += "_"
        self._names[column] = name
        self._taken.add(name)

    def blocks(self, inputs: InputColumns) -> Iterator[Block]:
        """The spec's FeatureColumn messages, what columns are made of before them."""
        several = {column.key for column in inputs.columns if column.role == "ids" and column.several}
        written: set[FeatureColumn] = set()
        for listed in tuple(self._names):
            for column in _with_sources(listed):
                if column in written:
                    continue
                written.add(column)
                if isinstance(column, SharedEmbeddingColumn):
                    written.update(_siblings(column))
                yield self._block(column, several)

    def _block(self, column: FeatureColumn, several: set[str]) -> Block:
        kind, message = self._message(column, several)
        if isinstance(column, SharedEmbeddingColumn):
            # One message makes all columns of the table, with names derived of theirs.
            for sibling in _siblings(column):
                if self._names[sibling] != self._derived_name(sibling, several):
                    raise SpecError(
                        f"shared embedding '{sibling.name}' is made of '{sibling.categorical_column.name}', a name "
                        "that another feature column has, too: give one of them another key"
                    )
            return Block(**{kind: message})
        name = self._names[column]
        return Block(name=None if name == self._derived_name(column, several) else name, **{kind: message})

    def _derived_name(self, column: FeatureColumn, several: set[str]) -> str:
        """The name that the spec gives a column of itself, by those of what it is made of."""
        if isinstance(column, CrossedColumn):
            return "_X_".join(sorted(leaf if isinstance(leaf, str) else self._names[leaf] for leaf in column.leaves))
        if isinstance(column, WeightedCategoricalColumn):
            return f"{self._names[column.categorical_column]}_weighted_by_{_weight_name(column, several)}"
        source = column.parents[0]
        if isinstance(source, str):
            return source
        return self._names[source] + column.name.removeprefix(source.name)

    def _message(self, column: FeatureColumn, several: set[str]) -> tuple[str, Block]:
        """The kind of a column, as the field of the spec, and its message."""
        match column:
            case NumericColumn():
                block = Block(key=escaped_name(column.key))
                if column.normalizer_fn is None or isinstance(column.normalizer_fn, Normalizer):
                    return "numeric", _with_normalizer(block, column.normalizer_fn)
                from mlc.feature_column._functions import normalizer_text  # with all ops, which few columns need

                declared = column.shape if math.prod(column.shape) > 1 else (1,)
                return "numeric", block.add("function", normalizer_text(column.key, column.normalizer_fn, column.shape, declared))
            case SequenceNumericColumn():
                block = Block(key=escaped_name(column.key))
                return "sequence_numeric", _with_normalizer(block, column.normalizer_fn)
            case BucketizedColumn():
                # As in tf.feature_column, boundaries cut what the normalizer gives.
                units = Symbol("NORMALIZED") if column.source_column.normalizer_fn is not None else None
                source = escaped_name(self._names[column.source_column])
                return "bucketized", Block(source_column=source, boundaries=column.boundaries, units=units)
            case HashedCategoricalColumn():
                block = Block(key=escaped_name(column.key), hash_bucket_size=column.hash_bucket_size)
                return "categorical_with_hash_bucket", block
            case VocabularyListCategoricalColumn():
                terms = [str(t) if isinstance(t, int) else t for t in column.vocabulary_list]
                block = Block(key=escaped_name(column.key), vocabulary_list=terms)
                return "categorical_with_vocabulary_list", _with_oov(block, column)
            case VocabularyFileCategoricalColumn(file_format=_vocabulary_file.TFRECORD_GZIP):
                # A spec reads texts: it gets the terms.
                terms = [str(t) if isinstance(t, int) else t for t in _vocabulary_file.read_terms(column)]
                block = Block(key=escaped_name(column.key), vocabulary_list=terms)
                return "categorical_with_vocabulary_list", _with_oov(block, column)
            case VocabularyFileCategoricalColumn():
                block = Block(
                    key=escaped_name(column.key),
                    vocabulary_file=file_path(column.vocabulary_file),
                    vocabulary_size=column.vocabulary_size,
                )
                return "categorical_with_vocabulary_file", _with_oov(block, column)
            case IdentityCategoricalColumn():
                block = Block(key=escaped_name(column.key), num_buckets=column.number_buckets)
                return "categorical_with_identity", block.add("default_value", column.default_value)
            case WeightedCategoricalColumn():
                source = escaped_name(self._names[column.categorical_column])
                block = Block(categorical_column=source, weight_feature_key=_weight_name(column, several))
                return "weighted_categorical", block
            case CrossedColumn():
                return "crossed", self._crossed(column)
            case IndicatorColumn():
                return "indicator", Block(categorical_column=escaped_name(self._names[column.categorical_column]))
            case EmbeddingColumn():
                source = escaped_name(self._names[column.categorical_column])
                return "embedding", _with_table(Block(categorical_column=source), column.table)
            case SharedEmbeddingColumn():
                return "shared_embeddings", self._shared(column)
        raise SpecError(f"feature column '{column.name}' is a {type(column).__name__}, which a spec does not have")

    def _shared(self, column: SharedEmbeddingColumn) -> Block:
        names = [self._names[sharer] for sharer in column.sharers]
        block = _with_table(Block(categorical_columns=map(escaped_name, names)), column.table)
        table = column.shared_embedding_collection_name
        derived = "_".join(sorted(names)) + "_shared_embedding"
        return block.add("shared_embedding_collection_name", table if table != derived else None)

    def _crossed(self, column: CrossedColumn) -> Block:
        block = Block()
        for leaf in column.leaves:
            block.add("term", Block(key=leaf) if isinstance(leaf, str) else Block(column=self._names[leaf]))
        key = column.hash_key
        # Fields of a spec are signed; the hash takes the same 64 bits.
        signed = key - 2**64 if key is not None and key >= 2**63 else key
        return block.add("hash_bucket_size", column.hash_bucket_size).add("hash_key", signed)


def _siblings(column: SharedEmbeddingColumn) -> tuple[SharedEmbeddingColumn, ...]:
    """All columns of one table, which one message makes."""
    name = column.shared_embedding_collection_name
    return tuple(SharedEmbeddingColumn(sharer, column.sharers, column.table, name) for sharer in column.sharers)


def _with_sources(column: FeatureColumn) -> Iterator[FeatureColumn]:
    """The column after all that it is made of; of shared embeddings what its siblings are made of, and these, too."""
    for part in walk(column):
        if isinstance(part, SharedEmbeddingColumn):
            for sibling in _siblings(part):
                yield from walk(sibling)
        yield part


def _kind_word(column: FeatureColumn) -> str:
    """ "numeric" of a NumericColumn, "hashed" of a HashedCategoricalColumn."""
    return type(column).__name__.removesuffix("Column").removesuffix("Categorical").lower()


def escaped_name(name: str) -> str:
    """A name where a spec expands ranges such as I[1-13]."""
    return name.replace("[", "[[")


def file_path(text: str) -> str:
    """A path of a file. SpecError: one with "${", which a spec would expand."""
    if "${" in text:
        raise SpecError(f"path '{text}' has '${{', which begins a variable in a spec; rename the file")
    return text


def _weight_name(column: WeightedCategoricalColumn, several: set[str]) -> str:
    """The input column of the weights: of several values per row they belong to the column of these."""
    source = column.categorical_column.parents[0]
    return f"{source}.weight" if isinstance(source, str) and source in several else column.weight_feature_key


def _with_normalizer(block: Block, normalizer: Normalizer | Callable[[Any], Any] | None) -> Block:
    if normalizer is None:
        return block
    if not isinstance(normalizer, (ZScore, MinMax, Log1p)):
        raise UnsupportedError(
            f"normalizer_fn {normalizer!r}: sequences of a spec have zscore(mean, stddev), minmax(min, max) and log1p() of "
            "mlc.feature_column"
        )
    if isinstance(normalizer, ZScore):
        return block.add("z_score", Block(mean=normalizer.mean, stddev=normalizer.stddev))
    if isinstance(normalizer, MinMax):
        return block.add("min_max", Block(min=normalizer.min, max=normalizer.max))
    return block.add("log1p", Block())


def _with_oov(block: Block, column: VocabularyListCategoricalColumn | VocabularyFileCategoricalColumn) -> Block:
    default: Scalar | None = column.default_value if column.default_value != -1 else None
    return block.add("default_value", default).add("num_oov_buckets", column.num_oov_buckets or None)


def _with_table(block: Block, table: Table) -> Block:
    block.add("dimension", table.dimension)
    block.add("combiner", None if table.combiner == "mean" else Symbol(table.combiner.upper()))
    block.add("initializer", None if table.initializer is None else table.initializer.to_block())
    block.add("max_norm", table.max_norm)
    block.add("trainable", None if table.trainable else False)
    block.add("sparse_update", Symbol("LAZY") if table.is_lazy else None)
    block.add("ckpt_to_load_from", None if table.ckpt_to_load_from is None else file_path(table.ckpt_to_load_from))
    return block.add("tensor_name_in_ckpt", table.tensor_name_in_ckpt)
