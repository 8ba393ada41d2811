// Cases of reductions, products and fused losses: all have the interpreter's bits, for every vector length.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::kindName;

/// The shape without `axes`.
static std::vector<int64_t> without(const std::vector<int64_t> &shape, const std::vector<int64_t> &axes) {
  std::vector<int64_t> result;
  for (auto [d, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(axes, static_cast<int64_t>(d)))
      result.push_back(size);
  return result;
}

/// Elements enough for a reduction of all of them to be cut into parts, and into more of them than have numbers.
static constexpr int64_t kManyParts = 150001, kMoreParts = 66 * 32768 + 5;

/// "5_rows_3" for names.
static std::string nameOf(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += "_" + (size == kRows ? "rows" : std::to_string(size));
  return text;
}

static std::string listOf(const std::vector<int64_t> &numbers) {
  std::string text = "array<i64";
  for (auto [i, number] : llvm::enumerate(numbers))
    text += (i ? ", " : ": ") + std::to_string(number);
  return text + ">";
}

/// The three reductions of one tensor over the same axes.
static void addReductions(std::vector<OpCase> &cases, ElementKind kind, const std::vector<int64_t> &shape,
                          const std::vector<int64_t> &axes) {
  std::string from = typeText(kind, shape), to = typeText(kind, without(shape, axes));
  auto line = [&](const std::string &op) {
    return "df." + op + " %x0 {axes = " + listOf(axes) + "} : (" + from + ") -> " + to + "\n";
  };
  OpCase sum;
  sum.ops = {"reduce_sum"};
  sum.name = "reduce_sum_" + kindName(kind).str() + nameOf(shape) + "_over" + nameOf(axes);
  sum.arguments = {{kind, shape, interp::isFloatKind(kind) ? between(-2, 2) : special()}};
  sum.body = "  %s = " + line("reduce_sum") + "  df.return %s : " + to;
  sum.results = {to};
  if (!llvm::is_contained(shape, kRows))
    sum.rows = {1};
  else if (shape.back() == 19)
    sum.rows.push_back(kManyRows);
  else if (shape.size() == 1)
    sum.rows.push_back(kind == ElementKind::F32 ? kMoreParts : kManyParts);
  OpCase extremes = sum;
  extremes.ops = {"reduce_max", "reduce_min"};
  extremes.name = "reduce_extremes" + sum.name.substr(10);
  // NaN and infinities hide the others: longer reductions are of ordinary numbers.
  extremes.arguments[0].fill = shape.size() == 2 ? special() : between(-100, 100);
  extremes.body =
      "  %a = " + line("reduce_max") + "  %b = " + line("reduce_min") + "  df.return %a, %b : " + to + ", " + to;
  extremes.results = {to, to};
  if (interp::isFloatKind(kind)) {
    OpCase signs = extremes;
    signs.name = "reduce_signs" + sum.name.substr(10);
    signs.arguments[0].fill = zeros();
    if (shape.size() < 3)
      cases.push_back(std::move(signs));
  }
  cases.push_back(std::move(sum));
  cases.push_back(std::move(extremes));
}

/// Sums of what is computed where it is read: by a long body, of operands that repeat, and across the rows in memory.
static void addFusedSums(std::vector<OpCase> &cases, ElementKind kind, int64_t rows, int64_t columns) {
  auto sum = [&](const std::string &variant, std::vector<Argument> arguments, std::string lines,
                 const std::vector<int64_t> &shape, const std::vector<int64_t> &axes) {
    std::string from = typeText(kind, shape), to = typeText(kind, without(shape, axes));
    lines += "  %y = df.reduce_sum %z {axes = " + listOf(axes) + "} : (" + from + ") -> " + to + "\n";
    OpCase which = caseOfLines("reduce_sum", variant + nameOf(shape) + "_over" + nameOf(axes), kind,
                               std::move(arguments), std::move(lines), to);
    if (rows == kRows)
      which.rows = {0, 1, 33, 130, 2101};
    cases.push_back(std::move(which));
  };
  std::vector<int64_t> shape = {rows, columns};
  std::string type = typeText(kind, shape), row = typeText(kind, {columns}), column = typeText(kind, {rows}),
              across = typeText(kind, {columns, rows});
  Fill fill = between(-2, 2);
  for (auto &axes : std::vector<std::vector<int64_t>>{{0}, {1}, {0, 1}}) {
    sum("long", {{kind, shape, fill}}, "  %e = df.tanh %x0 : " + type + "\n  %z = df.mul %e, %x0 : " + type + "\n",
        shape, axes);
    sum("repeated", {{kind, shape, fill}, {kind, {columns}, fill}, {kind, {rows}, fill}},
        "  %b = df.broadcast %x1 like %x0 dimensions = [1] : (" + row + ", " + type + ") -> " + type +
            "\n  %c = df.broadcast %x2 like %x0 dimensions = [0] : (" + column + ", " + type + ") -> " + type +
            "\n  %m = df.mul %x0, %b : " + type + "\n  %z = df.mul %m, %c : " + type + "\n",
        shape, axes);
    sum("across", {{kind, {columns, rows}, fill}, {kind, shape, fill}},
        "  %t = df.transpose %x0 {permutation = array<i64: 1, 0>} : (" + across + ") -> " + type +
            "\n  %z = df.mul %t, %x1 : " + type + "\n",
        shape, axes);
  }
}

/// Products and compositions over axes, of elements of about 1.
static void addMoreReductions(std::vector<OpCase> &cases, ElementKind kind, const std::vector<int64_t> &shape,
                              const std::vector<int64_t> &axes) {
  std::string from = typeText(kind, shape), to = typeText(kind, without(shape, axes));
  std::vector<std::string> ops = {"reduce_prod"};
  if (interp::isFloatKind(kind))
    ops.insert(ops.end(), {"reduce_mean", "reduce_variance", "reduce_l1", "reduce_l2", "reduce_logsumexp"});
  for (const std::string &op : ops) {
    OpCase which;
    which.ops = {op};
    which.name = op + "_" + kindName(kind).str() + nameOf(shape) + "_over" + nameOf(axes);
    bool isFloat = interp::isFloatKind(kind);
    which.arguments = {{kind, shape, isFloat ? between(0.5, 1.5) : between(-3, 4)}};
    std::string more = op == "reduce_variance" ? ", correction = 1 : i64" : "";
    which.body = "  %s = df." + op + " %x0 {axes = " + listOf(axes) + more + "} : (" + from + ") -> " + to +
                 "\n  df.return %s : " + to;
    which.results = {to};
    if (!llvm::is_contained(shape, kRows))
      which.rows = {1};
    // Of no elements a mean is NaN, and so the variance of one with a correction.
    if (axes.size() == 1 && axes[0] == 0 && shape[0] == kRows)
      which.rows = {0, 1, 2, 9, 33};
    cases.push_back(std::move(which));
  }
}

static void addTruthReductions(std::vector<OpCase> &cases, const std::vector<int64_t> &shape,
                               const std::vector<int64_t> &axes) {
  std::string from = typeText(ElementKind::I1, shape), to = typeText(ElementKind::I1, without(shape, axes));
  for (const char *op : {"reduce_all", "reduce_any"}) {
    OpCase which;
    which.ops = {op};
    which.name = op + nameOf(shape) + "_over" + nameOf(axes);
    // Rare exceptions: most results are not those of random truth values.
    bool all = op == std::string("reduce_all");
    which.arguments = {
        {ElementKind::I1, shape, [all](RandomValues &random, ElementKind kind, llvm::ArrayRef<int64_t> s) {
           interp::Tensor result(kind, s);
           for (int64_t i = 0; i < result.getNumElements(); ++i)
             result.setInteger(i, (random.below(12) == 0) != all);
           return result;
         }}};
    which.body = "  %s = df." + std::string(op) + " %x0 {axes = " + listOf(axes) + "} : (" + from + ") -> " + to +
                 "\n  df.return %s : " + to;
    which.results = {to};
    if (!llvm::is_contained(shape, kRows))
      which.rows = {1};
    cases.push_back(std::move(which));
  }
}

/// argmax or argmin over the axis `axis`, or the last one if it is not named.
static void addArg(std::vector<OpCase> &cases, const std::string &op, ElementKind kind,
                   const std::vector<int64_t> &shape, std::optional<int64_t> named = std::nullopt) {
  int64_t axis = named.value_or(static_cast<int64_t>(shape.size()) - 1);
  for (bool isSpecial : {true, false}) {
    OpCase which;
    which.ops = {op};
    which.name = op + "_" + kindName(kind).str() + nameOf(shape) + (named ? "_axis_" + std::to_string(axis) : "") +
                 (isSpecial ? "_special" : "_ties");
    // Few values: many rows have ties.
    which.arguments = {{kind, shape, isSpecial ? special() : between(0, 4)}};
    std::string to = typeText(ElementKind::I64, without(shape, {axis}));
    std::string attributes = named ? " {axis = " + std::to_string(axis) + " : i64}" : "";
    which.body = "  %y = df." + op + " %x0" + attributes + " : (" + typeText(kind, shape) + ") -> " + to +
                 "\n  df.return %y : " + to;
    which.results = {to};
    if (!llvm::is_contained(shape, kRows))
      which.rows = {1};
    cases.push_back(std::move(which));
  }
}

static void addSoftmax(std::vector<OpCase> &cases, ElementKind kind, const std::vector<int64_t> &shape,
                       std::optional<int64_t> axis = std::nullopt) {
  OpCase which;
  which.ops = {"softmax"};
  which.name = "softmax_" + kindName(kind).str() + nameOf(shape) + (axis ? "_axis_" + std::to_string(*axis) : "");
  which.arguments = {{kind, shape, between(-30, 30)}};
  std::string type = typeText(kind, shape);
  std::string attributes = axis ? " {axis = " + std::to_string(*axis) + " : i64}" : "";
  which.body = "  %y = df.softmax %x0" + attributes + " : (" + type + ") -> " + type + "\n  df.return %y : " + type;
  which.results = {type};
  if (!llvm::is_contained(shape, kRows))
    which.rows = {1};
  else if (shape.back() == 17)
    which.rows.push_back(kManyRows);
  cases.push_back(which);
  OpCase logarithm = which;
  logarithm.ops = {"log_softmax"};
  logarithm.name = "log_" + which.name;
  logarithm.body =
      "  %y = df.log_softmax %x0" + attributes + " : (" + type + ") -> " + type + "\n  df.return %y : " + type;
  cases.push_back(std::move(logarithm));
  // NaN and infinities make NaN of their row alone.
  which.name += "_special";
  which.arguments[0].fill = special();
  cases.push_back(std::move(which));
}

static void addCrossEntropy(std::vector<OpCase> &cases, ElementKind kind, int64_t classes, bool isDynamic) {
  OpCase which;
  which.ops = {"softmax_cross_entropy"};
  which.name =
      "softmax_cross_entropy_" + kindName(kind).str() + "_" + std::to_string(classes) + (isDynamic ? "" : "_static");
  std::vector<int64_t> rows = {isDynamic ? kRows : 6};
  which.arguments = {{kind, {rows[0], classes}, between(-8, 8)},
                     {ElementKind::I64, rows, between(0, static_cast<double>(classes))}};
  std::string to = typeText(kind, rows);
  which.body = "  %y = df.softmax_cross_entropy %x0, %x1 : (" + typeText(kind, {rows[0], classes}) + ", " +
               typeText(ElementKind::I64, rows) + ") -> " + to + "\n  df.return %y : " + to;
  which.results = {to};
  if (!isDynamic)
    which.rows = {1};
  cases.push_back(std::move(which));
}

/// op(lhs) * op(rhs) of [m, k] and [k, n].
static void addMatmul(std::vector<OpCase> &cases, ElementKind kind, int64_t m, int64_t k, int64_t n, bool transposeA,
                      bool transposeB) {
  OpCase which;
  which.ops = {"matmul"};
  which.name =
      "matmul_" + kindName(kind).str() + nameOf({m, k, n}) + (transposeA ? "_ta" : "") + (transposeB ? "_tb" : "");
  std::vector<int64_t> lhs = {m, k}, rhs = {k, n};
  if (transposeA)
    std::swap(lhs[0], lhs[1]);
  if (transposeB)
    std::swap(rhs[0], rhs[1]);
  which.arguments = {{kind, lhs, between(-2, 2)}, {kind, rhs, between(-2, 2)}};
  std::string to = typeText(kind, {m, n});
  std::string attributes = transposeA && transposeB ? " {transpose_a, transpose_b}"
                           : transposeA             ? " {transpose_a}"
                           : transposeB             ? " {transpose_b}"
                                                    : "";
  which.body = "  %y = df.matmul %x0, %x1" + attributes + " : (" + typeText(kind, lhs) + ", " + typeText(kind, rhs) +
               ") -> " + to + "\n  df.return %y : " + to;
  which.results = {to};
  if (m != kRows && k != kRows && n != kRows)
    which.rows = {1};
  else if (k == 16 || (k == kRows && n == 19))
    which.rows.push_back(kManyRows);
  cases.push_back(std::move(which));
}

/// A product with what fuses into it: bias, activation, a mask by rows and one by elements, a second result.
static void addEpilogue(std::vector<OpCase> &cases, ElementKind kind, int64_t columns) {
  OpCase which;
  which.ops = {"matmul"};
  which.name = "epilogue_" + kindName(kind).str() + "_" + std::to_string(columns);
  std::string a = typeText(kind, {kRows, 7}), b = typeText(kind, {7, columns}), c = typeText(kind, {kRows, columns});
  std::string bias = typeText(kind, {columns}), row = typeText(kind, {kRows, 1});
  which.arguments = {{kind, {kRows, 7}, between(-2, 2)},
                     {kind, {7, columns}, between(-2, 2)},
                     {kind, {columns}, between(-1, 1)},
                     {kind, {kRows, 1}, between(-1, 1)},
                     {kind, {kRows, columns}, between(-1, 1)}};
  which.body = "  %p = df.matmul %x0, %x1 : (" + a + ", " + b + ") -> " + c + "\n" +
               "  %b = df.broadcast %x2 like %p dimensions = [1] : (" + bias + ", " + c + ") -> " + c + "\n" +
               "  %q = df.add %p, %b : " + c + "\n  %r = df.relu %q : " + c + "\n" +
               "  %w = df.broadcast %x3 like %p dimensions = [0, 1] : (" + row + ", " + c + ") -> " + c + "\n" +
               "  %s = df.mul %r, %w : " + c + "\n  %t = df.add %s, %x4 : " + c + "\n  df.return %r, %t : " + c + ", " +
               c;
  which.results = {c, c};
  which.rows.push_back(kManyRows);
  cases.push_back(std::move(which));
}

void mlc::execute::addReductionCases(std::vector<OpCase> &cases) {
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64, ElementKind::I32, ElementKind::I64}) {
    addReductions(cases, kind, {kRows}, {0});
    addReductions(cases, kind, {kRows, 5}, {0});
    addReductions(cases, kind, {kRows, 19}, {1});
    addReductions(cases, kind, {kRows, 19}, {0, 1});
    addReductions(cases, kind, {kRows, 70}, {0});
  }
  addReductions(cases, ElementKind::I8, {kRows, 3}, {1});
  addReductions(cases, ElementKind::I16, {kRows, 3}, {0});
  for (auto &axes : std::vector<std::vector<int64_t>>{{}, {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}}) {
    addReductions(cases, ElementKind::F32, {kRows, 3, 10}, axes);
    addReductions(cases, ElementKind::F32, {4, 3, 17}, axes);
  }
  addReductions(cases, ElementKind::F32, {kRows, 0}, {1});
  addReductions(cases, ElementKind::I64, {0, 3}, {0});
  addReductions(cases, ElementKind::F64, {}, {});

  for (ElementKind kind : {ElementKind::F32, ElementKind::F64, ElementKind::I8, ElementKind::I64})
    for (const char *op : {"argmax", "argmin"}) {
      addArg(cases, op, kind, {kRows, 7});
      addArg(cases, op, kind, {kRows, 9}, 0);
      addArg(cases, op, kind, {3, kRows, 2}, 1);
    }
  addArg(cases, "argmax", ElementKind::F32, {kRows, 1});
  addArg(cases, "argmax", ElementKind::F32, {kRows, 33});
  addArg(cases, "argmax", ElementKind::F32, {kRows, kRows}, 1);
  addArg(cases, "argmax", ElementKind::F32, {70});
  addArg(cases, "argmin", ElementKind::F32, {3, 2, 5});

  for (ElementKind kind : {ElementKind::F32, ElementKind::F64, ElementKind::I8, ElementKind::I64}) {
    addMoreReductions(cases, kind, {kRows, 19}, {1});
    addMoreReductions(cases, kind, {kRows, 5}, {0});
  }
  addMoreReductions(cases, ElementKind::F32, {3, 4, 5}, {0, 2});
  addMoreReductions(cases, ElementKind::F32, {2, kRows, 5}, {0, 2});
  for (auto &axes : std::vector<std::vector<int64_t>>{{0}, {1}, {0, 1}, {}})
    addTruthReductions(cases, {kRows, 19}, axes);
  addTruthReductions(cases, {kRows, 3, 10}, {1});
  addTruthReductions(cases, {0, 3}, {0});
  for (auto &axes : std::vector<std::vector<int64_t>>{{0}, {1}, {0, 1}})
    addReductions(cases, ElementKind::I64, {kRows, kRows}, axes);

  for (int64_t columns : {1, 3, 8, 9, 31, 32, 64, 77, 130})
    addFusedSums(cases, ElementKind::F32, kRows, columns);
  addFusedSums(cases, ElementKind::F64, kRows, 20);
  addFusedSums(cases, ElementKind::F32, 300, 179);
  addFusedSums(cases, ElementKind::F32, 1, 40);

  for (int64_t width : {1, 3, 8, 17, 33})
    addSoftmax(cases, ElementKind::F32, {kRows, width});
  addSoftmax(cases, ElementKind::F64, {kRows, 5});
  addSoftmax(cases, ElementKind::F32, {kRows, 2, 9});
  addSoftmax(cases, ElementKind::F32, {12});
  addSoftmax(cases, ElementKind::F32, {kRows, 9}, 0);
  addSoftmax(cases, ElementKind::F32, {kRows, kRows}, 1);
  addSoftmax(cases, ElementKind::F64, {2, kRows, 3}, 1);
  for (int64_t classes : {1, 2, 3, 10, 130})
    addCrossEntropy(cases, ElementKind::F32, classes, /*isDynamic=*/true);
  addCrossEntropy(cases, ElementKind::F64, 4, /*isDynamic=*/true);
  addCrossEntropy(cases, ElementKind::F32, 9, /*isDynamic=*/false);

  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true})
      addMatmul(cases, ElementKind::F32, kRows, 5, 19, transposeA, transposeB);
  addMatmul(cases, ElementKind::F32, kRows, 16, 64, false, false);
  addMatmul(cases, ElementKind::F32, kRows, 1, 1, false, false);
  addMatmul(cases, ElementKind::F32, kRows, 21, 1, false, false);
  addMatmul(cases, ElementKind::F32, kRows, 21, 1, true, true);
  addMatmul(cases, ElementKind::F32, 5, kRows, 1, true, false);
  addMatmul(cases, ElementKind::F32, 5, kRows, 19, true, false);
  addMatmul(cases, ElementKind::F32, 9, 6, kRows, false, true);
  addMatmul(cases, ElementKind::F32, 1, kRows, 3, false, false);
  addMatmul(cases, ElementKind::F32, 13, 1500, 9, false, false);
  addMatmul(cases, ElementKind::F32, 6, 8, 32, false, true);
  addMatmul(cases, ElementKind::F32, kRows, 0, 3, false, false);
  addMatmul(cases, ElementKind::F64, kRows, 7, 11, false, false);
  addMatmul(cases, ElementKind::F64, kRows, 7, 1, false, false);
  addMatmul(cases, ElementKind::F64, 3, kRows, 10, true, false);
  addMatmul(cases, ElementKind::F64, 7, 4, 5, false, true);
  addEpilogue(cases, ElementKind::F32, 37);
  addEpilogue(cases, ElementKind::F32, 1);
  addEpilogue(cases, ElementKind::F64, 5);
}
