// Runs the segments of an entry: binds operands to guarded memory, calls, checks, takes results out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AllocationCount.h"
#include "CompiledModule.h"
#include "GuardedMemory.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::Tensor;

static ElementKind kindOf(int32_t dtype) {
  switch (dtype) {
  case MLCRT_F32:
    return ElementKind::F32;
  case MLCRT_F64:
    return ElementKind::F64;
  case MLCRT_BOOL:
    return ElementKind::I1;
  case MLCRT_F16:
    return ElementKind::F16;
  case MLCRT_BF16:
    return ElementKind::BF16;
  case MLCRT_U8:
    return ElementKind::UI8;
  case MLCRT_U16:
    return ElementKind::UI16;
  case MLCRT_U32:
    return ElementKind::UI32;
  case MLCRT_U64:
    return ElementKind::UI64;
  case MLCRT_I8:
    return ElementKind::I8;
  case MLCRT_I16:
    return ElementKind::I16;
  case MLCRT_I32:
    return ElementKind::I32;
  case MLCRT_I64:
    return ElementKind::I64;
  case MLCRT_STRING:
    return ElementKind::String;
  default:
    ADD_FAILURE() << "dtype " << dtype << " is none that compiled code has";
    return ElementKind::I8;
  }
}

namespace {

/// A tensor in guarded memory.
struct Place {
  std::string name;    // for messages
  mlcrt_buffer buffer; // but for its dims
  std::vector<int64_t> dims;
  GuardedMemory memory;
};

/// One call of an entry.
class EntryRun {
public:
  EntryRun(const mlcrt_artifact &artifact, const mlcrt_entry &entry, const EntryCall &call, interp::State &state,
           FakeServices &services)
      : artifact(artifact), entry(entry), call(call), state(state), services(services) {
    symbols = bindSymbols(call.rows, call.features);
    globalSymbols = bindSymbols(call.globalRows.value_or(call.rows),
                                call.globalFeatures.empty() ? call.features : call.globalFeatures);
    for (auto [symbol, value] : call.symbols) {
      symbols.resize(std::max<size_t>(symbols.size(), symbol + 1), -1);
      symbols[symbol] = value;
    }
  }

  EntryResult run();

private:
  std::vector<int64_t> bindSymbols(int64_t rows, const TensorMap &features) const;
  Place &placeOf(const mlcrt_operand &operand);
  Place makePlace(const mlcrt_operand &operand);
  Place makeEmpty(const std::string &name, const mlcrt_value &value, const std::vector<int64_t> &of);
  Place makeFilled(const std::string &name, const Tensor &value, int32_t dtype);
  const mlcrt_value &operandOfUpdate(const mlcrt_operand &operand) const;
  int32_t runSegment(const mlcrt_segment &segment);
  int32_t checkErrorSlot(const mlcrt_segment &segment);
  Tensor read(const Place &place) const;

  const mlcrt_artifact &artifact;
  const mlcrt_entry &entry;
  const EntryCall &call;
  interp::State &state;
  FakeServices &services;
  /// Values of the dimension symbols of the call, and for sums of the global batch.
  std::vector<int64_t> symbols, globalSymbols;
  /// By (source, index).
  std::map<std::pair<int32_t, int32_t>, Place> places;
};

} // namespace

static int64_t numElements(llvm::ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t d : dims)
    count *= d;
  return count;
}

static int64_t elementSize(ElementKind kind) {
  return kind == ElementKind::String ? sizeof(mlcrt_string) : Tensor(kind, {}).getElementSize();
}

