//===- StepBuffer.h - The scalars of a call in one block ---------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_STEPBUFFER_H
#define MLCRT_CORE_STEPBUFFER_H

#include "runtime/src/core/Settings.h"
#include "runtime/src/core/Tensor.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mlcrt {

/// Contexts, settings and values of dimension symbols, as abi.h lays them out (MLCRT_STEP_SETTINGS). Of one runner.
class StepBuffer {
public:
  explicit StepBuffer(const Artifact &artifact)
      : settings_(artifact.table().num_settings), symbols_(artifact.symbolCount()),
        block_(MLCRT_I64, {MLCRT_STEP_SYMBOLS(settings_) + symbols_}) {}

  void setContext(mlcrt_context context, int64_t value) { cells()[context] = value; }
  void setSettings(const Settings &settings) {
    std::copy(settings.cells().begin(), settings.cells().end(), cells() + MLCRT_STEP_SETTINGS);
  }
  /// As many as the artifact has.
  void setSymbols(const std::vector<int64_t> &values) {
    std::copy_n(values.begin(), std::min(values.size(), static_cast<size_t>(symbols_)),
                cells() + MLCRT_STEP_SYMBOLS(settings_));
  }
  void setSymbol(int32_t symbol, int64_t value) { *static_cast<int64_t *>(this->symbol(symbol)) = value; }

  void *context(int32_t index) const { return cells() + index; }
  void *setting(int32_t index) const { return cells() + MLCRT_STEP_SETTINGS + index; }
  void *symbol(int32_t index) const { return cells() + MLCRT_STEP_SYMBOLS(settings_) + index; }
  const int64_t *symbols() const { return static_cast<const int64_t *>(symbol(0)); }
  /// All cells.
  const TensorView &block() const { return block_.buffer(); }

private:
  int64_t *cells() const { return block_.as<int64_t>(); }

  int64_t settings_, symbols_;
  Tensor block_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_STEPBUFFER_H
