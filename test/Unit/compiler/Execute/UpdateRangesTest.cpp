// The compiled functions over ranges of rows do together what the compiled train_apply does, bit by bit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CompiledModule.h"
#include "RandomValues.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <limits>

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::State;
using interp::Tensor;

/// Rows [begin, end).
static Tensor rowsOf(const Tensor &value, int64_t begin, int64_t end) {
  llvm::SmallVector<int64_t> shape(value.getShape());
  shape[0] = end - begin;
  Tensor rows(value.getKind(), shape);
  rows.copyElements(0, value, begin * value.getRowSize(), (end - begin) * value.getRowSize());
  return rows;
}

namespace {

/// One step's update, by ranges.
class RangeUpdate {
public:
  RangeUpdate(const CompiledModule &module, TensorMap sums, const State &before)
      : module(module), artifact(module.artifact()), sums(std::move(sums)), before(before), state(before) {}

  void run(int64_t pieces);

  const State &getState() const { return state; }
  const TensorMap &getOutputs() const { return outputs; }

private:
  void runShared(const mlcrt_update &update);
  void runRange(const mlcrt_update &update, int64_t begin, int64_t end);
  void takeEntries(const mlcrt_value &operand, int64_t begin, int64_t end, EntryCall &call);
  void append(const mlcrt_value &operand, const Tensor &part, int64_t count);

  const CompiledModule &module;
  const mlcrt_artifact &artifact;
  TensorMap sums, shared, outputs;
  std::map<int64_t, int64_t> entries; ///< those that count in the range, by symbol
  const State &before;
  State state;
};

} // namespace

/// The part of a sparse sum of the entries whose ids lie in the range.
void RangeUpdate::takeEntries(const mlcrt_value &operand, int64_t begin, int64_t end, EntryCall &call) {
  auto [table, part] = llvm::StringRef(operand.name).rsplit('.');
  const Tensor &ids = sums.at((table + ".ids").str()), &whole = sums.at(operand.name);
  int64_t count = sums.at((table + ".count").str()).getInteger(0), first = 0;
  while (first < count && ids.getInteger(first) < begin)
    ++first;
  int64_t last = first;
  while (last < count && ids.getInteger(last) < end)
    ++last;
  if (part == "count") {
    call.sumsA[operand.name] = Tensor::scalar(last - first);
    return;
  }
  int64_t perRow = ids.getRank() > 1 ? ids.getDimSize(1) : 1, rows = (last - first + perRow - 1) / perRow;
  call.symbols[-1 - operand.dims[0]] = rows;
  entries[-1 - operand.dims[0]] = last - first;
  llvm::SmallVector<int64_t> shape(whole.getShape());
  shape[0] = rows;
  Tensor entries(whole.getKind(), shape);
  // After those that count: what no update may use.
  for (int64_t i = 0; i < entries.getNumElements(); ++i)
    if (interp::isFloatKind(entries.getKind()))
      entries.setFloat(i, std::numeric_limits<double>::quiet_NaN());
    else
      entries.setInteger(i, std::numeric_limits<int64_t>::max());
  int64_t size = whole.getNumElements() / ids.getNumElements();
  entries.copyElements(0, whole, first * size, (last - first) * size);
  for (int64_t e = 0; part == "ids" && e < last - first; ++e)
    entries.setInteger(e, entries.getInteger(e) - begin);
  call.sumsA[operand.name] = entries;
}

/// What a range made of its rows, or its entries, after what those before it made.
void RangeUpdate::append(const mlcrt_value &operand, const Tensor &part, int64_t count) {
  Tensor &all = shared.try_emplace(operand.name, Tensor(part.getKind(), {0})).first->second;
  Tensor longer(part.getKind(), {all.getNumElements() + count});
  longer.copyElements(0, all, 0, all.getNumElements());
  longer.copyElements(all.getNumElements(), part, 0, count);
  all = longer;
}