/// From the features, and from each other. After them garbage that no formula may use.
std::vector<int64_t> EntryRun::bindSymbols(int64_t rows, const TensorMap &features) const {
  std::map<int64_t, int64_t> known = {{MLCRT_SYMBOL_BATCH, rows}};
  std::map<int64_t, const Tensor *> ends;
  for (int32_t f = 0; f < artifact.num_features; ++f) {
    const mlcrt_value &feature = artifact.features[f];
    auto value = features.find(feature.name);
    if (value == features.end() || feature.rank == 0)
      continue;
    for (int32_t d = 0; d < feature.rank; ++d)
      if (feature.dims[d] < MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH))
        known[-1 - feature.dims[d]] = value->second.getDimSize(d);
    if (feature.dims[0] >= MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH))
      continue;
    if (auto of = features.find(std::string(feature.name) + MLCRT_ENDS_SUFFIX); of != features.end())
      ends[-1 - feature.dims[0]] = &of->second;
  }
  for (int64_t i = 0; i < artifact.num_dimensions; ++i) {
    const mlcrt_dimension &dimension = artifact.dimensions[i];
    int64_t &sum = known[dimension.symbol];
    for (int64_t k = 0; dimension.kind == MLCRT_DIMENSION_SUM && k < dimension.num_terms; ++k)
      sum += dimension.terms[k] * known[k];
    for (int64_t row = 0; dimension.kind == MLCRT_DIMENSION_PRODUCT && row < rows; ++row) {
      int64_t product = 1;
      for (int64_t t = 0; t < dimension.num_terms; ++t)
        if (const Tensor *of = ends[dimension.terms[t]])
          product *= of->getInteger(row) - (row ? of->getInteger(row - 1) : 0);
        else
          product = 0;
      sum += product;
    }
  }
  std::vector<int64_t> result(known.rbegin()->first + 2, -1);
  for (auto [symbol, value] : known)
    result[symbol] = value;
  return result;
}

Place EntryRun::makeEmpty(const std::string &name, const mlcrt_value &value, const std::vector<int64_t> &of) {
  mlcrt_buffer buffer = {nullptr, value.dtype, value.rank, nullptr, nullptr};
  std::vector<int64_t> dims(value.rank);
  if (std::find(value.dims, value.dims + value.rank, MLCRT_DIM_OF_CALL) != value.dims + value.rank) {
    for (int32_t d = 0; d < value.rank; ++d)
      dims[d] = std::max<int64_t>(value.dims[d], 0);
    return {name, buffer, dims, GuardedMemory(0, services.getOptions().fill)};
  }
  for (int32_t d = 0; d < value.rank; ++d)
    dims[d] = value.dims[d] < 0 ? of.at(-1 - value.dims[d]) : value.dims[d];
  GuardedMemory memory(numElements(dims) * elementSize(kindOf(value.dtype)), services.getOptions().fill);
  buffer.data = memory.data();
  return {name, buffer, dims, std::move(memory)};
}

/// A place that holds `value`; string cells point into it.
Place EntryRun::makeFilled(const std::string &name, const Tensor &value, int32_t dtype) {
  EXPECT_EQ(value.getKind(), kindOf(dtype)) << name;
  GuardedMemory memory(value.getNumElements() * elementSize(value.getKind()), 0);
  if (value.getKind() == ElementKind::String)
    for (int64_t i = 0; i < value.getNumElements(); ++i) {
      const std::string &text = value.getString(i);
      reinterpret_cast<mlcrt_string *>(memory.data())[i] = {text.data(), static_cast<int64_t>(text.size())};
    }
  else if (value.getNumElements())
    std::memcpy(memory.data(), value.getBytes().data(), value.getBytes().size());
  mlcrt_buffer buffer = {memory.data(), dtype, static_cast<int32_t>(value.getRank()), nullptr, nullptr};
  return {name, buffer, value.getShape().vec(), std::move(memory)};
}

/// `given`, or a scalar after a failure of the test.
static const Tensor &orFailure(const Tensor *given, const std::string &name) {
  static const Tensor none;
  EXPECT_TRUE(given) << "nothing gives the value of " << name;
  return given ? *given : none;
}

/// An operand as a function over ranges of rows has it.
const mlcrt_value &EntryRun::operandOfUpdate(const mlcrt_operand &operand) const {
  for (int64_t u = 0; u < artifact.num_updates; ++u)
    for (int64_t i = 0; &artifact.entries[artifact.updates[u].entry] == &entry && i < artifact.updates[u].num_operands;
         ++i)
      if (entry.segments[0].operands[i].source == operand.source &&
          entry.segments[0].operands[i].index == operand.index)
        return artifact.updates[u].operands[i];
  ADD_FAILURE() << entry.name << " is no function of the update";
  return artifact.shared[operand.index];
}

