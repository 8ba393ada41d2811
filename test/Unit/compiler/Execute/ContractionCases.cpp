// Cases of general products, convolutions, pooling, attention and cells. Products add one FMA after another in the
// interpreter's order and have its bits, but for those without a dimension of rhs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

#include <algorithm>

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::kindName;

using Shape = std::vector<int64_t>;

namespace {
/// One op: its operands' and results' types and its attributes.
struct OneOp {
  std::string op, variant, attributes;
  std::vector<Argument> arguments;
  struct Result {
    ElementKind kind;
    Shape shape;
  };
  std::vector<Result> results;
};
} // namespace

/// A tensor's shape with the rows in front, as arguments and results of functions have them, and the permutation from
/// `from` to `to`.
static Shape rowsFirst(const Shape &shape) {
  auto it = std::find(shape.begin(), shape.end(), kRows);
  Shape result = shape;
  if (it != shape.end())
    std::rotate(result.begin(), result.begin() + (it - shape.begin()), result.begin() + (it - shape.begin()) + 1);
  return result;
}
static std::string transposition(const Shape &shape, bool toFront) {
  auto at = std::find(shape.begin(), shape.end(), kRows) - shape.begin();
  std::string text;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    int64_t from = toFront ? (d == 0 ? at : d <= at ? d - 1 : d) : (d == at ? 0 : d < at ? d + 1 : d);
    text += (d ? ", " : "") + std::to_string(from);
  }
  return "{permutation = array<i64: " + text + ">}";
}

/// The case of an op on its arguments. Rows vary if a shape depends on them; where they are not its first dimension,
/// the argument or result is transposed.
static OpCase &add(std::vector<OpCase> &cases, OneOp one) {
  OpCase which;
  which.ops = {one.op};
  which.name = one.op + "_" + one.variant;
  std::string operands, from, to, returned, types, before, after;
  bool isDynamic = false, isSingle = one.results.size() == 1;
  for (auto [i, argument] : llvm::enumerate(one.arguments)) {
    std::string type = typeText(argument.kind, argument.shape), value = "%x" + std::to_string(i);
    isDynamic |= llvm::is_contained(argument.shape, kRows);
    Shape given = rowsFirst(argument.shape);
    if (given != argument.shape) {
      before += "  %t" + std::to_string(i) + " = df.transpose " + value + " " + transposition(argument.shape, false) +
                " : (" + typeText(argument.kind, given) + ") -> " + type + "\n";
      value = "%t" + std::to_string(i);
    }
    operands += (i ? ", " : "") + value;
    from += (i ? ", " : "") + type;
    which.arguments.push_back({argument.kind, given, argument.fill});
  }
  for (auto [i, result] : llvm::enumerate(one.results)) {
    std::string type = typeText(result.kind, result.shape), value = isSingle ? "%y" : "%y#" + std::to_string(i);
    to += (i ? ", " : "") + type;
    Shape given = rowsFirst(result.shape);
    if (given != result.shape) {
      after += "  %r" + std::to_string(i) + " = df.transpose " + value + " " + transposition(result.shape, true) +
               " : (" + type + ") -> " + typeText(result.kind, given) + "\n";
      value = "%r" + std::to_string(i);
    }
    returned += (i ? ", " : "") + value;
    which.results.push_back(typeText(result.kind, given));
    types += (i ? ", " : "") + which.results.back();
  }
  which.body = before + "  %y" + (isSingle ? "" : ":" + std::to_string(one.results.size())) + " = df." + one.op + " " +
               operands + (one.attributes.empty() ? "" : " {" + one.attributes + "}") + " : (" + from + ") -> (" + to +
               ")\n" + after + "  df.return " + returned + " : " + types;
  if (!isDynamic)
    which.rows = {1};
  cases.push_back(std::move(which));
  return cases.back();
}

static std::string list(const std::string &name, const Shape &numbers) {
  std::string text = name + " = array<i64";
  for (auto [i, number] : llvm::enumerate(numbers))
    text += (i ? ", " : ": ") + std::to_string(number);
  return text + ">";
}

static Argument number(ElementKind kind, const Shape &shape) { return {kind, shape, between(-2, 2)}; }

//===-- products --------------------------------------------------------------------===//

