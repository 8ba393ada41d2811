// Cases of normalizations and losses, which are compositions: their sums along rows are added in lanes, so that results
// of about 1 lie within some eps of the interpreter's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;

/// A case of `op` whose results are within `absolute` times eps.
static OpCase makeCase(const std::string &op, const std::string &name, const std::vector<Argument> &arguments,
                       const std::string &use, const std::vector<std::string> &results, double absolute) {
  OpCase which = caseOfOp(op, name, arguments, use, results);
  which.bound.absolute = absolute;
  return which;
}

static void addNormalizationsOf(std::vector<OpCase> &cases, ElementKind kind) {
  std::string suffix = interp::kindName(kind).str();
  Argument x = {kind, {kRows, 3, 8}, between(-2, 3)}, channels = {kind, {8}, between(0.5, 2)};
  Argument positive = {kind, {8}, between(0.1, 3)};
  std::string type = typeText(kind, x.shape), stats = typeText(kind, {8});
  std::vector<int64_t> many = {0, 1, 7, 33, kManyRows};
  auto add = [&](const OpCase &which) {
    cases.push_back(which);
    cases.back().rows = many;
  };
  // Of few rows variances are small, which makes much of little.
  add(makeCase("moments", "columns_" + suffix, {x}, "%x0 {axes = array<i64: 0, 1>}", {stats, stats}, 64));
  add(makeCase("moments", "rows_" + suffix, {x}, "%x0 {axes = array<i64: 1, 2>}",
               {typeText(kind, {kRows}), typeText(kind, {kRows})}, 64));
  add(makeCase("batch_norm_training", suffix, {x, channels, channels},
               "%x0 scale %x1 offset %x2 {axes = array<i64: 0, 1>}", {type, stats, stats}, 512));
  add(makeCase("batch_norm_training", "plain_" + suffix, {x}, "%x0 {axes = array<i64: 0, 1>}", {type, stats, stats},
               512));
  add(makeCase("batch_norm_inference", suffix, {x, channels, positive, channels, channels},
               "%x0, %x1, %x2 scale %x3 offset %x4 {axes = array<i64: 0, 1>, epsilon = 0.25 : f64}", {type}, 0));
  add(makeCase("batch_norm_inference", "plain_" + suffix, {x, channels, positive},
               "%x0, %x1, %x2 {axes = array<i64: 0, 1>}", {type}, 0));
  add(makeCase("layer_norm", suffix, {x, channels, channels}, "%x0 scale %x1 offset %x2 {axes = array<i64: 2>}", {type},
               512));
  add(makeCase("layer_norm", "two_axes_" + suffix, {x}, "%x0 {axes = array<i64: 1, 2>}", {type}, 512));
  add(makeCase("rms_norm", suffix, {x, channels}, "%x0 scale %x1 {axes = array<i64: 2>}", {type}, 128));
  add(makeCase("group_norm", suffix, {x, channels, channels}, "%x0 scale %x1 offset %x2 {groups = 2 : i64}", {type},
               512));
  add(makeCase("instance_norm", suffix, {x, channels, channels}, "%x0 scale %x1 offset %x2", {type}, 512));
  add(makeCase("l2_normalize", suffix, {x}, "%x0 {axes = array<i64: 2>}", {type}, 64));
  add(makeCase("local_response_norm", suffix, {x},
               "%x0 {low = 2 : i64, high = 1 : i64, alpha = 0.1 : f64, beta = 0.75 : f64, bias = 1.0 : f64}", {type},
               0));
  // Both dimensions are the rows.
  Argument square = {kind, {kRows, kRows}, between(-2, 3)};
  cases.push_back(makeCase("layer_norm", "dynamic_" + suffix, {square}, "%x0 {axes = array<i64: 1>}",
                           {typeText(kind, square.shape)}, 1024));
}