Place EntryRun::makePlace(const mlcrt_operand &operand) {
  auto named = [&](const mlcrt_value &value, const TensorMap &values, const char *what) {
    auto it = values.find(value.name);
    std::string name = what + std::string(value.name);
    // Not a copy: string cells point into it.
    return makeFilled(name, orFailure(it == values.end() ? nullptr : &it->second, name), value.dtype);
  };
  switch (operand.source) {
  case MLCRT_SOURCE_FEATURE:
    return named(artifact.features[operand.index], call.features, "feature ");
  case MLCRT_SOURCE_MATRIX: {
    const mlcrt_matrix &matrix = artifact.matrices[operand.index];
    const int64_t rows = symbols.at(MLCRT_SYMBOL_BATCH), width = matrix.value.dims[1];
    Tensor all(kindOf(matrix.value.dtype), {rows, width});
    for (int64_t c = 0; c < matrix.num_columns; ++c) {
      const mlcrt_value &feature = artifact.features[matrix.columns[c].feature];
      auto it = call.features.find(feature.name);
      const Tensor &column = orFailure(it == call.features.end() ? nullptr : &it->second, feature.name);
      const int64_t perRow = rows ? column.getNumElements() / rows : 0;
      for (int64_t r = 0; r < rows; ++r)
        all.copyElements(r * width + matrix.columns[c].offset, column, r * perRow, perRow);
    }
    return makeFilled(std::string("matrix ") + matrix.value.name, all, matrix.value.dtype);
  }
  case MLCRT_SOURCE_VARIABLE: {
    const mlcrt_value &value = artifact.variables[operand.index].value;
    std::string name = std::string("variable ") + value.name;
    return makeFilled(name, orFailure(state.lookup(value.name), name), value.dtype);
  }
  case MLCRT_SOURCE_SETTING: {
    const mlcrt_setting &setting = artifact.settings[operand.index];
    Tensor value =
        setting.dtype == MLCRT_I64 ? Tensor::scalar(setting.i64) : Tensor::scalar(kindOf(setting.dtype), setting.f64);
    if (const Tensor *given = state.lookupSetting(setting.path))
      value = setting.dtype == MLCRT_I64 ? *given : Tensor::scalar(kindOf(setting.dtype), given->getFloat(0));
    return makeFilled(std::string("setting ") + setting.path, value, setting.dtype);
  }
  case MLCRT_SOURCE_CONTEXT: {
    // The key is of a tensor of several in one variable, for each of which the runtime calls.
    EXPECT_NE(operand.index, MLCRT_CONTEXT_KEY) << "segments over named rows are run by the runtime alone";
    int64_t values[] = {static_cast<int64_t>(call.context.seed), call.context.step, call.context.firstRow, 0};
    return makeFilled("context", Tensor::scalar(values[operand.index]), MLCRT_I64);
  }
  case MLCRT_SOURCE_INTERMEDIATE:
    return makeEmpty("intermediate", entry.intermediates[operand.index], symbols);
  case MLCRT_SOURCE_OUTPUT:
    return makeEmpty(std::string("output ") + entry.outputs[operand.index].name, entry.outputs[operand.index], symbols);
  case MLCRT_SOURCE_ERROR:
    return makeFilled("error slot", Tensor::ofIntegers(ElementKind::UI64, {}, static_cast<int64_t>(MLCRT_NO_ERROR)),
                      MLCRT_U64);
  case MLCRT_SOURCE_DIMENSION:
    return makeFilled("dimension", Tensor::scalar(symbols.at(operand.index)), MLCRT_I64);
  case MLCRT_SOURCE_SUM_A:
    return named(artifact.sums[operand.index], call.sumsA, "left sum ");
  case MLCRT_SOURCE_SUM_B:
    return named(artifact.sums[operand.index], call.sumsB, "right sum ");
  case MLCRT_SOURCE_SHARED:
    if (operand.access == MLCRT_READ)
      return named(artifact.shared[operand.index], call.shared, "shared value ");
    return makeEmpty(std::string("shared value ") + artifact.shared[operand.index].name, operandOfUpdate(operand),
                     symbols);
  default:
    EXPECT_EQ(operand.source, MLCRT_SOURCE_SUM_OUT);
    return makeEmpty(std::string("sum ") + artifact.sums[operand.index].name, artifact.sums[operand.index],
                     globalSymbols);
  }
}