static OpCase &addDot(std::vector<OpCase> &cases, const std::string &variant, ElementKind kind, const Shape &lhs,
                      const Shape &rhs, const Shape &result, const Shape &lhsBatch, const Shape &rhsBatch,
                      const Shape &lhsInner, const Shape &rhsInner) {
  std::string attributes = list("lhs_batch", lhsBatch) + ", " + list("rhs_batch", rhsBatch) + ", " +
                           list("lhs_contracting", lhsInner) + ", " + list("rhs_contracting", rhsInner);
  return add(cases, {"dot_general",
                     kindName(kind).str() + "_" + variant,
                     attributes,
                     {number(kind, lhs), number(kind, rhs)},
                     {{kind, result}}});
}

/// A case of attention with t queries and s keys for each position of `leading`, d numbers each, and values of e, or of
/// its gradients. Variants are masks, or a scale.
static OpCase &addAttention(std::vector<OpCase> &cases, const std::string &variant, bool gradient, const Shape &leading,
                            int64_t t, int64_t s, int64_t d, int64_t e) {
  const ElementKind f32 = ElementKind::F32;
  auto shape = [&](int64_t rows, int64_t columns) {
    Shape all = leading;
    all.push_back(rows);
    all.push_back(columns);
    return all;
  };
  std::vector<Argument> arguments = {number(f32, shape(t, d)), number(f32, shape(s, d)), number(f32, shape(s, e))};
  std::vector<OneOp::Result> results = {{f32, shape(t, e)}};
  if (gradient) {
    arguments.push_back(number(f32, shape(t, e)));
    results = {{f32, shape(t, d)}, {f32, shape(s, d)}, {f32, shape(s, e)}};
  }
  if (variant == "mask")
    arguments.push_back({ElementKind::I1, {t, s}, truths()});
  if (variant == "bias")
    arguments.push_back(number(f32, shape(t, s)));
  const std::string attributes = variant == "causal" ? "causal" : variant == "scale" ? "scale = 0.25 : f64" : "";
  OpCase &added = add(cases, {gradient ? "attention_grad" : "attention",
                              variant + (d == 6 ? "" : "_of_" + std::to_string(d)), attributes, arguments, results});
  added.bound.hasOwnOrder = true;
  return added;
}