static void addLossesOf(std::vector<OpCase> &cases, ElementKind kind) {
  std::string suffix = interp::kindName(kind).str(), type = typeText(kind, {kRows, 9}), rows = typeText(kind, {kRows});
  Argument x = {kind, {kRows, 9}, between(-3, 3)}, y = {kind, {kRows, 9}, between(-3, 3)};
  Argument p = {kind, {kRows, 9}, between(0.01, 1)}, q = {kind, {kRows, 9}, between(0.01, 1)};
  auto element = [&](const std::string &op, const std::string &variant, const std::string &attributes, Argument first,
                     Argument second) {
    OpCase which = makeCase(op, variant + suffix, {first, second}, "", {type}, 0);
    which.body = "  %y = df." + op + " %x0, %x1 " + attributes + " : " + type + "\n  df.return %y : " + type;
    which.rows.push_back(kManyRows);
    cases.push_back(which);
  };
  element("absolute_difference", "", "", x, y);
  element("log_cosh_error", "", "", x, y);
  element("hinge_loss", "", "", x, y);
  element("huber_loss", "", "{delta = 0.75 : f64}", x, y);
  element("poisson_loss", "", "{epsilon = 1.0e-3 : f64}", p, y);
  element("poisson_loss", "log_", "{log_input}", x, p);
  for (int64_t axis : {0, 1}) {
    std::string to = axis ? rows : typeText(kind, {9}), text = "{axis = " + std::to_string(axis) + " : i64}";
    std::string name = std::to_string(axis) + "_" + suffix;
    cases.push_back(makeCase("kl_divergence", name, {p, q}, "%x0, %x1 " + text, {to}, axis ? 256 : 0));
    cases.push_back(makeCase("cosine_distance", name, {x, y}, "%x0, %x1 " + text, {to}, axis ? 64 : 0));
  }
  for (const char *attributes : {"", " {label_smoothing = 0.1 : f64}"})
    cases.push_back(makeCase("soft_label_cross_entropy", std::string(*attributes ? "smooth_" : "") + suffix, {x, p},
                             std::string("%x0, %x1") + attributes, {rows}, 1024));
  Argument losses = {kind, {kRows}, between(0, 2)};
  // Weights of 0 among them.
  Argument weights = {kind, {kRows}, [](RandomValues &random, ElementKind kind, llvm::ArrayRef<int64_t> shape) {
                        interp::Tensor result(kind, shape);
                        for (int64_t i = 0; i < result.getNumElements(); ++i)
                          result.setFloat(i, 0.5 * static_cast<double>(random.below(4)));
                        return result;
                      }};
  for (const char *reduction : {"none", "sum", "sum_over_size", "sum_over_weights", "sum_over_nonzero_weights"}) {
    bool none = reduction == std::string("none");
    std::string to = none ? rows : typeText(kind, {}),
                text = std::string(" {reduction = #df.loss_reduction<") + reduction + ">}";
    for (bool weighted : {false, true}) {
      OpCase which = weighted ? makeCase("reduce_loss", reduction + ("_weighted_" + suffix), {losses, weights},
                                         "%x0, %x1" + text, {to}, 0)
                              : makeCase("reduce_loss", reduction + ("_" + suffix), {losses}, "%x0" + text, {to}, 0);
      if (!none)
        which.bound.termsOfRow = 3;
      cases.push_back(which);
    }
  }
}

void mlc::execute::addNormalizationCases(std::vector<OpCase> &cases) {
  addNormalizationsOf(cases, ElementKind::F32);
  addNormalizationsOf(cases, ElementKind::F64);
}

/// With gradients; labels that have no place among the rows, and lengths beyond sizes.
static void addCtcLosses(std::vector<OpCase> &cases, ElementKind kind, const std::vector<int64_t> &logits,
                         const std::vector<int64_t> &labels, const std::string &name) {
  Argument x = {kind, logits, between(-2, 2)}, y = {ElementKind::I64, labels, between(0, 4)};
  Argument m = {ElementKind::I64, {kRows}, between(3, 8)}, n = {ElementKind::I64, {kRows}, between(-1, 6)};
  const std::string from = typeText(kind, logits), to = typeText(kind, {kRows}), suffix = interp::kindName(kind).str();
  const std::string element = typeText(kind, {});
  OpCase which;
  which.ops = {"ctc_loss"};
  which.name = "ctc_loss_" + name + "_" + suffix;
  which.arguments = {x, y, m, n};
  which.body = "  %y = df.ctc_loss %x0, %x1, %x2, %x3 {blank = 3 : i64} : (" + from + ", " +
               typeText(ElementKind::I64, labels) + ", tensor<?xi64>, tensor<?xi64>) -> " + to +
               "\n  %l = df.reduce_sum %y {axes = array<i64: 0>} : (" + to + ") -> " + element +
               "\n  %g = df.gradients %l wrt [] %x0 : (" + element + ", " + from + ") -> " + from +
               "\n  df.return %y, %g : " + to + ", " + from;
  which.results = {to, from};
  which.bound.ulps = kind == ElementKind::F16 || kind == ElementKind::BF16;
  which.bound.absolute = 4096;
  cases.push_back(std::move(which));
}

void mlc::execute::addLossCases(std::vector<OpCase> &cases) {
  for (ElementKind kind : {ElementKind::F16, ElementKind::BF16, ElementKind::F32, ElementKind::F64})
    addCtcLosses(cases, kind, {kRows, 7, 5}, {kRows, 4}, "rows");
  addCtcLosses(cases, ElementKind::F32, {kRows, kRows, 5}, {kRows, kRows}, "dynamic");
  cases.back().rows = {1, 4, 9};
  addLossesOf(cases, ElementKind::F32);
  addLossesOf(cases, ElementKind::F64);
}