void RangeUpdate::runShared(const mlcrt_update &update) {
  EntryCall call;
  call.entry = artifact.entries[update.entry].name;
  call.sumsA = sums;
  call.shared = shared;
  const mlcrt_segment &segment = artifact.entries[update.entry].segments[0];
  for (int32_t i = 0; i < segment.num_operands; ++i) {
    const mlcrt_value &operand = update.operands[i];
    if (segment.operands[i].source != MLCRT_SOURCE_SHARED || segment.operands[i].access != MLCRT_READ ||
        operand.rank == 0 || operand.dims[0] >= 0)
      continue;
    // Entries of all ranges, as the parts of their sum lie: [n] or [n, k].
    const Tensor &value = shared.at(operand.name);
    int64_t perRow = operand.rank > 1 ? operand.dims[1] : 1, rows = (value.getNumElements() + perRow - 1) / perRow;
    Tensor laid(value.getKind(),
                operand.rank > 1 ? llvm::SmallVector<int64_t>{rows, perRow} : llvm::SmallVector<int64_t>{rows});
    laid.copyElements(0, value, 0, value.getNumElements());
    call.shared[operand.name] = laid;
    call.symbols[-1 - operand.dims[0]] = rows;
  }
  EntryResult result = module.run(call, state);
  ASSERT_EQ(result.code, MLCRT_OK);
  for (auto &[name, value] : result.outputs)
    outputs[name] = value;
  for (auto &[name, value] : result.shared)
    shared[name] = value;
}

void RangeUpdate::runRange(const mlcrt_update &update, int64_t begin, int64_t end) {
  const mlcrt_segment &segment = artifact.entries[update.entry].segments[0];
  EntryCall call;
  call.entry = artifact.entries[update.entry].name;
  call.shared = shared;
  call.symbols[update.rows_symbol] = end - begin;
  State range;
  for (int32_t i = 0; i < segment.num_operands; ++i) {
    const mlcrt_value &operand = update.operands[i];
    if (segment.operands[i].source == MLCRT_SOURCE_VARIABLE)
      range.set(operand.name, rowsOf(*before.lookup(operand.name), begin, end));
    else if (segment.operands[i].source == MLCRT_SOURCE_SUM_A && operand.rank > 0 &&
             operand.dims[0] == MLCRT_DIM_SYMBOL(update.rows_symbol))
      call.sumsA[operand.name] = rowsOf(sums.at(operand.name), begin, end);
    else if (segment.operands[i].source == MLCRT_SOURCE_SUM_A)
      takeEntries(operand, begin, end, call);
  }
  EntryResult result = module.run(call, range);
  ASSERT_EQ(result.code, MLCRT_OK);
  for (int32_t i = 0; i < segment.num_operands; ++i)
    if (const mlcrt_value &operand = update.operands[i]; result.shared.count(operand.name))
      append(operand, result.shared.at(operand.name),
             operand.dims[0] == MLCRT_DIM_SYMBOL(update.rows_symbol) ? end - begin : entries.at(-1 - operand.dims[0]));
  if (artifact.entries[update.entry].role == MLCRT_ROLE_TRAIN_PARTIAL)
    return;
  for (const auto &[name, rows] : range.getVariables()) {
    Tensor whole = *state.lookup(name);
    whole.copyElements(begin * whole.getRowSize(), rows, 0, rows.getNumElements());
    state.set(name, whole);
  }
}

void RangeUpdate::run(int64_t pieces) {
  for (int64_t u = 0; u < artifact.num_updates; ++u) {
    const mlcrt_update &update = artifact.updates[u];
    if (artifact.entries[update.entry].role == MLCRT_ROLE_TRAIN_SHARED) {
      runShared(update);
      continue;
    }
    for (int64_t piece = 0, begin = 0; piece < pieces; ++piece) {
      int64_t end = piece + 1 == pieces ? update.rows : std::min(update.rows, begin + (update.rows + piece) / pieces);
      if (begin < end)
        runRange(update, begin, end);
      begin = end;
    }
  }
}

