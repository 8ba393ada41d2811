// Updates of optimizers as plain loops over f32, compiled for one target as the loops LOOPS.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "UpdateLoops.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <type_traits>

namespace {
template <Rule rule>
inline void updateRun(const Hyper &h, float scale, const float *__restrict g, float *__restrict w, float *__restrict a,
                      float *__restrict b, int64_t n) {
#pragma clang loop vectorize(enable) interleave(enable)
  for (int64_t i = 0; i < n; ++i) {
    const float d = scale * g[i];
    if constexpr (rule == Rule::Sgd) {
      w[i] -= h.eta * d;
    } else if constexpr (rule == Rule::Momentum) {
      a[i] = h.momentum * a[i] - h.eta * d;
      w[i] += a[i];
    } else if constexpr (rule == Rule::Adagrad) {
      a[i] += d * d;
      w[i] -= h.eta * d / (std::sqrt(a[i]) + h.epsilon);
    } else if constexpr (rule == Rule::Adam) {
      a[i] = h.beta1 * a[i] + (1 - h.beta1) * d;
      b[i] = h.beta2 * b[i] + (1 - h.beta2) * d * d;
      w[i] -= h.eta * a[i] / (std::sqrt(b[i]) + h.epsilon);
    } else {
      const float root = std::sqrt(a[i] + d * d);
      const float z = b[i] + d - (root - std::sqrt(a[i])) * h.inverse * w[i];
      a[i] += d * d;
      b[i] = z;
      const float found = (std::copysign(h.l1, z) - z) / (root * h.inverse + 2 * h.l2);
      w[i] = std::fabs(z) <= h.l1 ? 0 : found;
    }
  }
}

/// Calls `run` with the rule as a constant.
template <typename Run> void dispatch(Rule rule, Run run) {
  switch (rule) {
  case Rule::Sgd:
    return run(std::integral_constant<Rule, Rule::Sgd>());
  case Rule::Momentum:
    return run(std::integral_constant<Rule, Rule::Momentum>());
  case Rule::Adagrad:
    return run(std::integral_constant<Rule, Rule::Adagrad>());
  case Rule::Adam:
    return run(std::integral_constant<Rule, Rule::Adam>());
  case Rule::Ftrl:
    return run(std::integral_constant<Rule, Rule::Ftrl>());
  }
}

void updateDense(Rule rule, const Hyper &hyper, float scale, const float *g, float *w, float *a, float *b, int64_t n) {
  dispatch(rule, [&](auto of) { updateRun<of.value>(hyper, scale, g, w, a, b, n); });
}

void updateRows(Rule rule, const Hyper &hyper, float scale, const int64_t *ids, int64_t count, int64_t width,
                const float *g, float *w, float *a, float *b) {
  dispatch(rule, [&](auto of) {
    // As many cache lines ahead as memory brings at a time.
    constexpr int64_t kLine = 16, kLinesAhead = 96, kMostAhead = 32;
    const int64_t lines = (width + kLine - 1) / kLine * (1 + (a != nullptr) + (b != nullptr));
    const int64_t ahead = std::max<int64_t>(1, std::min(kMostAhead, kLinesAhead / lines));
    for (int64_t k = 0; k < count; ++k) {
      const int64_t at = ids[k] * width, later = ids[std::min(k + ahead, count - 1)] * width;
      for (int64_t c = 0; c < width; c += kLine)
        for (const float *table : {w, a, b})
          if (table)
            __builtin_prefetch(table + later + c, 1);
      updateRun<of.value>(hyper, scale, g + k * width, w + at, a ? a + at : a, b ? b + at : b, width);
    }
  });
}

void updateTable(Rule rule, const Hyper &hyper, float scale, const int64_t *ids, int64_t count, int64_t rows,
                 int64_t width, const float *g, float *w, float *a, float *b) {
  static const float kZeros[1024] = {};
  dispatch(rule, [&](auto of) {
    for (int64_t row = 0, k = 0; row < rows; ++row) {
      const bool has = k < count && ids[k] == row;
      updateRun<of.value>(hyper, scale, has ? g + k * width : kZeros, w + row * width, a + row * width, b + row * width,
                          width);
      k += has;
    }
  });
}
} // namespace

const Loops LOOPS = {updateDense, updateRows, updateTable};
