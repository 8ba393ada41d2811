"""Writes sizes and checksums of an export's signature anew: `reseal.py DIRECTORY`. What was changed is then no damage that a
checksum finds.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import sys


def crc32c(data):
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def main():
    directory = sys.argv[1]
    path = os.path.join(directory, "signature.json")
    with open(path, encoding="utf-8") as file:
        signature = json.load(file)
    del signature["crc32c"]
    for entry in signature["files"]:
        with open(os.path.join(directory, entry["path"]), "rb") as file:
            data = file.read()
        entry["size"] = len(data)
        entry["crc32c"] = f"{crc32c(data):08x}"
    text = json.dumps(signature, indent=1, ensure_ascii=False)[:-2] + ",\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + f'"crc32c": "{crc32c(text.encode()):08x}"}}\n')


if __name__ == "__main__":
    main()