static void addProducts(std::vector<OpCase> &cases) {
  const ElementKind f32 = ElementKind::F32;
  for (ElementKind kind : {f32, ElementKind::F64, ElementKind::I32, ElementKind::I64})
    addDot(cases, "batch", kind, {kRows, 5, 4}, {kRows, 7, 4}, {kRows, 5, 7}, {0}, {0}, {2}, {2});
  addDot(cases, "batch", ElementKind::I8, {kRows, 5, 4}, {kRows, 4, 7}, {kRows, 5, 7}, {0}, {0}, {2}, {1});
  addDot(cases, "batch_wide", f32, {kRows, 3, 17}, {kRows, 17, 70}, {kRows, 3, 70}, {0}, {0}, {2}, {1});
  addDot(cases, "batch_second", f32, {5, kRows, 4}, {kRows, 4, 3, 2}, {kRows, 5, 3, 2}, {1}, {0}, {2}, {1});
  addDot(cases, "batch_two", f32, {kRows, 6, 2, 3}, {kRows, 5, 2, 3}, {kRows, 2, 6, 5}, {0, 2}, {0, 2}, {3}, {3});
  addDot(cases, "inner_two", f32, {kRows, 3, 4}, {3, 4, 6}, {kRows, 6}, {}, {}, {1, 2}, {0, 1});
  addDot(cases, "inner_swapped", f32, {kRows, 3, 4}, {4, 3, 6}, {kRows, 6}, {}, {}, {1, 2}, {1, 0});
  addDot(cases, "inner_rows", f32, {kRows, 3, 4}, {kRows, 5}, {3, 4, 5}, {}, {}, {0}, {0});
  addDot(cases, "inner_long", f32, {kRows, 40, 50}, {40, 50, 9}, {kRows, 9}, {}, {}, {1, 2}, {0, 1});
  addDot(cases, "inner_long_swapped", f32, {7, 40, 50}, {50, 40, 9}, {7, 9}, {}, {}, {1, 2}, {1, 0});
  addDot(cases, "columns_apart", f32, {kRows, 4}, {3, 4, 5}, {kRows, 3, 5}, {}, {}, {1}, {1});
  addDot(cases, "columns_rows", f32, {4}, {4, kRows}, {kRows}, {}, {}, {0}, {0});
  addDot(cases, "outer", f32, {kRows}, {19}, {kRows, 19}, {}, {}, {}, {});
  addDot(cases, "vector", f32, {kRows, 5, 21}, {kRows, 21}, {kRows, 5}, {0}, {0}, {2}, {1}).bound.terms = 21;
  addDot(cases, "rows", ElementKind::F64, {kRows, 6}, {kRows, 6}, {kRows}, {0}, {0}, {1}, {1}).bound.terms = 6;
  addDot(cases, "all", f32, {kRows, 3}, {kRows, 3}, {}, {}, {}, {0, 1}, {0, 1}).bound.termsOfRow = 3;
  // Larger tiles: of as many columns, of a factor the other way round, and of elements of 8 bytes.
  addDot(cases, "tiles", f32, {kRows, 21}, {21, 1100}, {kRows, 1100}, {}, {}, {1}, {0}).rows = {3, 70};
  addDot(cases, "tiles", ElementKind::F64, {kRows, 9}, {1100, 9}, {kRows, 1100}, {}, {}, {1}, {1}).rows = {70};
  addDot(cases, "large_tiles", f32, {kRows, 9}, {4100, 9}, {kRows, 4100}, {}, {}, {1}, {1}).rows = {130};
  addDot(cases, "large_tiles_across", f32, {9, kRows}, {9, 4100}, {kRows, 4100}, {}, {}, {0}, {0}).rows = {130};
  // Pieces of memory; either factor along the inner dimension, which may be the rows.
  addDot(cases, "pieces", f32, {kRows, 40}, {40, 48}, {kRows, 48}, {}, {}, {1}, {0});
  addDot(cases, "transposed_pieces", f32, {kRows, 20, 72}, {kRows, 24, 72}, {kRows, 20, 24}, {0}, {0}, {2}, {2});
  addDot(cases, "inner_rows_pieces", f32, {kRows, 24}, {kRows, 40}, {24, 40}, {}, {}, {0}, {0});
  addDot(cases, "nothing", f32, {kRows, 0}, {0, 5}, {kRows, 5}, {}, {}, {1}, {0});

  // Sums of a type that holds what both sides hold.
  auto wider = [&](const std::string &variant, Argument lhs, Argument rhs, ElementKind sum, const Shape &result,
                   const Shape &batch, const Shape &lhsInner, const Shape &rhsInner) -> OpCase & {
    std::string name = kindName(lhs.kind).str() + "_" + kindName(rhs.kind).str() + "_" + kindName(sum).str();
    std::string attributes = list("lhs_batch", batch) + ", " + list("rhs_batch", batch) + ", " +
                             list("lhs_contracting", lhsInner) + ", " + list("rhs_contracting", rhsInner);
    return add(cases, {"dot_general", name + "_" + variant, attributes, {lhs, rhs}, {{sum, result}}});
  };
  auto byte = [](ElementKind kind, const Shape &shape) -> Argument {
    return {kind, shape, kind == ElementKind::UI8 ? between(0, 256) : between(-128, 128)};
  };
  const ElementKind i8 = ElementKind::I8, u8 = ElementKind::UI8, i32 = ElementKind::I32;
  for (auto [l, r] : {std::pair(u8, i8), std::pair(i8, i8), std::pair(i8, u8)}) {
    wider("layer", byte(l, {kRows, 33}), byte(r, {33, 70}), i32, {kRows, 70}, {}, {1}, {0});
    wider("transposed", byte(l, {kRows, 5, 33}), byte(r, {kRows, 19, 33}), i32, {kRows, 5, 19}, {0}, {2}, {2});
    wider("column", byte(l, {kRows, 33}), byte(r, {33, 1}), i32, {kRows, 1}, {}, {1}, {0});
    wider("vector", byte(l, {kRows, 33}), byte(r, {33}), i32, {kRows}, {}, {1}, {0});
    wider("rows", byte(l, {kRows, 6}), byte(r, {kRows, 7}), i32, {6, 7}, {}, {0}, {0});
  }
  wider("layer", byte(u8, {kRows, 9}), byte(i8, {9, 11}), ElementKind::I64, {kRows, 11}, {}, {1}, {0});
  for (ElementKind half : {ElementKind::F16, ElementKind::BF16}) {
    // Elements alone, and pieces of memory; either factor along the inner dimension, which may be the rows.
    wider("layer", number(half, {kRows, 33}), number(half, {33, 70}), f32, {kRows, 70}, {}, {1}, {0})
        .bound.termsOfMatrix = 33;
    wider("pieces", number(half, {kRows, 40}), number(half, {40, 48}), f32, {kRows, 48}, {}, {1}, {0})
        .bound.termsOfMatrix = 40;
    wider("transposed", number(half, {kRows, 20, 33}), number(half, {kRows, 19, 33}), f32, {kRows, 20, 19}, {0}, {2},
          {2})
        .bound.termsOfMatrix = 33;
    wider("transposed_pieces", number(half, {kRows, 20, 72}), number(half, {kRows, 24, 72}), f32, {kRows, 20, 24}, {0},
          {2}, {2})
        .bound.termsOfMatrix = 72;
    wider("inner_rows", number(half, {kRows, 24}), number(half, {kRows, 40}), f32, {24, 40}, {}, {0}, {0})
        .bound.termsOfMatrixRow = 1;
    wider("inner_two", number(half, {kRows, 3, 16}), number(half, {3, 16, 24}), f32, {kRows, 24}, {}, {1, 2}, {0, 1})
        .bound.termsOfMatrix = 48;
    // Larger tiles.
    for (int64_t columns : {1100, 4100}) {
      OpCase &wide = wider("columns_" + std::to_string(columns), number(half, {kRows, 40}), number(half, {columns, 40}),
                           f32, {kRows, columns}, {}, {1}, {1});
      wide.bound.termsOfMatrix = 40;
      wide.rows = {130};
    }
    wider("rows", number(half, {kRows, 6}), number(half, {kRows, 7}), f32, {6, 7}, {}, {0}, {0});
    wider("vector", number(half, {kRows, 21}), number(half, {21}), f32, {kRows}, {}, {1}, {0}).bound.terms = 21;
    // Along neighbours, as compiled code adds products of one column.
    wider("column", number(half, {kRows, 33}), number(half, {33, 1}), f32, {kRows, 1}, {}, {1}, {0}).bound.terms = 33;
  }
  wider("mixed", number(ElementKind::BF16, {kRows, 9}), number(ElementKind::F16, {9, 11}), f32, {kRows, 11}, {}, {1},
        {0});
  wider("layer", number(f32, {kRows, 9}), number(f32, {9, 11}), ElementKind::F64, {kRows, 11}, {}, {1}, {0});
  wider("layer", number(ElementKind::BF16, {kRows, 9}), number(ElementKind::F16, {9, 11}), ElementKind::F64,
        {kRows, 11}, {}, {1}, {0});

  auto matmul = [&](const std::string &variant, const Shape &lhs, const Shape &rhs, const Shape &result,
                    const std::string &attributes) {
    add(cases, {"batch_matmul", variant, attributes, {number(f32, lhs), number(f32, rhs)}, {{f32, result}}});
  };
  matmul("plain", {kRows, 3, 4}, {kRows, 4, 5}, {kRows, 3, 5}, "");
  matmul("transposed", {2, kRows, 4, 3}, {2, kRows, 5, 4}, {2, kRows, 3, 5}, "transpose_a, transpose_b");
  matmul("one_rhs", {kRows, 3, 4}, {4, 5}, {kRows, 3, 5}, "");
  matmul("one_lhs", {3, 4}, {kRows, 4, 5}, {kRows, 3, 5}, "");

  auto einsum = [&](const std::string &variant, const std::string &equation, std::vector<Shape> shapes,
                    const Shape &result) -> OpCase & {
    std::vector<Argument> arguments;
    for (const Shape &shape : shapes)
      arguments.push_back(number(f32, shape));
    return add(cases, {"einsum", variant, "equation = \"" + equation + "\"", arguments, {{f32, result}}});
  };
  einsum("batch", "bij,bjk->bik", {{kRows, 3, 4}, {kRows, 4, 5}}, {kRows, 3, 5});
  einsum("transposed", "bij,bjk->kib", {{kRows, 3, 4}, {kRows, 4, 5}}, {5, 3, kRows});
  einsum("three", "bi,ij,jk->bk", {{kRows, 3}, {3, 4}, {4, 5}}, {kRows, 5});
  einsum("heads", "bthd,bshd->bhts", {{kRows, 3, 2, 4}, {kRows, 5, 2, 4}}, {kRows, 2, 3, 5});
  einsum("sum", "bij->b", {{kRows, 3, 4}}, {kRows}).bound.terms = 12;
  einsum("dots", "...ij,...jk->...ik", {{kRows, 3, 4}, {kRows, 4, 5}}, {kRows, 3, 5});

  for (std::string variant : {"plain", "causal", "mask", "bias", "scale"})
    for (bool gradient : {false, true}) {
      // Sums of 4 exponentials, a division each, and sums of 4 of them.
      addAttention(cases, variant, gradient, {kRows}, 4, 4, 6, 3).bound.absolute = gradient ? 64 : 32;
      // Several tiles of queries and of keys, the last ones cut, as a GPU has them.
      if (variant == "plain" || variant == "scale")
        continue;
      OpCase &tiles = addAttention(cases, variant, gradient, {kRows}, 70, variant == "causal" ? 70 : 131, 20, 36);
      tiles.bound.absolute = gradient ? 512 : 128;
      tiles.rows = {variant == "causal" ? 2 : 1};
    }
  // As many queries and keys as the batch has; all that a thread may have of numbers.
  for (bool gradient : {false, true}) {
    OpCase &rows = addAttention(cases, "rows", gradient, {}, kRows, kRows, 128, 65);
    rows.bound.absolute = gradient ? 512 : 128;
    rows.rows = {65};
  }
  // Sums of gradients of which tensor cores make parts: of 64 and 60 numbers in tf32.
  addAttention(cases, "causal", /*gradient=*/true, {kRows}, 20, 20, 124, 100).bound.absolute = 512;
}

