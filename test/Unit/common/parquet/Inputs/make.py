#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make.py: writes the Parquet files beside it by pyarrow, which tests do not need; types.csv is their text, checked by eye."""

import datetime
import decimal
import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).resolve().parent
REAL = [0.1, -3.0, None, 1e-05, 1e16, -0.0, 123456789.5, 2.5, 0.1, None, float("inf"), 0.0001]
WHOLE = [1, -2, None, 3, 100, 127, -128, 5, 5, None, 0, 7]
TEXTS = ["a", None, "", "b,c", 'say "so"', "two\nlines", "äöü", "a", "prefix-1", "prefix-2", "prefix-22", None]
DAYS = [0, -1, None, 20785, 11016, 11017, -719162, 2932896, 1, 2, 3, None]
SECONDS = [None if day is None else 86400 * max(day, -10000) % 4000000000 - 1000 for day in DAYS]
LISTS = [[1, 2], [], None, [3], [None, 4], [5, 6, 7], [], [8], None, [9, 10], [11], [12, None]]


def stamps(unit: str, scale: int, zone: str | None) -> pa.Array:
    values = [None if s is None else s * scale + (7 * scale // 10 if i % 3 else 0) for i, s in enumerate(SECONDS)]
    return pa.array(values, pa.timestamp(unit, zone))


def table() -> pa.Table:
    unsigned = [None if v is None else v & 0xFF for v in WHOLE]
    columns = {
        "bool": pa.array([None if v is None else v > 2 for v in WHOLE]),
        "i8": pa.array(WHOLE, pa.int8()),
        "u8": pa.array(unsigned, pa.uint8()),
        "i32": pa.array([2**31 - 1, -(2**31), *WHOLE[2:]], pa.int32()),
        "u32": pa.array([2**32 - 1, 0, *unsigned[2:]], pa.uint32()),
        "i64": pa.array([2**63 - 1, -(2**63), *WHOLE[2:]], pa.int64()),
        "u64": pa.array([2**64 - 1, 0, *unsigned[2:]], pa.uint64()),
        "f32": pa.array(REAL, pa.float32()),
        "f64": pa.array(REAL, pa.float64()),
        "full": pa.array(range(12), pa.int64()),
        "text": pa.array(TEXTS),
        "fixed": pa.array([None if v is None else struct.pack("3s", v.encode("ascii", "replace")[:3].ljust(3, b"_")) for v in TEXTS], pa.binary(3)),
        "date": pa.array(DAYS, pa.date32()),
        "time": pa.array([None if v is None else v % 86400 * 1000 + 5 for v in SECONDS], pa.time32("ms")),
        "ms": stamps("ms", 10**3, None),
        "us": stamps("us", 10**6, "UTC"),
        "ns": stamps("ns", 10**9, None),
        "d9": pa.array([None if v is None else decimal.Decimal(v).scaleb(-2) for v in WHOLE], pa.decimal128(9, 2)),
        "d38": pa.array([None if v is None else decimal.Decimal(v) * 10**30 + decimal.Decimal("0.001") for v in WHOLE], pa.decimal128(38, 3)),
        "list": pa.array(LISTS, pa.list_(pa.int32())),
        "words": pa.array([None if v is None else [None if w is None else f"w{w}" for w in v] for v in LISTS], pa.list_(pa.string())),
    }
    fields = [pa.field(name, column.type, nullable=name != "full") for name, column in columns.items()]
    return pa.table(list(columns.values()), schema=pa.schema(fields))


DELTA = {**dict.fromkeys(["i8", "u8", "i32", "u32", "i64", "u64", "full", "date", "ms", "us", "ns"], "DELTA_BINARY_PACKED"),
         "text": "DELTA_BYTE_ARRAY", "fixed": "DELTA_BYTE_ARRAY", "words.list.element": "DELTA_LENGTH_BYTE_ARRAY", "bool": "RLE"}
SPLIT = {**dict.fromkeys(["i8", "u32", "i64", "f32", "f64", "fixed", "d38", "date"], "BYTE_STREAM_SPLIT"), "text": "DELTA_LENGTH_BYTE_ARRAY"}

common = {"write_statistics": False, "store_schema": False, "write_page_checksum": True}
pq.write_table(table(), HERE / "plain.parquet", compression="NONE", use_dictionary=False, **common)
pq.write_table(table(), HERE / "dictionary-snappy.parquet", compression="SNAPPY", **common)
pq.write_table(table(), HERE / "groups-v2-zstd.parquet", compression="ZSTD", data_page_version="2.0", row_group_size=5, data_page_size=8, write_batch_size=2, **common)
pq.write_table(table(), HERE / "delta-gzip.parquet", compression="GZIP", use_dictionary=False, column_encoding=DELTA, **common)
pq.write_table(table(), HERE / "split-v2.parquet", compression="NONE", use_dictionary=False, column_encoding=SPLIT, data_page_version="2.0", use_compliant_nested_type=False, **common)

small = {"write_statistics": False, "store_schema": False}
one = pa.table({"x": pa.array([1.5, 2.5], pa.float64())})
pq.write_table(one, HERE / "brotli.parquet", compression="BROTLI", **small)
pq.write_table(pa.table({"when": pa.array([0, 1], pa.timestamp("ns")), "x": [1, 2]}), HERE / "int96.parquet", use_deprecated_int96_timestamps=True, **small)
nested = {"s": pa.array([{"a": 1, "b": 2}]), "m": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32())), "ll": pa.array([[[1]]]), "half": pa.array([1.5], pa.float16()),
          "x": pa.array([7], pa.int64()), "y": pa.array(["a|b"]), "yy": pa.array([["a|b"]]), "nul": pa.array(["a\0b"])}
pq.write_table(pa.table(nested), HERE / "nested.parquet", **small)
pq.write_table(pa.table({"x": pa.array([], pa.int64())}), HERE / "empty.parquet", **small)
