// A hand-written model whose tables are variables of their own, or one variable. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TEST_TABLESMODEL_H
#define MLCRT_TEST_TABLESMODEL_H

#include "runtime/src/core/Program.h"
#include "test/Unit/runtime/core/StaticDims.h"

#include "gtest/gtest.h"

#include <cstring>
#include <deque>
#include <string>
#include <vector>

namespace mlcrt {

/// Tables a f32[3, 2], b f32[2, 2] and c f32[4, 2], each with the slots accumulator and linear; bias f32[2] and
/// global_step i64[]. Separate: variables of their own, c before a before b. Stacked: the three tables are one variable
/// "tables" f32[9, 2], and so are their slots. Rows may be wider. Entry "predict" gives rows of the first variable by
/// the feature ids i64[rows]. `terms`, two letters, are the terms of the table "words".
class TablesModel {
public:
  enum class Storage { Separate, Stacked };

  /// `held`: the rows of each variable that the state has (State).
  explicit TablesModel(Storage storage, const std::vector<RowRange> &held = {}, std::string manifest = "{}",
                       int64_t width = 2, const char *terms = "xy")
      : width_(width), manifest_(std::move(manifest)) {
    words_.data = terms;
    for (const char *slot : {"", "accumulator", "linear"}) {
      const int32_t first = static_cast<int32_t>(variables_.size());
      if (storage == Storage::Stacked) {
        add("tables" + suffix(slot), 9, *slot ? 0 : -1, slot);
        for (const auto &[name, rows] : {std::pair{"a", 3}, {"b", 2}, {"c", 4}})
          namedRows_.push_back({text(name + suffix(slot)), first, 0, rows});
      } else {
        int32_t of = 0;
        for (const auto &[name, rows] : {std::pair{"c", 4}, {"a", 3}, {"b", 2}})
          add(name + suffix(slot), rows, *slot ? of++ : -1, slot);
      }
    }
    const int32_t bias = static_cast<int32_t>(variables_.size());
    variables_.push_back(
        {{"bias", MLCRT_F32, 1, kDims<2>}, MLCRT_VARIABLE_TRAINABLE, -1, nullptr, 0, nullptr, nullptr});
    variables_.push_back({{"global_step", MLCRT_I64, 0, nullptr}, 0, -1, nullptr, 0, nullptr, nullptr});
    for (int32_t v = 0; v <= bias + 1; ++v) {
      std::vector<mlcrt_operand> &operands = operands_.emplace_back();
      operands.push_back({MLCRT_SOURCE_VARIABLE, v, MLCRT_WRITE, 0, MLCRT_SPACE_HOST, 0});
      if (v <= bias)
        operands.push_back({MLCRT_SOURCE_CONTEXT, MLCRT_CONTEXT_FIRST_ROW, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0});
      if (v < bias) {
        operands.push_back({MLCRT_SOURCE_CONTEXT, MLCRT_CONTEXT_KEY, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0});
        operands.push_back({MLCRT_SOURCE_CONTEXT, MLCRT_CONTEXT_SEED, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0});
        operands.push_back({MLCRT_SOURCE_DIMENSION, MLCRT_SYMBOL_BATCH, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0});
      }
      segments_.push_back({"init", MLCRT_SEGMENT_STEP, MLCRT_DEVICE_HOST, 0, static_cast<int32_t>(operands.size()),
                           operands.data(),
                           v < bias    ? drawRows
                           : v == bias ? numberRows
                                       : zero,
                           0, nullptr});
    }
    entries_[0] = {"init",  MLCRT_ROLE_INIT, static_cast<int32_t>(segments_.size()), segments_.data(), 0, 0,
                   nullptr, nullptr};
    std::memset(&table_, 0, sizeof(table_));
    table_.struct_size = sizeof(table_);
    table_.version = MLCRT_ABI_VERSION;
    table_.name = "tables";
    table_.state_fingerprint = "9f3c0001";
    table_.plan_fingerprint = "0";
    table_.manifest = manifest_.c_str();
    table_.num_variables = static_cast<int32_t>(variables_.size());
    table_.variables = variables_.data();
    table_.num_named_rows = static_cast<int64_t>(namedRows_.size());
    table_.named_rows = namedRows_.data();
    outputDims_[1] = width;
    table_.features = &feature_;
    table_.num_features = 1;
    table_.num_entries = 2;
    table_.entries = entries_;
    table_.tables = &words_;
    table_.num_tables = 1;
    table_.pulls = &pull_;
    table_.num_pulls = 1;
    auto wrapped = Artifact::fromTable(&table_);
    EXPECT_TRUE(wrapped.ok()) << wrapped.status();
    artifact = *wrapped;
    program = *Program::create(artifact, {held});
  }

  static const std::vector<std::string> &names() {
    static const std::vector<std::string> names = {
        "a",        "b",        "c",        "a/accumulator", "b/accumulator", "c/accumulator",
        "a/linear", "b/linear", "c/linear", "bias",          "global_step"};
    return names;
  }
  State &state() { return program->state(); }
  std::string bytesOf(const std::string &name) {
    auto value = state().read(name);
    EXPECT_TRUE(value.ok()) << value.status();
    return {static_cast<const char *>(value->data()), static_cast<size_t>(value->bytes())};
  }
  /// All values by name.
  std::string bytes() {
    std::string all;
    for (const std::string &name : names())
      all += bytesOf(name);
    return all;
  }
  /// Values that tell tensors, rows and columns apart, and depend on `start`.
  void fill(float start) {
    for (size_t n = 0; n < names().size(); ++n) {
      Tensor value = *state().read(names()[n]);
      for (int64_t i = 0; i < value.elements(); ++i)
        if (value.dtype() == MLCRT_I64)
          value.as<int64_t>()[i] = static_cast<int64_t>(start);
        else
          value.as<float>()[i] = start + 100 * static_cast<float>(n) + static_cast<float>(i);
      EXPECT_TRUE(state().write(names()[n], value.buffer()).ok()) << names()[n];
    }
  }

