#!/usr/bin/env python3
"""Reads TensorBoard event files with nothing but this file: framing, checksums, protos. Prints one JSON object per event.

events.py DIRECTORY...      files in the order of their names; exit 1 names the first thing that is wrong

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import math
import os
import struct
import sys

TABLE = []
for byte in range(256):
    value = byte
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    TABLE.append(value)


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 255]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def framed(data):
    """A record as a file has it."""
    head = struct.pack("<Q", len(data))
    return head + struct.pack("<I", masked_crc(head)) + data + struct.pack("<I", masked_crc(data))


def records(path):
    data = open(path, "rb").read()
    at = 0
    while at < len(data):
        head = data[at:at + 12]
        if len(head) < 12:
            sys.exit(f"{path}: {len(head)} bytes after the last record")
        length, crc = struct.unpack("<QI", head)
        if masked_crc(head[:8]) != crc:
            sys.exit(f"{path}: checksum of a length at {at}")
        body = data[at + 12:at + 12 + length]
        tail = data[at + 12 + length:at + 16 + length]
        if len(tail) < 4 or masked_crc(body) != struct.unpack("<I", tail)[0]:
            sys.exit(f"{path}: checksum of a record at {at}")
        yield body
        at += 16 + length


def fields(data):
    """(number, value) of a proto: ints of varints, bytes of the rest."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = varint()
        kind = tag & 7
        if kind == 0:
            yield tag >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(kind)
        if kind == 2:
            size = varint()
        if size is None or at + size > len(data):
            sys.exit(f"bad wire type {kind} or size")
        yield tag >> 3, data[at:at + size]
        at += size


def plain(value):
    return value if math.isfinite(value) else str(value)


def histogram(data):
    names = {1: "min", 2: "max", 3: "num", 4: "sum", 5: "sum_squares"}
    result = {}
    for number, value in fields(data):
        if number in names:
            result[names[number]] = struct.unpack("<d", value)[0]
        else:
            result[{6: "limits", 7: "counts"}[number]] = list(struct.unpack(f"<{len(value) // 8}d", value))
    if len(result["limits"]) != len(result["counts"]) or sum(result["counts"]) != result["num"]:
        sys.exit("a histogram's buckets do not fit")
    return result


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def shape(data):
    """The sizes of a TensorShapeProto."""
    sizes = []
    for number, dim in fields(data):
        assert number == 2, number
        sizes.append(signed(dict(fields(dim)).get(1, 0)))
    return sizes


def tensor(parts):
    """A value of a plugin: its name, its own data, the tensor's shape and rows."""
    plugin, content = (dict(fields(dict(fields(parts[9]))[1])).get(k, b"") for k in (1, 2))
    assert dict(fields(parts[9]))[4] == 2, "the class of data is tensors"
    proto = dict(fields(parts[8]))
    assert proto[1] == 1, "floats"
    sizes = shape(proto[2])
    numbers = struct.unpack(f"<{len(proto[4]) // 4}f", proto[4])
    assert len(sizes) == 2 and len(numbers) == sizes[0] * sizes[1], sizes
    rows = [list(numbers[i * sizes[1]:(i + 1) * sizes[1]]) for i in range(sizes[0])]
    return {"plugin": plugin.decode(), "thresholds": dict(fields(content)).get(2, 0), "rows": rows}


def graph(data):
    nodes = []
    for number, value in fields(data):
        if number == 4:
            assert dict(fields(value))[1] > 0, "a producer"
            continue
        assert number == 1, number
        node = {"name": "", "op": "", "inputs": []}
        for field, part in fields(value):
            if field == 1:
                node["name"] = part.decode()
            elif field == 2:
                node["op"] = part.decode()
            elif field == 3:
                node["inputs"].append(part.decode())
            else:
                assert field == 5, field
                attribute = dict(fields(part))
                assert attribute[1] == b"_output_shapes", attribute
                node["shape"] = shape(dict(fields(dict(fields(attribute[2]))[1]))[7])
        nodes.append(node)
    names = [node["name"] for node in nodes]
    assert len(set(names)) == len(names), "names differ"
    for node in nodes:
        assert all(name in names for name in node["inputs"]), node
    return nodes


def summary(data):
    values = {}
    for number, entry in fields(data):
        assert number == 1, number
        parts = dict(fields(entry))
        tag = parts.pop(1).decode()
        if 8 in parts:
            values[tag] = tensor(parts)
            continue
        ((kind, value),) = parts.items()
        assert tag not in values, tag
        values[tag] = plain(struct.unpack("<f", value)[0]) if kind == 2 else histogram(value)
        assert kind in (2, 5), kind
    return values


def event(data):
    result = {}
    for number, value in fields(data):
        if number == 1:
            result["wall_time"] = struct.unpack("<d", value)[0]
        elif number == 2:
            result["step"] = value
        elif number == 3:
            result["file_version"] = value.decode()
        elif number == 4:
            result["graph"] = graph(value)
        elif number == 5:
            result["values"] = summary(value)
        elif number == 7:
            result["session"] = dict(fields(value))[1]
        else:
            sys.exit(f"unexpected field {number} of Event")
    return result


def main():
    for directory in sys.argv[1:]:
        for name in sorted(n for n in os.listdir(directory) if "tfevents" in n):
            for number, record in enumerate(records(os.path.join(directory, name))):
                parsed = event(record)
                if (number == 0) != (parsed.get("file_version") == "brain.Event:2"):
                    sys.exit(f"{name}: the version is not the first event")
                print(json.dumps({"file": name, **parsed}))


if __name__ == "__main__":
    main()
