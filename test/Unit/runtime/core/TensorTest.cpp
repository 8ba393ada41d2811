//===- TensorTest.cpp - Memory and shapes of tensors -------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Tensor.h"
#include "gtest/gtest.h"

#include <cstring>
#include <limits>

using namespace mlcrt;

TEST(Dtype, SizesAndNamesOfAll) {
  const int64_t sizes[] = {4, 8, 2, 2, 1, 2, 4, 8, 1, 2, 4, 8, 1, 16};
  for (int32_t dtype = MLCRT_F32; dtype <= MLCRT_STRING; ++dtype) {
    EXPECT_EQ(dtypeSize(dtype), sizes[dtype - 1]);
    EXPECT_EQ(dtypeOf(dtypeName(dtype)), static_cast<mlcrt_dtype>(dtype));
  }
  EXPECT_EQ(dtypeName(MLCRT_BF16), "bf16");
  EXPECT_EQ(dtypeSize(0), 0);
  EXPECT_EQ(dtypeSize(15), 0);
  EXPECT_EQ(dtypeName(15), "dtype(15)");
  EXPECT_FALSE(dtypeOf("float"));
}

TEST(Tensor, IsAlignedAndZeroed) {
  for (int64_t n : {0, 1, 15, 17, 1000}) {
    Tensor tensor(MLCRT_F32, {n});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data()) % MLCRT_ALIGNMENT, 0u);
    EXPECT_NE(tensor.data(), nullptr);
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(tensor.as<float>()[i], 0.0f);
    EXPECT_EQ(tensor.bytes(), 4 * n);
  }
}

TEST(Tensor, ScalarHasOneElement) {
  Tensor scalar(MLCRT_I64, {});
  EXPECT_EQ(scalar.rank(), 0);
  EXPECT_EQ(scalar.elements(), 1);
  EXPECT_EQ(scalar.bytes(), 8);
}

TEST(Tensor, ResizeKeepsMemoryUntilItMustGrow) {
  Tensor tensor(MLCRT_F32, {100, 2});
  void *data = tensor.data();
  const int64_t fewer[] = {3, 2}, more[] = {1000, 2};
  tensor.resize(MLCRT_F32, fewer, 2);
  EXPECT_EQ(tensor.data(), data);
  EXPECT_EQ(tensor.dims(), (std::vector<int64_t>{3, 2}));
  tensor.as<float>()[0] = 5;
  tensor.resize(MLCRT_F32, more, 2);
  EXPECT_GE(tensor.capacityBytes(), 8000);
  EXPECT_EQ(tensor.as<float>()[0], 0.0f) << "grown memory is zeroed";
}

TEST(Tensor, MoveLeavesTheViewValid) {
  Tensor from(MLCRT_I32, {4});
  from.as<int32_t>()[3] = 42;
  void *data = from.data();
  Tensor to = std::move(from);
  EXPECT_EQ(to.data(), data);
  EXPECT_EQ(static_cast<int32_t *>(to.buffer().data)[3], 42);
}

TEST(Tensor, AdoptsOnlyDimsThatFit) {
  Tensor tensor(MLCRT_F32, {32, 2}); // 256 bytes
  int64_t dims[2];
  mlcrt_buffer changed = toBuffer(tensor.buffer(), dims);
  changed.dims[0] = 7;
  EXPECT_TRUE(tensor.adoptDims(changed));
  EXPECT_EQ(tensor.dim(0), 7);
  changed.dims[0] = 33;
  EXPECT_FALSE(tensor.adoptDims(changed));
  changed.dims[0] = -1;
  EXPECT_FALSE(tensor.adoptDims(changed));
  changed = toBuffer(tensor.buffer(), dims);
  changed.rank = 1;
  EXPECT_FALSE(tensor.adoptDims(changed));
  changed = toBuffer(tensor.buffer(), dims);
  changed.data = &changed;
  EXPECT_FALSE(tensor.adoptDims(changed));
  EXPECT_EQ(tensor.dim(0), 7);
}

TEST(Tensor, CountsDoNotOverflow) {
  const int64_t large[] = {std::numeric_limits<int64_t>::max(), 2}, negative[] = {-1};
  EXPECT_EQ(elementCount(large, 2), -1);
  EXPECT_EQ(elementCount(negative, 1), -1);
  EXPECT_EQ(byteCount(makeBuffer(nullptr, MLCRT_F64, {std::numeric_limits<int64_t>::max()})), -1);
  EXPECT_EQ(describe(makeBuffer(nullptr, MLCRT_F64, {3, 4})), "f64[3x4]");
}
