//===- ValidationCut.cpp - Which rows a first spec holds out -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/SpecInit/ValidationCut.h"
#include "common/cluster/RowCut.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <farmhash.h>

using namespace mlc;
using namespace mlc::frontend;

void ValidationCut::add(llvm::StringRef record, llvm::StringRef label) {
  if (rows_.size() >= kMostRows)
    return;
  Row row{util::Fingerprint64(record.data(), record.size()), util::Fingerprint64(label.data(), label.size()), 0};
  label.trim().getAsDouble(row.number);
  rows_.push_back(row);
}

void ValidationCut::append(ValidationCut &&next) {
  const size_t count = std::min(next.rows_.size(), kMostRows - rows_.size());
  rows_.insert(rows_.end(), next.rows_.begin(), next.rows_.begin() + static_cast<std::ptrdiff_t>(count));
}

ValidationCut::Choice ValidationCut::choose(double share, bool isNumber) const {
  constexpr size_t kTenths = 10;
  // Rows get the number of their class.
  std::vector<size_t> classes(rows_.size());
  std::vector<int64_t> sizes;
  if (isNumber) {
    std::vector<size_t> order(rows_.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    llvm::stable_sort(order, [&](size_t a, size_t b) { return rows_[a].number < rows_[b].number; });
    sizes.resize(kTenths);
    for (size_t i = 0; i < order.size(); ++i)
      ++sizes[classes[order[i]] = i * kTenths / order.size()];
  } else {
    llvm::DenseMap<uint64_t, size_t> numbers;
    for (size_t i = 0; i < rows_.size(); ++i) {
      // The two greatest keys are the map's own.
      auto [number, isNew] = numbers.try_emplace(rows_[i].label >> 1, sizes.size());
      if (isNew)
        sizes.push_back(0);
      ++sizes[classes[i] = number->second];
    }
  }
  Choice best{0, 0, static_cast<int64_t>(rows_.size())};
  double least = -1;
  std::vector<int64_t> out(sizes.size());
  for (int64_t seed = 0; seed < kSeeds; ++seed) {
    common::RowCut cut;
    cut.share = share;
    cut.seed = seed;
    std::fill(out.begin(), out.end(), 0);
    for (size_t i = 0; i < rows_.size(); ++i)
      out[classes[i]] += cut.holdsOut(rows_[i].hash);
    double chiSquare = 0;
    int64_t heldOut = 0;
    for (auto [size, count] : llvm::zip_equal(sizes, out)) {
      double expected = share * static_cast<double>(size), excess = static_cast<double>(count) - expected;
      chiSquare += size > 0 ? excess * excess / expected : 0;
      heldOut += count;
    }
    if (least < 0 || chiSquare < least) {
      least = chiSquare;
      best.seed = seed;
      best.heldOut = heldOut;
    }
  }
  return best;
}
