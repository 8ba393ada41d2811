// Updates of optimizers as plain loops over f32. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_BENCHMARKS_CLUSTER_UPDATELOOPS_H
#define MLC_BENCHMARKS_CLUSTER_UPDATELOOPS_H

#include <cstdint>

enum class Rule { Sgd, Momentum, Adagrad, Adam, Ftrl };

/// Hyperparameters of all rules; `eta` of Adam is corrected for its bias, `inverse` is 1 / eta.
struct Hyper {
  float eta, momentum, epsilon, beta1, beta2, l1, l2, inverse;
};

/// The loops, compiled for one target.
struct Loops {
  /// n elements: variable w, slots a and b as far as the rule has them, gradient `scale` g.
  void (*dense)(Rule rule, const Hyper &hyper, float scale, const float *g, float *w, float *a, float *b, int64_t n);
  /// The rows `ids` (ascending) of a table of `width` columns, one gradient row for each.
  void (*rows)(Rule rule, const Hyper &hyper, float scale, const int64_t *ids, int64_t count, int64_t width,
               const float *g, float *w, float *a, float *b);
  /// All rows of a table, of which those in `ids` have a gradient and others 0: what a rule needs whose slots decay.
  void (*table)(Rule rule, const Hyper &hyper, float scale, const int64_t *ids, int64_t count, int64_t rows,
                int64_t width, const float *g, float *w, float *a, float *b);
};
/// For x86-64-v3, which compiled models are for unless they are told another CPU, and for this machine.
extern const Loops kPortableLoops, kNativeLoops;

#endif // MLC_BENCHMARKS_CLUSTER_UPDATELOOPS_H
