// Descriptors of tensors in the memory of a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KERN_TENSORMAP_TD
#define KERN_TENSORMAP_TD

include "dialects/Kern/IR/KernBase.td"

def Kern_TensorMapOp : Kern_Op<"tensor_map", [Pure]> {
  let summary = "a descriptor of a tensor, by which a kernel copies boxes of it";
  let description = [{
    Where the kernel that it stands in finds the descriptor of a tensor in `buffer`, which the runtime makes for each launch, and whether it does: code for chips without such copies has none, nor a kernel that computes what a descriptor is made of. The tensor's first element is
    element `offset` of the buffer, and the distances of neighbours are `strides`, in elements. A copy brings `box` elements of each dimension, the first one's side by side, to rows of `swizzle` bytes in a block's memory, whose pieces of 16 bytes are in the order in which products of warpgroups find them.

    Constraints: (C1) the buffer is flat, of f32, f16 or bf16; (C2) there are 1 to 5 sizes, and as many strides and extents of the box; the first stride is 1, others, and the offset, are multiples of 16 bytes; (C3) the box has 1 to 256 elements in each dimension; the swizzle is 32, 64 or
    128 bytes, as long as a row of the box.

    Example: `%map, %exists = kern.tensor_map %x[%n, %rows] offset 0 strides [1, 96] box [32, 128] swizzle 64 : memref<?xbf16, 1>`
  }];
  let arguments = (ins AnyMemRef:$buffer, Variadic<Index>:$sizes, I64Attr:$offset, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$box,
                       I64Attr:$swizzle);
  let results = (outs I64:$address, I1:$exists);
  let assemblyFormat = [{
    $buffer `[` $sizes `]` `offset` $offset `strides` $strides `box` $box `swizzle` $swizzle attr-dict `:` type($buffer)
  }];
  let hasVerifier = 1;
}

#endif // KERN_TENSORMAP_TD