//===-- convolutions ----------------------------------------------------------------===//

namespace {
/// A convolution: the image, the filter, what moves it, and the output.
struct Convolution {
  std::string name;
  Shape image, filter, output, strides, padding, dilations;
  int64_t groups = 1;

  std::string attributes(const std::string &more = "") const {
    std::string text = list("strides", strides) + ", " + list("padding", padding) + ", " + list("dilations", dilations);
    return text + more;
  }
};
} // namespace

static const std::vector<Convolution> &convolutions() {
  static const std::vector<Convolution> all = {
      {"plain", {kRows, 5, 6, 3}, {3, 2, 3, 7}, {kRows, 3, 5, 7}, {}, {}, {}},
      {"padded", {kRows, 5, 6, 3}, {3, 3, 3, 20}, {kRows, 5, 6, 20}, {}, {1, 1, 1, 1}, {}},
      {"uneven", {kRows, 5, 6, 2}, {3, 2, 2, 5}, {kRows, 6, 8, 5}, {}, {0, 3, 2, 1}, {}},
      {"strided", {kRows, 7, 8, 3}, {3, 3, 3, 4}, {kRows, 4, 3, 4}, {2, 3}, {1, 1, 0, 1}, {}},
      {"strided_far", {kRows, 9, 3}, {2, 3, 4}, {kRows, 3, 4}, {4}, {1, 1}, {}},
      {"strided_dilated", {kRows, 9, 3}, {3, 3, 4}, {kRows, 3, 4}, {2}, {0, 1}, {2}},
      {"strided_groups", {kRows, 6, 6, 4}, {3, 3, 2, 6}, {kRows, 3, 3, 6}, {2, 2}, {1, 1, 1, 1}, {}, 2},
      {"strided_one", {kRows, 7, 8, 3}, {1, 1, 3, 4}, {kRows, 4, 4, 4}, {2, 2}, {}, {}},
      {"dilated", {kRows, 9, 8, 2}, {3, 2, 2, 9}, {kRows, 5, 7, 9}, {}, {0, 0, 1, 1}, {2, 3}},
      {"all", {kRows, 9, 8, 2}, {2, 3, 2, 9}, {kRows, 5, 3, 9}, {2, 2}, {1, 2, 1, 1}, {3, 2}},
      {"one", {kRows, 6, 5, 1}, {3, 3, 1, 64}, {kRows, 6, 5, 64}, {}, {1, 1, 1, 1}, {}},
      {"pointwise", {kRows, 3, 4, 6}, {1, 1, 6, 50}, {kRows, 3, 4, 50}, {}, {}, {}},
      {"pointwise_padded", {kRows, 3, 4, 6}, {1, 1, 6, 5}, {kRows, 5, 6, 5}, {}, {1, 1, 1, 1}, {}},
      {"groups", {kRows, 5, 4, 6}, {3, 3, 3, 8}, {kRows, 5, 4, 8}, {}, {1, 1, 1, 1}, {}, 2},
      {"depthwise", {kRows, 5, 6, 19}, {3, 3, 1, 19}, {kRows, 3, 3, 19}, {2, 2}, {1, 1, 1, 1}, {}, 19},
      {"multiplier", {kRows, 5, 6, 3}, {3, 3, 1, 12}, {kRows, 5, 6, 12}, {}, {1, 1, 1, 1}, {}, 3},
      {"line", {kRows, 11, 4}, {3, 4, 6}, {kRows, 5, 6}, {2}, {1, 0}, {}},
      {"volume", {kRows, 3, 4, 5, 2}, {2, 2, 2, 2, 3}, {kRows, 4, 4, 2, 3}, {1, 1, 2}, {1, 1, 1, 0, 0, 0}, {}},
      {"long", {2, 4, 4, 130}, {3, 3, 130, 6}, {2, 4, 4, 6}, {}, {1, 1, 1, 1}, {}},
      {"nothing", {kRows, 2, 2, 3}, {3, 3, 3, 4}, {kRows, 0, 0, 4}, {}, {}, {}},
      {"dynamic", {2, kRows, 4, 3}, {3, 3, 3, 5}, {2, kRows, 4, 5}, {}, {1, 1, 1, 1}, {}},
  };
  return all;
}

