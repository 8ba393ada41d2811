// The description of one entry alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfNames.h"
#include "mlc/Target/Artifact/ArtifactInfo.h"
#include "mlcrt/abi.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>
#include <utility>

using namespace llvm;
using namespace mlc;

/// Whether the compiler's end of a name is that of the ABI.
static constexpr bool isSame(StringLiteral suffix, std::string_view ofAbi) {
  return std::string_view(suffix.data(), suffix.size()) == ofAbi;
}
static_assert(isSame(df::names::kEnds, MLCRT_ENDS_SUFFIX) && isSame(df::names::kWeight, MLCRT_WEIGHT_SUFFIX));

/// The elements of a list that are used, in their order.
template <typename T> static std::vector<T> pick(const std::vector<T> &all, const std::set<int32_t> &used) {
  std::vector<T> picked;
  for (int32_t index : used)
    picked.push_back(all[index]);
  return picked;
}

/// Adds what belongs to the multi-valued features among `used`: the values, by whose name their ends are found, and the
/// ends.
static void addEnds(const ArtifactInfo &info, std::set<int32_t> &used) {
  auto firstDim = [&](int32_t f) {
    const std::vector<int64_t> &dims = info.features[f].dims;
    return dims.empty() ? int64_t{0} : dims.front();
  };
  for (size_t f = 0; f < info.features.size(); ++f) {
    StringRef name = info.features[f].name;
    if (!name.consume_back(MLCRT_ENDS_SUFFIX))
      continue;
    auto values = llvm::find_if(info.features, [&](const ValueInfo &v) { return v.name == name; });
    if (values == info.features.end())
      continue;
    auto index = static_cast<int32_t>(values - info.features.begin());
    if (firstDim(index) < 0 && llvm::any_of(used, [&](int32_t u) { return firstDim(u) == firstDim(index); }))
      used.insert({index, static_cast<int32_t>(f)});
  }
}

/// Keeps the dimensions that follow from those of the features. One that follows from other features is that of values
/// which the entry does not have.
static void selectDimensions(ArtifactInfo &info) {
  std::set<int64_t> known = {MLCRT_SYMBOL_BATCH};
  for (const ValueInfo &feature : info.features)
    for (int64_t dim : feature.dims)
      if (dim < 0)
        known.insert(-1 - dim);
  std::vector<DimensionInfo> kept;
  for (DimensionInfo &dimension : info.dimensions) { // those that it follows from come before it
    const bool product = dimension.kind == MLCRT_DIMENSION_PRODUCT;
    const bool follows = llvm::all_of(llvm::enumerate(dimension.terms), [&](const auto &term) {
      return product ? known.count(term.value()) > 0 : term.value() == 0 || known.count(term.index()) > 0;
    });
    if (!follows)
      continue;
    known.insert(dimension.symbol);
    kept.push_back(std::move(dimension));
  }
  info.dimensions = std::move(kept);
}

std::optional<ArtifactInfo> mlc::selectEntry(const ArtifactInfo &info, mlcrt_role role) {
  auto entry = llvm::find_if(info.entries, [&](const EntryInfo &e) { return e.role == role; });
  if (entry == info.entries.end())
    return std::nullopt;
  auto index = static_cast<int32_t>(entry - info.entries.begin());
  if (llvm::count_if(info.parts, [&](const mlcrt_part &part) { return part.entry == index; }) > 1)
    return std::nullopt;
  std::map<int32_t, std::set<int32_t>> used; // by source
  for (const SegmentInfo &segment : entry->segments)
    for (const mlcrt_operand &operand : segment.operands)
      used[operand.source].insert(operand.index);
  for (int32_t matrix : used[MLCRT_SOURCE_MATRIX])
    for (const mlcrt_column &column : info.matrices[matrix].columns)
      used[MLCRT_SOURCE_FEATURE].insert(column.feature);
  addEnds(info, used[MLCRT_SOURCE_FEATURE]);
  ArtifactInfo selected = info;
  selected.entries = {*entry};
  selected.sums.clear();
  selected.updates.clear();
  selected.shared.clear();
  selected.pulls.clear();
  if (info.spaces.empty()) // what was told of placement
    selected.devices.clear();
  selected.parts.clear();
  selected.channels.clear();
  for (ImageInfo &image : selected.images)
    if (role == MLCRT_ROLE_PREDICT && !image.ofPredict.empty())
      image.bytes = std::exchange(image.ofPredict, {});
  // Of an empty text the entry needs nothing: what it launches is in another image.
  llvm::erase_if(selected.images, [](const ImageInfo &image) { return image.bytes == std::string(1, '\0'); });
  selected.features = pick(info.features, used[MLCRT_SOURCE_FEATURE]);
  selectDimensions(selected);
  selected.variables = pick(info.variables, used[MLCRT_SOURCE_VARIABLE]);
  selected.settings = pick(info.settings, used[MLCRT_SOURCE_SETTING]);
  selected.matrices = pick(info.matrices, used[MLCRT_SOURCE_MATRIX]);
  auto newIndex = [&](mlcrt_source source, int32_t index) {
    const std::set<int32_t> &numbers = used[source];
    return static_cast<int32_t>(std::distance(numbers.begin(), numbers.find(index)));
  };
  for (MatrixInfo &matrix : selected.matrices)
    for (mlcrt_column &column : matrix.columns)
      column.feature = newIndex(MLCRT_SOURCE_FEATURE, column.feature);
  llvm::erase_if(selected.homes,
                 [&](const mlcrt_home &home) { return !used[MLCRT_SOURCE_VARIABLE].count(home.variable); });
  for (mlcrt_home &home : selected.homes) {
    home.variable = newIndex(MLCRT_SOURCE_VARIABLE, home.variable);
    home.flags = 0; // no pull is left
  }
  for (VariableInfo &variable : selected.variables) {
    variable.slotOf = -1;
    variable.slot.clear();
  }
  for (SegmentInfo &segment : selected.entries.front().segments)
    for (mlcrt_operand &operand : segment.operands)
      if (operand.source == MLCRT_SOURCE_FEATURE || operand.source == MLCRT_SOURCE_VARIABLE ||
          operand.source == MLCRT_SOURCE_SETTING || operand.source == MLCRT_SOURCE_MATRIX)
        operand.index = newIndex(static_cast<mlcrt_source>(operand.source), operand.index);
  return selected;
}
