#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""seeds.py DIRECTORY: the first inputs of each fuzzer, DIRECTORY/NAME/*, and the words it is told of, DIRECTORY/NAME.dict."""

import json
import re
import struct
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def spec_seeds() -> list:
    """The examples' specs, in pieces too: a fuzzer likes them small."""
    texts = [path.read_bytes() for path in sorted(ROOT.glob("examples/*/*.pbtxt"))]
    return texts + [b'name: "a" input { csv {} column { name: "x" dtype: FLOAT32 } column { name: "y" dtype: INT64 } }\n'
                    b'feature_column { numeric { key: "x" } }\nmodel { linear { feature_columns: "*" } }\n'
                    b'head { label: "y" binary_class {} }\ntrain { files: "f" max_steps: 1 }\n']


def df_seeds() -> list:
    """The modules of tests of the dialect, one by one."""
    texts = [path.read_text() for folder in ("Dialect/Df", "Interpret") for path in sorted(ROOT.glob(f"test/{folder}/*.mlir"))]
    pieces = [piece for text in texts for piece in text.split("// -----")]
    return [re.sub(r"//.*", "", piece).strip().encode() for piece in pieces if len(piece) < 4000]


def csv_seeds() -> list:
    """Rows of all kinds of columns; the first byte is the form."""
    rows = b'1,x,3,p:0.5|q,1|2\n,"a ""b""",?,,3|4\n# note\n2.5e3,\'y\', 7,a|b|c|d,?|1\n'
    header = b"a,b,c,d,e\n" + rows
    packed = zlib.compressobj(wbits=31)
    gzip = packed.compress(header) + packed.flush()
    record = b"\x0a\x0b\x0a\x09\x0a\x01a\x12\x04\x12\x02\x0a\x00"
    framed = struct.pack("<Q", len(record)) + b"\0\0\0\0" + record + b"\0\0\0\0"
    return [b"\0" + header, b"\2" + rows, b"\6" + rows.replace(b",", b"\t"), b"\x60" + header, b"\x88" + header,
            b"\0" + gzip, b"\1" + framed, b"\0\xef\xbb\xbf" + header.replace(b"\n", b"\r\n")]


def parquet_seeds() -> list:
    """Files of all types, and pages of a column; the first byte is the kind."""
    files = [path.read_bytes() for path in sorted((ROOT / "test/Unit/common/parquet/Inputs").glob("*.parquet"))]

    def zigzag(value):
        value, out = value << 1 ^ value >> 63, b""
        while value >= 0x80:
            value, out = value >> 7, out + bytes([value & 0x7F | 0x80])
        return out + bytes([value])

    def page(body, values, encoding):
        size = zigzag(len(body))
        return b"\x15\x00\x15" + size + b"\x15" + size + b"\x2c\x15" + zigzag(values) + b"\x15" + zigzag(encoding) + b"\x15\x06\x15\x06\0\0" + body
    levels = b"\2\0\0\0\x0a\1"  # five values that are there
    delta = b"\x80\1\4\5\2\2\0\0\0\0"
    return [b"\0" + file for file in files if len(file) < 4096] + [
        b"\x03\4" + page(struct.pack("<5i", *range(5)), 5, 0), b"\x13\4" + page(levels + delta, 5, 5),
        b"\x1d\4" + page(levels + delta + b"abcde", 5, 6), b"\x2b\4" + page(levels + levels + bytes(20), 5, 9)]


def crc32c(data: bytes) -> int:
    """CRC-32C, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 & -(crc & 1))
    return crc ^ 0xFFFFFFFF


def checkpoint_seeds() -> list:
    """A manifest of one variable, and its file."""
    tensors = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode().ljust(120)
    file = struct.pack("<Q", len(tensors)) + tensors + struct.pack("<2f", 1, 2)
    manifest = json.dumps({
        "format": 1, "model": "m", "state_fingerprint": "00", "step": 1, "seed": 0, "virtual_shards": 1,
        "reader": {"epoch": 0, "position": 0, "files": []}, "wall_time": 0, "keep": False, "keep_since": 0,
        "files": [{"path": "tensors.safetensors", "size": len(file), "crc32c": f"{crc32c(file):08x}"}],
        "variables": [{"name": "w", "dtype": "f32", "shape": [2], "file": 0, "offset": 128, "bytes": 8,
                       "crc32c": f"{crc32c(struct.pack('<2f', 1, 2)):08x}"}],
        "settings": {}}).encode()[:-1] + b",\n"
    return [struct.pack("<H", len(manifest)) + manifest + file]


def tensorflow_seeds() -> list:
    """A block of Snappy's, the checkpoints of test/Recorded as they are, and entries of a table in slices."""
    recorded = ROOT / "test/Recorded/Inputs/checkpoints"
    files = [(index.read_bytes(), index.with_suffix(".data-00000-of-00001")) for index in sorted(recorded.glob("*/*.index"))]
    whole = [b"\1" + struct.pack("<H", len(index)) + index + data.read_bytes() for index, data in files if data.exists()]

    def masked(data):
        crc = crc32c(data)
        return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)
    shape = b"\x12\x08\x12\x02\x08%c\x12\x02\x08\x01"  # of two dimensions, the second of 1
    rows = [struct.pack("<f", 1), struct.pack("<2f", 2, 3)]
    entries = {b"": b"\x08\x01\x1a\x02\x08\x01",
               b"\0t\0\1\1\2\x80\x81\x80\x7f": b"\x08\x01" + shape % 1 + b"\x28\x04\x35" + masked(rows[0]),
               b"\0t\0\1\1\2\x81\x82\x80\x7f": b"\x08\x01" + shape % 2 + b"\x20\x04\x28\x08\x35" + masked(rows[1]),
               b"t": b"\x08\x01" + shape % 3 + b"\x3a\x06\x0a\x02\x10\x01\x0a\x00" + b"\x3a\x08\x0a\x04\x08\x01\x10\x02\x0a\x00"}
    listed = b"".join(bytes([len(key), len(value)]) + key + value for key, value in entries.items())
    return [b"\0\x0d\x04ab\x1d\x02", b"\2" + listed + b"\0\1" + b"".join(rows), *whole]