static void addConvolutions(std::vector<OpCase> &cases, ElementKind kind, const std::vector<std::string> &names = {}) {
  for (const Convolution &c : convolutions()) {
    if (!names.empty() && !llvm::is_contained(names, c.name))
      continue;
    bool isDynamic = llvm::is_contained(Shape(c.image.begin() + 1, c.image.end()), kRows);
    std::string groups = c.groups > 1 ? ", groups = " + std::to_string(c.groups) + " : i64" : "";
    std::string variant = kindName(kind).str() + "_" + c.name;
    std::vector<int64_t> rows = {0, 1, 2, 7, 9};
    auto limit = [&](OpCase &which) {
      // Of an image of nine rows.
      if (kind == ElementKind::F16 || kind == ElementKind::BF16)
        which.bound.termsOfMatrix = 300;
      if (which.rows.size() > 1)
        which.rows = isDynamic ? std::vector<int64_t>{3, 4, 8} : rows;
    };
    Argument image = number(kind, c.image), filter = number(kind, c.filter), output = number(kind, c.output);
    limit(add(cases, {"conv", variant, c.attributes(groups), {image, filter}, {{kind, c.output}}}));
    // The output's size is no free choice where the image's is dynamic: there graphs test the gradients.
    if (isDynamic)
      continue;
    limit(add(cases, {"conv_transpose", variant, c.attributes(groups), {output, filter}, {{kind, c.image}}}));
    limit(add(cases, {"conv_filter_gradient", variant, c.attributes(groups), {image, output}, {{kind, c.filter}}}));
  }
}

