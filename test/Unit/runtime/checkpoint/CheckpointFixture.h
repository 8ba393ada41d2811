// A directory and a small model for tests of checkpoints. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_UNIT_RUNTIME_CHECKPOINT_CHECKPOINTFIXTURE_H
#define MLC_TEST_UNIT_RUNTIME_CHECKPOINT_CHECKPOINTFIXTURE_H

#include "runtime/src/checkpoint/CheckpointStore.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace mlcrt {

/// A new directory for each test, removed at its end.
class CheckpointFixture : public testing::Test {
protected:
  CheckpointFixture() {
    std::string pattern = testing::TempDir() + "/mlcrt-ckpt-XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
    modelDir_ = directory_ + "/m";
  }
  ~CheckpointFixture() override { std::filesystem::remove_all(directory_); }

  static std::string readFile(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  static void writeFile(const std::string &path, const std::string &text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  std::string directory_, modelDir_;
};

/// Where the data of a safetensors file begin.
inline int64_t safetensorsDataStart(const std::string &bytes) {
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  return static_cast<int64_t>(8 + length);
}

/// Variables w f32[3x4] with the slot w/Adagrad, global_step i64[], and one of lifetime eval, without code.
class SmallModel {
public:
  explicit SmallModel(int64_t columns = 4, const char *fingerprint = "9f3c0001") {
    set(0, "w", MLCRT_F32, {3, columns}, MLCRT_VARIABLE_TRAINABLE, -1, nullptr);
    set(1, "w/Adagrad", MLCRT_F32, {3, columns}, 0, 0, "accumulator");
    set(2, "global_step", MLCRT_I64, {}, 0, -1, nullptr);
    set(3, "eval/total", MLCRT_F64, {}, MLCRT_VARIABLE_EVAL, -1, nullptr);
    std::memset(&table_, 0, sizeof(table_));
    table_.struct_size = sizeof(table_);
    table_.version = MLCRT_ABI_VERSION;
    table_.name = "small";
    table_.state_fingerprint = fingerprint;
    table_.plan_fingerprint = "0";
    table_.cpu_features = "";
    table_.manifest = "{}";
    table_.num_variables = 4;
    table_.variables = variables_;
    auto wrapped = Artifact::fromTable(&table_);
    EXPECT_TRUE(wrapped.ok()) << wrapped.status();
    artifact = *wrapped;
    state = std::make_unique<State>(artifact);
  }

  /// Fills the variables with values that depend on `start`.
  void fill(float start) {
    for (const char *name : {"w", "w/Adagrad"}) {
      Tensor value = *state->read(name);
      for (int64_t i = 0; i < value.elements(); ++i)
        value.as<float>()[i] = start + i + (name[1] ? 100 : 0);
      EXPECT_TRUE(state->write(name, value.buffer()).ok());
    }
    Tensor step = *state->read("global_step");
    *step.as<int64_t>() = static_cast<int64_t>(start * 10);
    EXPECT_TRUE(state->write("global_step", step.buffer()).ok());
  }

  /// All bytes of the variables that checkpoints hold.
  std::string bytes() {
    std::string all;
    for (const char *name : {"w", "w/Adagrad", "global_step"}) {
      Tensor value = *state->read(name);
      all.append(static_cast<const char *>(value.data()), value.bytes());
    }
    return all;
  }

  std::shared_ptr<const Artifact> artifact;
  std::unique_ptr<State> state;

private:
  void set(int i, const char *name, mlcrt_dtype dtype, std::vector<int64_t> shape, int32_t flags, int32_t slotOf,
           const char *slot) {
    mlcrt_variable &variable = variables_[i];
    std::memset(&variable, 0, sizeof(variable));
    variable.value.name = name;
    variable.value.dtype = dtype;
    variable.value.rank = static_cast<int32_t>(shape.size());
    variable.value.dims = dims_.emplace_back(std::move(shape)).data();
    variable.flags = flags;
    variable.slot_of = slotOf;
    variable.slot = slot;
  }

  std::deque<std::vector<int64_t>> dims_;
  mlcrt_variable variables_[4];
  mlcrt_artifact table_;
};

} // namespace mlcrt

#endif // MLC_TEST_UNIT_RUNTIME_CHECKPOINT_CHECKPOINTFIXTURE_H