Place &EntryRun::placeOf(const mlcrt_operand &operand) {
  std::pair<int32_t, int32_t> key(operand.source, operand.index);
  auto it = places.find(key);
  if (it == places.end())
    it = places.emplace(key, makePlace(operand)).first;
  return it->second;
}

int32_t EntryRun::runSegment(const mlcrt_segment &segment) {
  const RunOptions &options = services.getOptions();
  std::vector<GuardedMemory> workspaceMemory;
  std::vector<mlcrt_memory> workspaces;
  std::vector<GuardedMemory *> ofHost, ofDevice;
  workspaceMemory.reserve(segment.num_workspaces);
  for (int64_t i = 0; i < segment.num_workspaces; ++i) {
    const int64_t bytes = segment.workspaces[i].size(symbols.data(), options.threads);
    EXPECT_GE(bytes, 0) << segment.name;
    GuardedMemory &memory = workspaceMemory.emplace_back(bytes, options.fill);
    workspaces.push_back({memory.data(), bytes});
    (segment.workspaces[i].space == MLCRT_SPACE_HOST ? ofHost : ofDevice).push_back(&memory);
  }
  std::vector<Place *> operands;
  std::vector<mlcrt_buffer> buffers;
  std::vector<std::vector<int64_t>> dims; // the call's own
  for (int32_t i = 0; i < segment.num_operands; ++i) {
    Place &place = placeOf(segment.operands[i]);
    place.memory.setReadOnly(!(segment.operands[i].access & MLCRT_WRITE));
    operands.push_back(&place);
    (segment.operands[i].space == MLCRT_SPACE_HOST ? ofHost : ofDevice).push_back(&place.memory);
    buffers.push_back(place.buffer);
    dims.push_back(place.dims);
    buffers.back().dims = dims.back().data(); // which stay where they are when the list grows
  }
  mlcrt_frame frame = {sizeof(mlcrt_frame), static_cast<uint32_t>(options.threads),
                       &services.table(),   &services,
                       buffers.data(),      workspaces.data()};
  int32_t code = MLCRT_INTERNAL;
  services.setMemories(ofHost, ofDevice);
  int64_t allocationsBefore = mlcrt::allocationCount() - services.getAllocations();
  std::optional<const void *> fault = faultOf([&] { code = segment.run(&frame); });
  EXPECT_EQ(mlcrt::allocationCount() - services.getAllocations(), allocationsBefore)
      << segment.name << " allocates memory";
  services.clearMemories();
  if (fault) {
    std::string where = "no operand";
    for (GuardedMemory &workspace : workspaceMemory)
      if (workspace.holds(*fault) || workspace.isGuard(*fault))
        where = "a workspace";
    for (auto [i, place] : llvm::enumerate(operands))
      if (place->memory.isGuard(*fault))
        where = "what lies around " + place->name;
      else if (place->memory.holds(*fault))
        where = place->name + (segment.operands[i].space != MLCRT_SPACE_HOST ? ", which lies in the device's memory"
                               : artifact.num_spaces ? ", which it may only read, and not from the device"
                                                     : ", which it may only read");
    ADD_FAILURE() << segment.name << " of " << call.rows << " rows touches " << where;
  }
  for (GuardedMemory &workspace : workspaceMemory)
    EXPECT_TRUE(workspace.isPatternIntact())
        << segment.name << " writes past its workspace of " << workspace.size() << " bytes";
  EXPECT_TRUE(services.isArenaIntact()) << segment.name << " writes around a piece of the arena";
  for (auto [i, place] : llvm::enumerate(operands)) {
    EXPECT_TRUE(place->memory.isPatternIntact()) << segment.name << " writes around " << place->name;
    if (!place->buffer.data) { // an output whose size only the call knows
      place->buffer.data = buffers[i].data;
      place->dims = dims[i];
      continue;
    }
    EXPECT_TRUE(buffers[i].data == place->buffer.data && buffers[i].dtype == place->buffer.dtype &&
                buffers[i].rank == place->buffer.rank && buffers[i].dims == dims[i].data() && dims[i] == place->dims)
        << segment.name << " changes the shape of " << place->name;
  }
  return code;
}