/// A convolution with what fuses into it, and many rows.
static void addConvolutionLayer(std::vector<OpCase> &cases) {
  const ElementKind f32 = ElementKind::F32;
  OpCase which;
  which.ops = {"conv"};
  which.name = "conv_layer";
  which.arguments = {number(f32, {kRows, 6, 6, 3}), number(f32, {3, 3, 3, 20}), number(f32, {20})};
  std::string x = typeText(f32, {kRows, 6, 6, 3}), w = typeText(f32, {3, 3, 3, 20}), b = typeText(f32, {20});
  std::string y = typeText(f32, {kRows, 6, 6, 20});
  which.body = "  %p = df.conv %x0, %x1 {padding = array<i64: 1, 1, 1, 1>} : (" + x + ", " + w + ") -> " + y +
               "\n  %b = df.broadcast %x2 like %p dimensions = [3] : (" + b + ", " + y + ") -> " + y +
               "\n  %s = df.add %p, %b : " + y + "\n  %r = df.relu %s : " + y + "\n  df.return %r : " + y;
  which.results = {y};
  which.rows = {0, 1, 2, 9, 600};
  cases.push_back(which);
  // Rows and a spatial size that both vary: what lies between is no multiple of the rows.
  OpCase square;
  square.ops = {"conv", "max_pool"};
  square.name = "conv_square";
  square.arguments = {number(f32, {kRows}), number(f32, {kRows, 3}), number(f32, {3, 3, 5})};
  std::string column = typeText(f32, {kRows}), row = typeText(f32, {kRows, 3}), w3 = typeText(f32, {3, 3, 5});
  std::string map = typeText(f32, {kRows, kRows, 3}), wide = typeText(f32, {kRows, kRows, 5});
  std::string sums = typeText(f32, {kRows, 5});
  square.body = "  %i = df.dot_general %x0, %x1 : (" + column + ", " + row + ") -> " + map +
                "\n  %y = df.conv %i, %x2 {strides = array<i64: 2>, padding = array<i64: 1, 1>} : (" + map + ", " + w3 +
                ") -> " + wide + "\n  %p = df.max_pool %y {window = array<i64: 2>, padding = array<i64: 0, 1>} : (" +
                wide + ") -> " + wide + "\n  %s = df.reduce_max %p {axes = array<i64: 1>} : (" + wide + ") -> " + sums +
                "\n  df.return %s : " + sums;
  square.results = {sums};
  square.rows = {1, 2, 7, 8};
  cases.push_back(square);
  // Its gradients where the spatial size is dynamic: 'like' tells it.
  which.name = "conv_gradients_dynamic";
  which.ops = {"conv_transpose", "conv_filter_gradient"};
  std::string given = typeText(f32, {kRows, 1, 5, 3});
  std::string image = typeText(f32, {1, kRows, 5, 3}), filter = typeText(f32, {3, 3, 3, 4});
  std::string output = typeText(f32, {1, kRows, 3, 4});
  std::string attributes = " {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : (";
  which.arguments = {number(f32, {kRows, 1, 5, 3}), number(f32, {3, 3, 3, 4})};
  std::string swapped = " {permutation = array<i64: 1, 0, 2, 3>} : (";
  which.body = "  %i = df.transpose %x0" + swapped + given + ") -> " + image + "\n  %y = df.conv %i, %x1" + attributes +
               image + ", " + filter + ") -> " + output + "\n  %t = df.conv_transpose %y, %x1, %i" + attributes +
               output + ", " + filter + ", " + image + ") -> " + image + "\n  %dx = df.transpose %t" + swapped + image +
               ") -> " + given + "\n  %dw = df.conv_filter_gradient %i, %y" + attributes + image + ", " + output +
               ") -> " + filter + "\n  df.return %dx, %dw : " + given + ", " + filter;
  which.results = {given, filter};
  which.rows = {1, 2, 7, 8};
  cases.push_back(which);
}