def cluster_seeds() -> list:
    """A call of each method with a good session, and TF_CONFIG."""
    def call(method, control=b"", payload=b"", backup=0):
        return bytes([0x18 | method]) + struct.pack("<H", backup | len(control)) + control + payload
    step = b"\x20\x04" + b"\x2a\x02\x08\x02" + b"\x32\x01\x05"  # last_shard 4, a node of level 2, one symbol of 5
    config = {"cluster": {"chief": ["h:1"], "worker": {"1": "h:2"}, "ps": ["h:3"], "evaluator": ["h:4"]}, "task": {"type": "ps", "index": 0}}
    return [call(0), call(1, b"\x12\x02\x10\x04"), call(2, b"\x10\x00"), call(3, b"\x10\x01"), call(4, step, bytes(400)),
            call(5, b"\x12\x01x"), call(6), call(4, step, bytes(400), backup=0x8000),
            call(4, step + b"\x38\x01", bytes(400), backup=0x8000), call(1, b"\x10\x00", backup=0xc000),
            call(0x84, b"\x10\x00\x18\x00\x22\x01\x05", bytes(400)),  # a ticket at a version, one symbol of 5
            call(0x80, b"\x10\x00\x1a\x02\x00\x01", backup=0xc000), call(0x84, step, bytes(400), backup=0x8000),
            b"   " + json.dumps(config).encode()]


def socket_seeds() -> list:
    """Calls to a listener, and answers to who has called, as frames."""
    def frame(kind, call, body=b""):
        return bytes([kind, call, len(body), 0]) + body

    def begin(method, payload, flags=0):
        return struct.pack("<QII", payload, flags, len(method)) + method + b"c"
    echo = frame(1, 1, begin(b"echo", 5)) + frame(4, 1, b"abcde") + frame(5, 1)
    growing = frame(1, 1, begin(b"placed", 30, 1)) + frame(4, 1, bytes(20)) + frame(5, 1)
    answers = (frame(2, 1, struct.pack("<QQ", 3, 7) + b"c") + frame(4, 1, b"abc") + frame(5, 1) + frame(3, 2, struct.pack("<I", 5) + b"no") +
               frame(2, 3, struct.pack("<QQ", 20, 7)) + frame(4, 3, bytes(20)) + frame(5, 3))
    unread = frame(1, 1, begin(b"echo", 0)), frame(1, 1, begin(b"nothing", 0))
    return [*(b"\x1e" + each for each in unread), b"\x02" + echo, b"\x02" + growing, b"\x02" + echo + frame(6, 1), b"\x03" + answers, b"\x00GET /"]


def main() -> None:
    out = Path(sys.argv[1])
    for name, seeds in (("mlc_df", df_seeds()), ("mlc_spec", spec_seeds()), ("mlc_parquet", parquet_seeds()), ("mlcrt_csv", csv_seeds()),
                        ("mlcrt_checkpoint", checkpoint_seeds()), ("mlcrt_tensorflow", tensorflow_seeds()), ("mlcrt_cluster", cluster_seeds()),
                        ("mlcrt_socket", socket_seeds())):
        (out / name).mkdir(parents=True, exist_ok=True)
        words = sorted({word for seed in seeds for word in re.findall(rb"[A-Za-z_][A-Za-z0-9_]+", seed)})
        if name == "mlc_spec":
            directory = ROOT / "lib/Frontend/EstimatorSpec"
            schema = b"".join(file.read_bytes() for file in sorted(directory.glob("estimator*.proto")))
            words = sorted(set(re.findall(rb"[A-Za-z_][A-Za-z0-9_]+", re.sub(rb"//.*", b"", schema))))
        (out / f"{name}.dict").write_text("".join(f'"{word.decode()}"\n' for word in words))
        for i, seed in enumerate(seeds):
            (out / name / f"seed-{i}").write_bytes(seed)


if __name__ == "__main__":
    main()
