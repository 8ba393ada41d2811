"""Feature columns as immutable descriptions: what they are made of, and the names that tf.feature_column derives."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mlc.feature_column.normalizers import Normalizer

if TYPE_CHECKING:
    from mlc.initializers import Initializer


class FeatureColumn(ABC):
    """One column that a model sees. Columns are equal if their descriptions are; they can be keys of dicts."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name that tf.feature_column derives: "age", "age_bucketized", "a_X_b"."""

    @property
    @abstractmethod
    def parents(self) -> tuple[FeatureColumn | str, ...]:
        """What the column is made of: keys of the features, and other columns."""

    @property
    def is_sequence(self) -> bool:
        """Whether each value of a row is a step of its own, for an RNN Estimator or sequence_input_layer."""
        return any(isinstance(parent, FeatureColumn) and parent.is_sequence for parent in self.parents)


class DenseColumn(FeatureColumn):
    """A column of numbers, as many for each row: what a DNN takes."""

    @property
    @abstractmethod
    def variable_shape(self) -> tuple[int, ...]:
        """The shape of a row's numbers, which a layer flattens."""


class CategoricalColumn(FeatureColumn):
    """A column of ids below num_buckets: what a linear model takes, and embeddings and indicators are made of."""

    @property
    @abstractmethod
    def num_buckets(self) -> int:
        """How many ids there are."""


def walk(column: FeatureColumn) -> Iterator[FeatureColumn]:
    """The column and all that it is made of, parents before their children; one that is used twice comes twice."""
    for parent in column.parents:
        if isinstance(parent, FeatureColumn):
            yield from walk(parent)
    yield column


@dataclass(frozen=True)
class NumericColumn(DenseColumn):
    """Numbers under a key, `shape` of them per row."""

    key: str
    shape: tuple[int, ...]
    default_value: Any
    """One number for each element of the shape, in tuples that are nested as it is; stands for missing numbers."""
    dtype: str
    normalizer_fn: Normalizer | Callable[[Any], Any] | None

    @property
    def name(self) -> str:
        return self.key

    @property
    def parents(self) -> tuple[str]:
        return (self.key,)

    @property
    def variable_shape(self) -> tuple[int, ...]:
        return self.shape


@dataclass(frozen=True)
class BucketizedColumn(DenseColumn, CategoricalColumn):
    """The intervals in which numbers lie: boundaries [b0, b1) make the ids 0 (below b0), 1 and 2 (from b1 on)."""

    source_column: NumericColumn
    boundaries: tuple[float, ...]

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def parents(self) -> tuple[NumericColumn]:
        return (self.source_column,)

    @property
    def num_buckets(self) -> int:
        elements = 1
        for dimension in self.source_column.shape:
            elements *= dimension
        return (len(self.boundaries) + 1) * elements

    @property
    def variable_shape(self) -> tuple[int, ...]:
        return (*self.source_column.shape, len(self.boundaries) + 1)


@dataclass(frozen=True)
class SequenceNumericColumn(FeatureColumn):
    """Numbers under a key, `shape` of them for each step of a row."""

    key: str
    shape: tuple[int, ...]
    default_value: float
    """Stands after the steps of a row that is shorter than others."""
    dtype: str
    normalizer_fn: Normalizer | Callable[[Any], Any] | None

    @property
    def name(self) -> str:
        return self.key

    @property
    def parents(self) -> tuple[str]:
        return (self.key,)

    @property
    def is_sequence(self) -> bool:
        return True


class KeyedCategoricalColumn(CategoricalColumn):
    """Ids made of the values under a key: texts, or integers, as `dtype` ("string" or an integer dtype) says."""

    key: str
    dtype: str
    steps: bool
    """Each value of a row is a step of its own."""

    @property
    def is_sequence(self) -> bool:
        return self.steps

    @property
    def name(self) -> str:
        return self.key

    @property
    def parents(self) -> tuple[str]:
        return (self.key,)


@dataclass(frozen=True)
class HashedCategoricalColumn(KeyedCategoricalColumn):
    """Ids by hash: Fingerprint64 of the text, of an integer in decimal, modulo the number of buckets."""

    key: str
    hash_bucket_size: int
    dtype: str
    steps: bool = False

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size


@dataclass(frozen=True)
class VocabularyListCategoricalColumn(KeyedCategoricalColumn):
    """Ids by the place in a list; num_oov_buckets ids after it for other values, by hash, or else default_value."""

    key: str
    vocabulary_list: tuple[str | bytes | int, ...]
    dtype: str
    default_value: int
    num_oov_buckets: int
    steps: bool = False

    @property
    def num_buckets(self) -> int:
        return len(self.vocabulary_list) + self.num_oov_buckets


