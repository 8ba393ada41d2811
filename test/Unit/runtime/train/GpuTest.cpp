// A trainer whose artifact names a GPU finds it by the driver, or says why not.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TrainerFixture.h"
#include "runtime/src/run/Npy.h"

using namespace mlcrt;
using testing::HasSubstr;

namespace {

class GpuTest : public TrainerFixture {
protected:
  ~GpuTest() override { unsetenv("MLC_CUDA_DRIVER"); }
  RunResult runDouble(const char *driver) const {
    setenv("MLC_CUDA_DRIVER", driver, 1);
    float x[] = {1, 2, -3};
    EXPECT_TRUE(writeNpy(at("x.npy"), makeBuffer(x, MLCRT_F32, {3})).ok());
    return run({"run", "--entry=double", "--input=x=x.npy"}, GPU_TRAINER);
  }
};

TEST_F(GpuTest, RunsAnEntry) {
  const RunResult result = runDouble(FAKE_CUDA);
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(result.json().at(0)["out"], nlohmann::json({2, 4, -6}));
}

TEST_F(GpuTest, SaysWhyThereIsNone) {
  const RunResult result = runDouble("/nowhere/libcuda.so.1");
  EXPECT_EQ(result.exit, 4);
  EXPECT_THAT(result.err,
              HasSubstr("device '/device:CUDA:0': no CUDA driver: /nowhere/libcuda.so.1: cannot open shared "
                        "object file: No such file or directory; expected: libcuda.so.1 of NVIDIA's driver"));
}

} // namespace