/// The code of the error that a segment left in its error slot: that of its checks on the host, which say what it is.
int32_t EntryRun::checkErrorSlot(const mlcrt_segment &segment) {
  auto slot = places.find({MLCRT_SOURCE_ERROR, 0});
  if (slot == places.end())
    return MLCRT_OK;
  const auto error = *static_cast<const uint64_t *>(slot->second.buffer.data);
  if (error == MLCRT_NO_ERROR)
    return MLCRT_OK;
  const auto check = static_cast<int64_t>(error & ((uint64_t{1} << MLCRT_ERROR_CHECK_BITS) - 1));
  EXPECT_EQ(error, MLCRT_ERROR(MLCRT_NO_ROW, check));
  if (check >= artifact.num_checks) {
    ADD_FAILURE() << segment.name << " fails check " << check << ", which the artifact does not have";
    return MLCRT_INTERNAL;
  }
  for (int32_t s = 0; s < entry.num_segments; ++s)
    if (entry.segments[s].kind == MLCRT_SEGMENT_CALLED &&
        entry.segments[s].name == segment.name + std::string(".checks"))
      if (int32_t code = runSegment(entry.segments[s])) {
        EXPECT_EQ(code, artifact.checks[check].code);
        return code;
      }
  ADD_FAILURE() << "nothing tells what " << segment.name << " left: " << artifact.checks[check].message;
  return artifact.checks[check].code;
}

Tensor EntryRun::read(const Place &place) const {
  Tensor result(kindOf(place.buffer.dtype), place.dims);
  if (result.getKind() == ElementKind::String) {
    auto *cells = static_cast<const mlcrt_string *>(place.buffer.data);
    for (int64_t i = 0; i < result.getNumElements(); ++i) {
      if (cells[i].size < 0) {
        ADD_FAILURE() << place.name << ": cell " << i << " was not written";
        break;
      }
      result.setString(i, {cells[i].data, static_cast<size_t>(cells[i].size)});
    }
  } else if (!result.getBytes().empty()) {
    std::memcpy(result.getBytes().data(), place.buffer.data, result.getBytes().size());
  }
  return result;
}

EntryResult EntryRun::run() {
  EntryResult result;
  for (int32_t s = 0; s < entry.num_segments && !result.code; ++s)
    if (const mlcrt_segment &segment = entry.segments[s]; segment.kind != MLCRT_SEGMENT_CALLED)
      if (result.code = runSegment(segment); !result.code)
        result.code = checkErrorSlot(segment);
  for (auto &[key, place] : places) {
    auto [source, index] = key;
    // What a variable holds is the state even after a failure.
    if (source == MLCRT_SOURCE_VARIABLE)
      state.set(artifact.variables[index].value.name, read(place));
    else if (source == MLCRT_SOURCE_OUTPUT && !result.code)
      result.outputs[entry.outputs[index].name] = read(place);
    else if (source == MLCRT_SOURCE_SUM_OUT && !result.code)
      result.sums[artifact.sums[index].name] = read(place);
  }
  // Others read what it writes, and it may read what others write.
  for (int32_t s = 0; s < entry.num_segments && !result.code; ++s)
    for (int32_t i = 0; i < entry.segments[s].num_operands; ++i)
      if (const mlcrt_operand &operand = entry.segments[s].operands[i];
          operand.source == MLCRT_SOURCE_SHARED && (operand.access & MLCRT_WRITE))
        result.shared[artifact.shared[operand.index].name] = read(placeOf(operand));
  return result;
}

EntryResult mlc::execute::runEntry(const mlcrt_artifact &artifact, const mlcrt_entry &entry, const EntryCall &call,
                                   interp::State &state, FakeServices &services) {
  return EntryRun(artifact, entry, call, state, services).run();
}