//===-- pooling ---------------------------------------------------------------------===//

namespace {
struct Pool {
  std::string name;
  Shape image, output, window, strides, padding, dilations;
};
} // namespace

static void addPooling(std::vector<OpCase> &cases) {
  const std::vector<Pool> pools = {
      {"plain", {kRows, 6, 8, 3}, {kRows, 3, 4, 3}, {2, 2}, {2, 2}, {}, {}},
      {"overlap", {kRows, 5, 6, 19}, {kRows, 3, 3, 19}, {3, 3}, {2, 2}, {1, 1, 1, 1}, {}},
      {"dilated", {kRows, 7, 6, 4}, {kRows, 5, 5, 4}, {2, 3}, {}, {0, 0, 1, 2}, {2, 2}},
      {"line", {kRows, 9, 2}, {kRows, 4, 2}, {3}, {2}, {}, {}},
      {"volume", {kRows, 4, 2, 3, 5}, {kRows, 2, 2, 3, 5}, {2, 1, 2}, {2, 1, 1}, {0, 0, 0, 0, 0, 1}, {}},
      {"dynamic", {1, kRows, 6, 5}, {1, kRows, 3, 5}, {3, 2}, {1, 2}, {1, 1, 0, 0}, {}},
  };
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64, ElementKind::I32, ElementKind::I8})
    for (const Pool &p : pools) {
      if (kind != ElementKind::F32 && p.name != "overlap")
        continue;
      bool isDynamic = p.image[1] == kRows;
      std::string attributes = list("window", p.window) + ", " + list("strides", p.strides) + ", " +
                               list("padding", p.padding) + ", " + list("dilations", p.dilations);
      std::string variant = kindName(kind).str() + "_" + p.name;
      OneOp::Result image = {kind, p.image}, output = {kind, p.output}, positions = {ElementKind::I32, p.output};
      int64_t size = 1;
      for (int64_t n : p.window)
        size *= n;
      // Few values: many windows have ties.
      Argument ties = {kind, p.image, between(-3, 3)}, specials = {kind, p.image, special()};
      Argument places = {ElementKind::I32, p.output, between(-1, static_cast<double>(size) + 1)};
      std::vector<int64_t> rows = isDynamic ? std::vector<int64_t>{1, 2, 5, 8} : std::vector<int64_t>{0, 1, 2, 9};
      auto limit = [&](OpCase &which) -> OpCase & {
        which.rows = rows;
        return which;
      };
      limit(add(cases, {"max_pool", variant, attributes, {specials}, {output}}));
      limit(add(cases, {"max_pool_positions", variant, attributes, {specials}, {positions}}));
      if (interp::isFloatKind(kind)) {
        limit(add(cases, {"avg_pool", variant, attributes, {ties}, {output}}));
        limit(add(cases, {"avg_pool", variant + "_pad", attributes + ", count_include_pad", {ties}, {output}}));
        limit(add(cases, {"lp_pool", variant, attributes + ", p = 2.0 : f64", {ties}, {output}}));
        limit(add(cases, {"lp_pool", variant + "_third", attributes + ", p = 3.0 : f64", {ties}, {output}}));
      }
      auto first = [](std::vector<int64_t> shape) {
        shape.insert(shape.begin() + 1, shape.back());
        shape.pop_back();
        return shape;
      };
      OneOp::Result turned = {kind, first(p.output)};
      Argument image_first = {kind, first(p.image), special()}, ties_first = {kind, first(p.image), between(-3, 3)};
      OneOp::Result positions_first = {ElementKind::I32, first(p.output)}, restored = {kind, first(p.image)};
      Argument places_first = {ElementKind::I32, first(p.output), between(-1, static_cast<double>(size) + 1)};
      Argument turned_output = {kind, first(p.output), between(-3, 3)};
      std::string of_first = attributes + ", channels_first", variant_first = variant + "_channels_first";
      limit(add(cases, {"max_pool", variant_first, of_first, {image_first}, {turned}}));
      limit(add(cases, {"max_pool_positions", variant_first, of_first, {image_first}, {positions_first}}));
      if (!isDynamic) {
        limit(add(cases, {"pool_select", variant_first, of_first, {ties_first, places_first}, {turned}}));
        limit(add(cases, {"pool_scatter", variant_first, of_first, {turned_output, places_first}, {restored}}));
      }
      if (interp::isFloatKind(kind)) {
        limit(add(cases, {"avg_pool", variant_first, of_first, {ties_first}, {turned}}));
        limit(
            add(cases, {"avg_pool", variant_first + "_pad", of_first + ", count_include_pad", {ties_first}, {turned}}));
        limit(add(cases, {"lp_pool", variant_first, of_first + ", p = 2.0 : f64", {ties_first}, {turned}}));
        // A filter of the window's size from all channels to two.
        std::vector<int64_t> filter = p.window, wide = p.output;
        filter.insert(filter.end(), {p.image.back(), 2});
        wide.back() = 2;
        std::string motion = of_first.substr(of_first.find("strides"));
        Argument weights = {kind, filter, between(-1, 1)}, mixed = {kind, first(wide), between(-3, 3)};
        limit(add(cases, {"conv", variant_first, motion, {ties_first, weights}, {{kind, first(wide)}}}));
        if (!isDynamic) {
          limit(add(cases, {"conv_transpose", variant_first, motion, {mixed, weights}, {restored}}));
          limit(add(cases, {"conv_filter_gradient", variant_first, motion, {ties_first, mixed}, {{kind, filter}}}));
        }
      }
      // The output's size is no free choice where the image's is dynamic.
      if (isDynamic)
        continue;
      limit(add(cases, {"max_pool_positions", variant + "_ties", attributes, {ties}, {positions}}));
      limit(add(cases, {"pool_select", variant, attributes, {ties, places}, {output}}));
      limit(add(cases, {"pool_scatter", variant, attributes, {{kind, p.output, between(-3, 3)}, places}, {image}}));
    }
}

