"""Which elements of memory the products of warpgroups (wgmma) in a PTX text multiply, by arithmetic of its own.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    warpgroup_reads.py FILE.ptx

Follows the threads of the first block of each kernel that copies by cp.async, up to its first group of products: which
byte of memory comes to which of shared memory. Then it asks which bytes a descriptor names, by the canonical layouts of
CuTe (K-major and MN-major with swizzles of 32, 64 and 128 bytes), and prints the steps between rows and between numbers
of the inner dimension. It fails where those of an operand are not the same throughout, or a byte is named that nothing
was copied to. Nothing of it is shared with the emulator, or with the compiler.
"""
import collections
import re
import sys

WORD = {"32": 0xFFFFFFFF, "64": 0xFFFFFFFFFFFFFFFF}
SHARED = 1 << 16  # where shared memory begins: a multiple of 1024, which its alignment asks for
COMPARE = {"eq": "__eq__", "ne": "__ne__", "lt": "__lt__", "le": "__le__", "gt": "__gt__", "ge": "__ge__"}
BINARY = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y,
    "shl": lambda x, y: x << y, "shr": lambda x, y: x >> y, "min": min, "max": max, "div": lambda x, y: x // y, "rem": lambda x, y: x % y,
}


class Kernel:
    def __init__(self, text):
        self.name = text.split("(", 1)[0]
        header, body = text.split(")", 1)
        # Buffers lie far from each other; numbers are enough rows for a tile.
        self.parameters = {name: (i + 1) << 32 if pointer else 1000 for i, (pointer, name) in enumerate(re.findall(r"\.param \.u64( \.ptr[^,\n]*)? (\w+)", header))}
        shared = re.search(r"\.shared \.align (\d+) \.b8 ([\w$]+)", body)
        self.alignment, self.shared = (int(shared[1]), shared[2]) if shared else (0, None)
        self.statements, self.labels = [], {}
        for line in body[: body.index("\n}\n")].splitlines():
            label = re.match(r"\s*(\$\w+):\s*$", line)
            if label:
                self.labels[label[1]] = len(self.statements)
            else:
                self.statements += [self.parse(s.strip()) for s in line.split(";") if s.strip() and not s.strip().startswith((".", "{"))]

    @staticmethod
    def parse(statement):
        """The predicate that must not have a value, and that value; opcode and operands."""
        guard = re.match(r"@(!?)(%p\d+)\s+", statement)
        opcode, _, rest = statement[guard.end() if guard else 0 :].replace("\t", " ").partition(" ")
        return guard and guard[2], bool(guard and guard[1]), opcode, [o.strip() for o in re.split(r",\s*(?![^{]*})", rest)]

    def run(self, thread):
        """The thread's copies (to, from, bytes) and products (opcode, operands) up to the first group of these."""
        registers = {"%tid.x": thread, "%ctaid.x": 0, "%nctaid.x": 64, self.shared: SHARED}
        copies, products, at = [], [], 0

        def value(text):
            return registers[text] if text in registers else 0 if text.startswith("0f") else int(text)

        def address(text):
            base, _, offset = text.strip("[]").partition("+")
            return value(base) + int(offset or 0)

        while True:
            guard, skipped, opcode, operands = self.statements[at]
            at += 1
            if guard and registers[guard] == skipped:
                continue
            kind, width = opcode.split(".")[0], "64" if "64" in opcode else "32"
            if kind == "bra":
                at = self.labels[operands[0]]
            elif opcode.startswith("wgmma.commit_group"):
                return copies, products
            elif opcode.startswith("wgmma.mma_async"):
                products.append((opcode, value(operands[1]) & WORD["64"], value(operands[2]) & WORD["64"], tuple(operands[3:])))
            elif opcode.startswith("cp.async.c") and "shared" in opcode:
                copies.append((address(operands[0]), address(operands[1]), int(operands[2])))
            elif opcode.startswith("ld.param"):
                registers[operands[0]] = self.parameters[operands[1].strip("[]")]
            elif kind not in ("bar", "cp", "fence", "wgmma"):
                values = [value(o) for o in operands[1:]]
                if kind == "setp":
                    signed = [v - 2 * (v & (WORD[width] + 1) >> 1) if opcode.split(".")[2][0] == "s" else v for v in values]
                    registers[operands[0]] = getattr(signed[0], COMPARE[opcode.split(".")[1]])(signed[1])
                    continue
                if kind in ("mov", "cvt"):
                    result = values[0]
                elif kind == "mad":
                    result = values[0] * values[1] + values[2]
                elif kind == "selp":
                    result = values[0] if values[2] else values[1]
                elif kind == "bfe":
                    result = values[0] >> values[1] & (1 << values[2]) - 1
                elif ".hi." in opcode:
                    result = values[0] * values[1] >> int(width)
                else:
                    result = BINARY[kind](*values)
                registers[operands[0]] = result & WORD["64" if ".wide" in opcode else width]