@dataclass(frozen=True)
class VocabularyFileCategoricalColumn(KeyedCategoricalColumn):
    """Ids by the place of a term in a file, of which the first vocabulary_size terms count."""

    key: str
    vocabulary_file: str
    """An absolute path."""
    vocabulary_size: int
    dtype: str
    default_value: int
    num_oov_buckets: int
    file_format: str
    """"text", or "tfrecord_gzip"."""
    steps: bool = False

    @property
    def num_buckets(self) -> int:
        return self.vocabulary_size + self.num_oov_buckets


@dataclass(frozen=True)
class IdentityCategoricalColumn(KeyedCategoricalColumn):
    """Integers that are ids. One outside of [0, number_buckets) is default_value, or an error if that is None."""

    key: str
    number_buckets: int
    default_value: int | None
    dtype: str = "int64"
    steps: bool = False

    @property
    def num_buckets(self) -> int:
        return self.number_buckets


@dataclass(frozen=True)
class WeightedCategoricalColumn(CategoricalColumn):
    """Ids with a weight each, which stand under a key of their own."""

    categorical_column: CategoricalColumn
    weight_feature_key: str
    dtype: str

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parents(self) -> tuple[CategoricalColumn, str]:
        return (self.categorical_column, self.weight_feature_key)

    @property
    def num_buckets(self) -> int:
        return self.categorical_column.num_buckets


@dataclass(frozen=True)
class CrossedColumn(CategoricalColumn):
    """Combinations of values, by hash. A cross within `keys` stands for its own keys."""

    keys: tuple[CategoricalColumn | str, ...]
    hash_bucket_size: int
    hash_key: int | None

    @property
    def leaves(self) -> tuple[CategoricalColumn | str, ...]:
        """The keys, in their order, with those of crosses within them."""
        found: list[CategoricalColumn | str] = []
        for key in self.keys:
            found.extend(key.leaves if isinstance(key, CrossedColumn) else [key])
        return tuple(found)

    @property
    def name(self) -> str:
        return "_X_".join(sorted(key if isinstance(key, str) else key.name for key in self.leaves))

    @property
    def parents(self) -> tuple[CategoricalColumn | str, ...]:
        return self.leaves

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size


@dataclass(frozen=True)
class IndicatorColumn(DenseColumn):
    """How often each id occurs in a row; of weighted ids the sums of the weights."""

    categorical_column: CategoricalColumn

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_indicator"

    @property
    def parents(self) -> tuple[CategoricalColumn]:
        return (self.categorical_column,)

    @property
    def variable_shape(self) -> tuple[int, ...]:
        return (1, self.categorical_column.num_buckets)


@dataclass(frozen=True)
class Table:
    """Trained rows of numbers, one for each id: what embeddings look up."""

    dimension: int
    combiner: str
    initializer: Initializer | None
    """None: a truncated normal distribution of deviation 1 / sqrt(dimension)."""
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    is_lazy: bool = False
    """A step changes the rows of its batch alone, whatever the optimizer does to rows without a gradient."""


class TableColumn(DenseColumn):
    """A column that looks rows up; what its table is made of, under TensorFlow's names."""

    categorical_column: CategoricalColumn
    table: Table

    @property
    def parents(self) -> tuple[CategoricalColumn]:
        return (self.categorical_column,)

    @property
    def variable_shape(self) -> tuple[int, ...]:
        return (self.dimension,)

    @property
    def dimension(self) -> int:
        """Numbers per row."""
        return self.table.dimension

    @property
    def combiner(self) -> str:
        """How the rows of several ids become one."""
        return self.table.combiner

    @property
    def initializer(self) -> Initializer | None:
        """Where the rows begin; None: the default."""
        return self.table.initializer

    @property
    def ckpt_to_load_from(self) -> str | None:
        """The checkpoint where they begin."""
        return self.table.ckpt_to_load_from

    @property
    def tensor_name_in_ckpt(self) -> str | None:
        """The name of the table there."""
        return self.table.tensor_name_in_ckpt

    @property
    def max_norm(self) -> float | None:
        """The length to which longer rows are cut."""
        return self.table.max_norm

    @property
    def trainable(self) -> bool:
        """Whether training changes the rows."""
        return self.table.trainable


@dataclass(frozen=True)
class EmbeddingColumn(TableColumn):
    """The rows of a table for the ids of a row of the data, combined."""

    categorical_column: CategoricalColumn
    table: Table

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_embedding"


@dataclass(frozen=True)
class SharedEmbeddingColumn(TableColumn):
    """An embedding whose table other columns look up, too."""

    categorical_column: CategoricalColumn
    sharers: tuple[CategoricalColumn, ...]
    """All columns that look the table up, in the order in which they were given."""
    table: Table
    shared_embedding_collection_name: str

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_shared_embedding"