//===-- cells -----------------------------------------------------------------------===//

static void addCells(std::vector<OpCase> &cases) {
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64}) {
    std::string name = kindName(kind).str();
    OneOp::Result state = {kind, {kRows, 5}};
    auto arguments = [&](int64_t blocks, int states, int biases) {
      std::vector<Argument> result = {number(kind, {kRows, 3})};
      for (int i = 0; i < states; ++i)
        result.push_back(number(kind, {kRows, 5}));
      result.push_back(number(kind, {3, 5 * blocks}));
      result.push_back(number(kind, {5, 5 * blocks}));
      for (int i = 0; i < biases; ++i)
        result.push_back(number(kind, {5 * blocks}));
      return result;
    };
    add(cases, {"rnn_cell", name, "", arguments(1, 1, 1), {state}});
    add(cases, {"lstm_cell", name, "forget_bias = 1.0 : f64", arguments(4, 2, 1), {state, state}});
    add(cases, {"gru_cell", name, "", arguments(3, 1, 2), {state}});
  }
}

void mlc::execute::addContractionCases(std::vector<OpCase> &cases) {
  addProducts(cases);
  addConvolutions(cases, ElementKind::F32);
  addConvolutions(cases, ElementKind::F64, {"padded", "all", "depthwise"});
  for (ElementKind half : {ElementKind::F16, ElementKind::BF16})
    addConvolutions(cases, half, {"padded", "strided_groups", "pointwise", "depthwise"});
  addConvolutionLayer(cases);
  addPooling(cases);
  addCells(cases);
}