def bytes_named(descriptor, rows, depth, size, is_across):
    """The address of each element (row, number) that a descriptor names."""
    start, leading, stride = ((descriptor >> shift & 0x3FFF) << 4 for shift in (0, 16, 32))
    width = {1: 128, 2: 64, 3: 32}[descriptor >> 62]
    if descriptor & ~(0x3FFF | 0x3FFF << 16 | 0x3FFF << 32 | 3 << 62):
        sys.exit(f"a descriptor {descriptor:#x} with bits that mean something else")
    for row in range(rows):
        for number in range(depth):
            if is_across:
                place = row * size % width + row * size // width * leading + number % 8 * width + number // 8 * stride
            else:
                place = number * size + row % 8 * width + row // 8 * stride
            place += start
            yield row, number, place ^ (place >> 7 & width // 16 - 1) << 4


def check(kernel):
    """The steps between rows and numbers of both operands of each product."""
    if kernel.alignment % 1024:
        sys.exit(f"{kernel.name}: shared memory is aligned to {kernel.alignment}, expected 1024")
    memory, groups = {}, {}
    for thread in range(256):
        copies, products = kernel.run(thread)
        for to, source, count in copies:
            memory.update((to + i, source + i) for i in range(count))
        if groups.setdefault(thread // 128, products) != products:
            sys.exit(f"{kernel.name}: threads of a warpgroup have other descriptors")
    steps = collections.Counter()
    for products in groups.values():
        for opcode, left, right, rest in products:
            columns, depth = map(int, re.search(r"m64n(\d+)k(\d+)", opcode).groups())
            size = 32 // depth
            across = [bool(int(bit)) for bit in rest[3:5]] or [False, False]
            told = []
            for descriptor, rows, is_across in (left, 64, across[0]), (right, columns, across[1]):
                sources = {(row, number): [memory.get(SHARED + at % SHARED + i) for i in range(size)] for row, number, at in bytes_named(descriptor, rows, depth, size, is_across)}
                first, below, beside = (sources[at][0] for at in ((0, 0), (1, 0), (0, 1)))
                for (row, number), found in sources.items():
                    expected = first + row * (below - first) + number * (beside - first)
                    if found != [expected + i for i in range(size)]:
                        sys.exit(f"{kernel.name}: {opcode} reads {found} as element {row}, {number}, expected {expected} and on")
                told.append(f"rows {below - first}, numbers {beside - first}")
            steps[f"m64n{columns}k{depth} of {told[0]} and {told[1]}"] += 1
    return steps


def main():
    with open(sys.argv[1]) as file:
        text = re.sub(r"//.*", "", file.read())
    # An instruction is inline assembly in a block of its own.
    text = re.sub(r"\{\s*\.reg \.pred p;\s*setp\.ne\.b32 p, 1, 0;\s*(wgmma[^;]*;)\s*\}", r"\1", text)
    for kernel in map(Kernel, text.split(".visible .entry ")[1:]):
        opcodes = " ".join(opcode for _, _, opcode, _ in kernel.statements)
        if "wgmma.mma_async" in opcodes and "cp.async.bulk" not in opcodes and "cp.async" in opcodes:
            for line, count in sorted(check(kernel).items()):
                print(f"{kernel.name}: {count} {line}")


if __name__ == "__main__":
    main()