  std::shared_ptr<const Artifact> artifact;
  std::unique_ptr<Program> program;

private:
  static std::string suffix(const std::string &slot) { return slot.empty() ? "" : "/" + slot; }
  const char *text(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }
  void add(const std::string &name, int64_t rows, int32_t slotOf, const char *slot) {
    const int64_t *dims = dims_.emplace_back(std::array<int64_t, 2>{rows, width_}).data();
    variables_.push_back({{text(name), MLCRT_F32, 2, dims},
                          slotOf < 0 ? MLCRT_VARIABLE_TRAINABLE : 0,
                          slotOf,
                          slotOf < 0 ? nullptr : slot,
                          0,
                          nullptr,
                          nullptr});
  }
  /// Numbers that follow from key, seed and the number of the row in the tensor.
  static int32_t drawRows(mlcrt_frame *frame) {
    const mlcrt_buffer *b = frame->buffers;
    auto number = [&](int i) { return *static_cast<const int64_t *>(b[i].data); };
    if (number(4) != b[0].dims[0])
      return MLCRT_INTERNAL;
    for (int64_t i = 0; i < b[0].dims[0] * b[0].dims[1]; ++i) {
      uint64_t mixed =
          static_cast<uint64_t>(number(2) ^ number(3)) + static_cast<uint64_t>(number(1) * b[0].dims[1] + i);
      mixed = (mixed ^ mixed >> 31) * 0x9E3779B97F4A7C15u;
      static_cast<float *>(b[0].data)[i] = static_cast<float>(mixed >> 40);
    }
    return MLCRT_OK;
  }
  static int32_t numberRows(mlcrt_frame *frame) {
    const mlcrt_buffer *b = frame->buffers;
    for (int64_t i = 0; i < b[0].dims[0]; ++i)
      static_cast<float *>(b[0].data)[i] = static_cast<float>(*static_cast<const int64_t *>(b[1].data) + i);
    return MLCRT_OK;
  }
  static int32_t zero(mlcrt_frame *frame) {
    *static_cast<int64_t *>(frame->buffers[0].data) = 0;
    return MLCRT_OK;
  }

  static int32_t copyIds(mlcrt_frame *frame) {
    const mlcrt_buffer *b = frame->buffers;
    std::memcpy(b[1].data, b[0].data, static_cast<size_t>(b[0].dims[0]) * 8);
    return MLCRT_OK;
  }
  static int32_t gather(mlcrt_frame *frame) {
    const mlcrt_buffer *b = frame->buffers;
    const size_t bytes = static_cast<size_t>(b[1].dims[1]) * 4;
    for (int64_t i = 0; i < b[0].dims[0]; ++i)
      std::memcpy(static_cast<char *>(b[2].data) + static_cast<size_t>(i) * bytes,
                  static_cast<const char *>(b[1].data) +
                      static_cast<size_t>(static_cast<const int64_t *>(b[0].data)[i]) * bytes,
                  bytes);
    return MLCRT_OK;
  }

  int64_t width_;
  std::string manifest_;
  mlcrt_value feature_ = {"ids", MLCRT_I64, 1, kRows};
  int64_t outputDims_[2] = {MLCRT_DIM_SYMBOL(0), 2};
  mlcrt_value output_ = {"rows", MLCRT_F32, 2, outputDims_};
  mlcrt_operand idOperands_[2] = {{MLCRT_SOURCE_FEATURE, 0, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0},
                                  {MLCRT_SOURCE_INTERMEDIATE, 0, MLCRT_WRITE, 0, MLCRT_SPACE_HOST, 0}};
  mlcrt_operand gatherOperands_[3] = {{MLCRT_SOURCE_INTERMEDIATE, 0, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0},
                                      {MLCRT_SOURCE_VARIABLE, 0, MLCRT_READ, 0, MLCRT_SPACE_HOST, 0},
                                      {MLCRT_SOURCE_OUTPUT, 0, MLCRT_WRITE, 0, MLCRT_SPACE_HOST, 0}};
  mlcrt_segment predictSegments_[2] = {
      {"ids", MLCRT_SEGMENT_FEATURES, MLCRT_DEVICE_HOST, 0, 2, idOperands_, copyIds, 0, nullptr},
      {"rows", MLCRT_SEGMENT_STEP, MLCRT_DEVICE_HOST, 0, 3, gatherOperands_, gather, 0, nullptr}};
  mlcrt_entry entries_[2] = {{}, {"predict", MLCRT_ROLE_PREDICT, 2, predictSegments_, 1, 1, &feature_, &output_}};
  int64_t offsets_[3] = {0, 1, 2};
  mlcrt_table words_ = {"words", MLCRT_STRING, 0, 2, nullptr, offsets_, nullptr, 0, -1};
  mlcrt_pull pull_ = {1, 0, 0, MLCRT_PULL_NAMES_ROWS};
  std::deque<std::string> texts_;
  std::deque<std::array<int64_t, 2>> dims_;
  std::vector<mlcrt_variable> variables_;
  std::vector<mlcrt_named_rows> namedRows_;
  std::deque<std::vector<mlcrt_operand>> operands_;
  std::vector<mlcrt_segment> segments_;
  mlcrt_artifact table_;
};

} // namespace mlcrt

#endif // MLCRT_TEST_TABLESMODEL_H
