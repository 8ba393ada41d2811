//===- FakeBatch.h - Rows for the fake artifact, made from a number ----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TEST_FAKEBATCH_H
#define MLCRT_TEST_FAKEBATCH_H

#include "FakeArtifact.h"
#include "runtime/src/core/EntryRunner.h"
#include "runtime/src/core/Tensor.h"
#include "gtest/gtest.h"

#include <memory>
#include <string>
#include <vector>

namespace mlcrt {

/// Owns the columns x, key, y of `rows` rows.
struct FakeBatch {
  explicit FakeBatch(int64_t rows, uint32_t seed = 1) : x(rows * 3), y(rows), keys(rows) {
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    uint32_t state = seed;
    auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
    for (float &value : x)
      value = static_cast<float>(next() % 1000) / 500.0f - 1.0f;
    for (int64_t i = 0; i < rows; ++i) {
      keys[i] = {names[next() % 5], 1};
      y[i] = 2.0f * x[3 * i] - x[3 * i + 1] + 0.5f * static_cast<float>(keys[i].data[0] - 'a');
    }
    view.rows = rows;
    view.features = {makeBuffer(x.data(), MLCRT_F32, {rows, 3}), makeBuffer(keys.data(), MLCRT_STRING, {rows}),
                     makeBuffer(y.data(), MLCRT_F32, {rows})};
  }
  FakeBatch(const FakeBatch &) = delete;

  std::vector<float> x, y;
  std::vector<mlcrt_string> keys;
  BatchView view;
};

/// A program over an artifact, the linked-in fake one if null, initialized with seed 3.
inline std::unique_ptr<Program> makeFakeProgram(ThreadPool &pool, std::shared_ptr<const Artifact> artifact = nullptr) {
  if (!artifact) {
    auto linked = Artifact::fromTable(mlc_artifact_query(MLCRT_ABI_VERSION, nullptr));
    EXPECT_TRUE(linked.ok()) << linked.status();
    artifact = *linked;
  }
  auto program = Program::create(artifact);
  EXPECT_TRUE(program.ok()) << program.status();
  absl::Status initialized = (*program)->initialize(/*seed=*/3, pool);
  EXPECT_TRUE(initialized.ok()) << initialized;
  return *std::move(program);
}

/// Logical bytes of all variables, one after the other.
inline std::string stateBytes(State &state) {
  std::string bytes;
  Tensor value;
  for (int32_t i = 0; i < state.size(); ++i) {
    EXPECT_TRUE(state.read(i, value).ok());
    bytes.append(value.as<char>(), value.bytes());
  }
  return bytes;
}

} // namespace mlcrt

#endif // MLCRT_TEST_FAKEBATCH_H
