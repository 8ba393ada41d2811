# Checks that rows of a tensor are those of another file's: matched_rows.py OLD NEW NAME ROW..., the old row of each new one, -1: any.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import weights


def main():
    old_path, new_path, name, *rows = sys.argv[1:]
    (old_shape, old), (shape, new) = weights.read(old_path, name), weights.read(new_path, name)
    assert shape[0] == len(rows) and shape[1:] == old_shape[1:], (old_shape, shape)
    width = len(new) // shape[0]
    for row, source in enumerate(map(int, rows)):
        here = new[row * width : (row + 1) * width]
        assert source < 0 or here == old[source * width : (source + 1) * width], (row, source)


main()