/// Compiles a program of test/Unit/compiler/Execute/Inputs, runs one step's sums and compares.
static void expectSame(const std::string &input, int64_t numUpdates, int64_t numPartials) {
  auto text = llvm::MemoryBuffer::getFile(MLC_EXECUTE_INPUTS "/" + input);
  ASSERT_TRUE(bool(text));
  auto module = CompiledModule::create((*text)->getBuffer().str(), "x86-64-v3");
  ASSERT_TRUE(module);
  const mlcrt_artifact &artifact = module->artifact();
  std::map<int32_t, int64_t> numbers;
  for (int64_t u = 0; u < artifact.num_updates; ++u)
    ++numbers[artifact.entries[artifact.updates[u].entry].role];
  EXPECT_EQ(numbers[MLCRT_ROLE_TRAIN_UPDATE], numUpdates);
  EXPECT_EQ(numbers[MLCRT_ROLE_TRAIN_PARTIAL], numPartials);

  constexpr int64_t kRows = 23;
  RandomValues random(3);
  State before;
  for (int32_t v = 0; v < artifact.num_variables; ++v) {
    const mlcrt_value &value = artifact.variables[v].value;
    llvm::ArrayRef<int64_t> shape(value.dims, value.rank);
    if (value.dtype == MLCRT_F32 || value.dtype == MLCRT_F64)
      before.set(value.name, random.floats(value.dtype == MLCRT_F32 ? ElementKind::F32 : ElementKind::F64, shape,
                                           artifact.variables[v].slot ? 0.125 : -1, 1));
    else
      before.set(value.name, random.integers(ElementKind::I64, shape, 3, 9));
  }
  EntryCall grad;
  grad.entry = "train_grad";
  grad.rows = kRows;
  grad.context.step = 3;
  grad.features["x"] = random.floats(ElementKind::F32, {kRows, 4}, -2, 2);
  grad.features["word"] = random.strings({kRows}, {"red", "green", "blue", "", "unknown", "another"});
  grad.features["number"] = random.integers(ElementKind::I64, {kRows}, -9, 30);
  grad.features["label"] = random.strings({kRows}, {"no", "perhaps", "yes"});
  grad.features["weight"] = random.floats(ElementKind::F32, {kRows}, 0.5, 2);
  EntryResult sums = module->run(grad, before);
  ASSERT_EQ(sums.code, MLCRT_OK);

  EntryCall apply;
  apply.entry = "train_apply";
  apply.rows = kRows;
  apply.sumsA = sums.sums;
  State whole = before;
  EntryResult result = module->run(apply, whole);
  ASSERT_EQ(result.code, MLCRT_OK);
  int64_t changed = 0;
  for (const auto &[name, value] : whole.getVariables())
    changed += !value.identical(*before.lookup(name));
  EXPECT_GT(changed, numUpdates) << "all are updated, and the step";
  for (int64_t pieces : {1, 2, 3, 7}) {
    SCOPED_TRACE(std::to_string(pieces) + " ranges");
    RangeUpdate ranges(*module, sums.sums, before);
    ranges.run(pieces);
    EXPECT_EQ(ranges.getOutputs().size(), result.outputs.size());
    for (const auto &[name, value] : ranges.getOutputs())
      EXPECT_TRUE(value.identical(result.outputs.at(name))) << name;
    for (const auto &[name, value] : whole.getVariables())
      EXPECT_TRUE(ranges.getState().lookup(name)->identical(value)) << name;
  }
}

TEST(UpdateRanges, HasTheBitsOfTheWholeUpdate) { expectSame("training.mlir", 5, 0); }

TEST(UpdateRanges, HasThemWithNormsAndRegularizers) { expectSame("regularized.mlir", 19, 14); }
