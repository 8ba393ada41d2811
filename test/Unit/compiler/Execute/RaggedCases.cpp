// Cases of the ops of multi-valued features.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::Tensor;

/// Ends of as many values as rows: rows of some values between rows of none.
static Tensor raggedEnds(RandomValues &random, ElementKind kind, llvm::ArrayRef<int64_t> shape) {
  Tensor ends(kind, shape);
  int64_t rows = shape[0], end = 0;
  Tensor sizes = random.integers(ElementKind::I64, shape, 0, 4);
  for (int64_t r = 0; r < rows; ++r) {
    end = std::min(rows, end + sizes.getInteger(r));
    ends.setInteger(r, r + 1 == rows ? rows : end);
  }
  return ends;
}

void mlc::execute::addRaggedCases(std::vector<OpCase> &cases) {
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64})
    for (auto &shape : std::vector<std::vector<int64_t>>{{kRows}, {kRows, 1}, {kRows, 7}, {kRows, 16}, {kRows, 3, 5}}) {
      std::string type = typeText(kind, shape), name = interp::kindName(kind).str();
      for (int64_t size : shape)
        name += size == kRows ? "" : "_" + std::to_string(size);
      OpCase sum;
      sum.ops = {"ragged_reduce"};
      sum.name = "ragged_reduce_" + name;
      sum.arguments = {{kind, shape, between(-1, 1)}, {ElementKind::I64, {kRows}, raggedEnds}};
      sum.rows.push_back(kManyRows);
      sum.body = "  %r = df.ragged_reduce sum %x0, %x1 : (" + type + ", tensor<?xi64>) -> " + type +
                 "\n  df.return %r : " + type;
      sum.results = {type};
      OpCase repeat = sum;
      repeat.ops = {"ragged_repeat"};
      repeat.name = "ragged_repeat_" + name;
      repeat.body = "  %r = df.ragged_repeat %x0, %x1 like %x1 : (" + type + ", tensor<?xi64>, tensor<?xi64>) -> " +
                    type + "\n  df.return %r : " + type;
      cases.push_back(std::move(sum));
      cases.push_back(std::move(repeat));
    }
  // What is made of other ops: other reductions than sums of floats.
  for (ElementKind kind : {ElementKind::F16, ElementKind::F32, ElementKind::I8, ElementKind::UI32, ElementKind::I64})
    for (const char *reduction : {"sum", "mean", "prod", "max", "min"}) {
      bool isFloat = interp::isFloatKind(kind);
      if (llvm::StringRef(reduction) == (isFloat ? "sum" : "mean"))
        continue;
      std::string type = typeText(kind, {kRows, 3}), name = interp::kindName(kind).str();
      OpCase which;
      which.ops = {"ragged_reduce"};
      which.name = std::string("ragged_reduce_") + reduction + "_" + name;
      which.arguments = {{kind, {kRows, 3}, between(0, 3)}, {ElementKind::I64, {kRows}, raggedEnds}};
      which.rows.push_back(kManyRows);
      which.body = std::string("  %r = df.ragged_reduce ") + reduction + " %x0, %x1 : (" + type +
                   ", tensor<?xi64>) -> " + type + "\n  df.return %r : " + type;
      which.results = {type};
      cases.push_back(std::move(which));
    }
  for (ElementKind kind : {ElementKind::F16, ElementKind::I8, ElementKind::UI32, ElementKind::I64})
    for (auto &shape : std::vector<std::vector<int64_t>>{{kRows}, {kRows, 7}}) {
      std::string type = typeText(kind, shape);
      OpCase which;
      which.ops = {"ragged_repeat"};
      which.name = "ragged_repeat_" + interp::kindName(kind).str() + (shape.size() > 1 ? "_7" : "");
      which.arguments = {{kind, shape, between(0, 9)}, {ElementKind::I64, {kRows}, raggedEnds}};
      which.rows.push_back(kManyRows);
      which.body = "  %r = df.ragged_repeat %x0, %x1 like %x1 : (" + type + ", tensor<?xi64>, tensor<?xi64>) -> " +
                   type + "\n  df.return %r : " + type;
      which.results = {type};
      cases.push_back(std::move(which));
    }
  for (ElementKind kind : {ElementKind::F32, ElementKind::I64, ElementKind::I1})
    for (auto &shape : std::vector<std::vector<int64_t>>{{kRows}, {kRows, 3}}) {
      std::string type = typeText(kind, shape), scalar = typeText(kind, {}), padded = type;
      padded.insert(padded.find('?'), "?x");
      OpCase pad;
      pad.ops = {"ragged_to_dense"};
      pad.name = "ragged_pad_" + interp::kindName(kind).str() + (shape.size() > 1 ? "_3" : "");
      pad.arguments = {
          {kind, shape, between(0, 2)}, {ElementKind::I64, {kRows}, raggedEnds}, {kind, {}, between(0, 2)}};
      pad.rows.push_back(kManyRows);
      pad.body = "  %p, %n = df.ragged_to_dense %x0, %x1, %x2 : (" + type + ", tensor<?xi64>, " + scalar + ") -> (" +
                 padded + ", tensor<?xi64>)\n  df.return %p, %n : " + padded + ", tensor<?xi64>";
      pad.results = {padded, "tensor<?xi64>"};
      cases.push_back(std::move(pad));
    }
  OpCase product;
  product.ops = {"ragged_product", "dimension", "gather"};
  product.name = "ragged_product";
  product.state = "df.dimension sum [2] as 1\n";
  product.arguments = {{ElementKind::I64, {kRows}, raggedEnds}, {ElementKind::I64, {kRows}, between(-9, 9)}};
  product.rows.push_back(kManyRows);
  product.results = {"tensor<?xi64>", "tensor<?xf64>"};
  // Twice as many pairs as values, in either order of the sides. The sums tell positions and values apart.
  product.body = R"(
  %i, %j, %e = df.ragged_product rhs_ends(%x0) {lhs_per_row = 2 : i64, symbol = 1 : i64} : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
  %k, %l, %f = df.ragged_product lhs_ends(%x0) {rhs_per_row = 2 : i64, symbol = 1 : i64} : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
  %v = df.gather %x1, %j {axes = array<i64: 0>, skip_negative} : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %w = df.gather %x1, %k {axes = array<i64: 0>, skip_negative} : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %a = df.mul %v, %i : tensor<?xi64>
  %b = df.mul %w, %l : tensor<?xi64>
  %c = df.sub %a, %b : tensor<?xi64>
  %d = df.add %c, %j : tensor<?xi64>
  %g = df.cast %d : (tensor<?xi64>) -> tensor<?xf64>
  %s = df.ragged_reduce sum %g, %e : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  %t = df.add %e, %f : tensor<?xi64>
  df.return %t, %s : tensor<?xi64>, tensor<?xf64>)";
  cases.push_back(std::move(product));
}
