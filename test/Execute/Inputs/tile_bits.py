# tile_bits.py CANDIDATES: runs the products of a file of candidates (mlc tune-kernels --emit_candidates), of bf16, on
# the emulated GPU that MLC_CUDA_DRIVER names. The emulator adds in one order whatever instruction multiplies, so that
# all of them, chunks copied by threads or by tensor maps, have to have the same bits, and be near the sums of exact
# products.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import os
import random
import struct
import sys

driver = ctypes.CDLL(os.environ["MLC_CUDA_DRIVER"])


def call(name, *arguments):
    result = getattr(driver, name)(*arguments)
    if result:
        sys.exit(f"tile_bits.py: {name} returns {result}")


class Reader:
    """Reads what common/kernels/KernelCandidates.cpp writes: texts after their lengths, and numbers, a line each."""

    def __init__(self, data):
        self.data, self.at = data, data.index(b"\n") + 1

    def number(self):
        end = self.data.index(b"\n", self.at)
        value, self.at = int(self.data[self.at:end]), end + 1
        return value

    def text(self):
        size = self.number()
        self.at += size + 1
        return self.data[self.at - size - 1:self.at - 1]


def load(reader):
    """The PTX, and of each candidate, one launch, its name, m, n and k, blocks, threads, and arguments (whether it is a buffer; its value)."""
    reader.text(), reader.text()
    assert (reader.number(), reader.text()) == (1, b"bf16")
    ptx = [(reader.text(), reader.text()) for _ in range(reader.number())][0][1]
    candidates = []
    for _ in range(reader.number()):
        _, _, _, _, m, n, k, _, _ = [reader.number() for _ in range(9)]
        sizes = [reader.number() for _ in range(reader.number())]
        assert (sizes, reader.number()) == ([2 * m * k, 2 * k * n, 4 * m * n], 1), sizes
        name, blocks, threads = reader.text(), reader.number(), reader.number()
        arguments = [(reader.number(), reader.number()) for _ in range(reader.number())]
        candidates.append((name, (m, n, k), blocks, threads, arguments))
    return ptx, candidates


def needs_of(module, kernel):
    """Words of mlcrt_kernel_needs and mlcrt_tensor_map; none: the kernel needs nothing."""
    address, size = ctypes.c_uint64(), ctypes.c_size_t()
    if driver.cuModuleGetGlobal_v2(ctypes.byref(address), ctypes.byref(size), module, kernel + b"$needs"):
        return []
    words = (ctypes.c_int64 * (size.value // 8))()
    call("cuMemcpyDtoH_v2", words, address, size)
    return list(words)


def tensor_map(words, arguments):
    buffer, offset, _, swizzle, rank = words[:5]
    numbers = lambda kind, values: (kind * len(values))(*values)
    sizes = [size if size >= 0 else arguments[-1 - size] for size in words[5:5 + rank]]
    storage = ctypes.create_string_buffer(192)
    at = (ctypes.addressof(storage) + 63) // 64 * 64
    call("cuTensorMapEncodeTiled", ctypes.c_void_p(at), 9, rank, ctypes.c_void_p(arguments[buffer] + offset),
         numbers(ctypes.c_uint64, sizes), numbers(ctypes.c_uint64, words[11:10 + rank]),
         numbers(ctypes.c_uint32, words[15:15 + rank]), numbers(ctypes.c_uint32, [1] * rank), 0,
         (0, 32, 64, 128).index(swizzle), 2, 0)
    return storage, at


def number_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def main():
    call("cuInit", 0)
    context, module = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    with open(sys.argv[1], "rb") as file:
        ptx, candidates = load(Reader(file.read()))
    call("cuModuleLoadDataEx", ctypes.byref(module), ptx, 0, None, None)
    m, n, k = candidates[0][1]
    chance = random.Random(7)
    # Of several sizes, so that sums are rounded.
    factors = [[chance.getrandbits(1) << 15 | chance.randint(122, 130) << 7 | chance.getrandbits(7) for _ in range(size)]
               for size in (m * k, k * n)]
    buffers = []
    for factor in factors:
        data = struct.pack(f"<{len(factor)}H", *factor)
        buffers.append(ctypes.c_uint64())
        call("cuMemAlloc_v2", ctypes.byref(buffers[-1]), ctypes.c_size_t(len(data)))
        call("cuMemcpyHtoD_v2", buffers[-1], data, ctypes.c_size_t(len(data)))
    results, with_maps = {}, 0
    for name, shape, blocks, threads, given in candidates:
        assert shape == (m, n, k), shape
        result = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(result), ctypes.c_size_t(4 * m * n))
        pointers = [buffer.value for buffer in buffers] + [result.value]
        arguments = [pointers[value] if is_buffer else value for is_buffer, value in given]
        words = needs_of(module, name)
        maps = [tensor_map(words[i:i + 20], arguments) for i in range(1, len(words), 20)]
        with_maps += bool(maps)
        function = ctypes.c_void_p()
        call("cuModuleGetFunction", ctypes.byref(function), module, name)
        shared = words[0] if words else 0
        call("cuFuncSetAttribute", function, 8, shared)
        cells = [ctypes.c_int64(argument) for argument in arguments]
        parameters = [ctypes.addressof(cell) for cell in cells] + [at for _, at in maps]
        call("cuLaunchKernel", function, blocks, 1, 1, threads, 1, 1, shared, None,
             (ctypes.c_void_p * len(parameters))(*parameters), None)
        found = ctypes.create_string_buffer(4 * m * n)
        call("cuMemcpyDtoH_v2", found, result, ctypes.c_size_t(4 * m * n))
        results[name] = found.raw
    first = next(iter(results.values()))
    for key, result in results.items():
        if result != first:
            sys.exit(f"tile_bits.py: {key} has other bits than {next(iter(results))}")
    sums = struct.unpack(f"<{m * n}f", first)
    for _ in range(500):
        i, j = chance.randrange(m), chance.randrange(n)
        products = [number_of(factors[0][i * k + q]) * number_of(factors[1][q * n + j]) for q in range(k)]
        if abs(sums[i * n + j] - sum(products)) > 1e-5 * sum(map(abs, products)):
            sys.exit(f"tile_bits.py: element {i}, {j} is {sums[i * n + j]}; expected: {sum(products)}")
    print(f"{len(results)} launches have the same bits, {with_maps} of them with tensor maps")


main()
