// Cases of slices, pads, shapes of run time and what is made of them: most move elements and change none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::kindName;

using Shape = std::vector<int64_t>;

static void add(std::vector<OpCase> &cases, const std::string &op, const std::string &variant, ElementKind kind,
                std::vector<Argument> arguments, std::string lines, std::string result) {
  cases.push_back(caseOfLines(op, variant, kind, std::move(arguments), std::move(lines), std::move(result)));
}

/// An i64 vector %name of the numbers.
static std::string vectorOf(const std::string &name, const std::string &numbers, int64_t size) {
  return "  " + name + " = df.constant dense<[" + numbers + "]> : tensor<" + std::to_string(size) + "xi64>\n";
}

static void addSlices(std::vector<OpCase> &cases, ElementKind kind) {
  Fill values = kind == ElementKind::String ? words() : special();
  Argument rows = {kind, {kRows, 5}, values}, fixed = {kind, {9, 18}, values};
  add(cases, "slice", "strided_columns", kind, {rows},
      "  %y = df.slice %x0 {starts = array<i64: 0, 1>, sizes = array<i64: -1, 2>, strides = array<i64: 1, 3>} "
      ": "
      "(tensor<?x5x$T>) -> tensor<?x2x$T>",
      "tensor<?x2x$T>");
  add(cases, "slice", "strided_static", kind, {fixed},
      "  %y = df.slice %x0 {starts = array<i64: 8, 2>, sizes = array<i64: -1, 16>, strides = array<i64: 4, 1>} "
      ": (tensor<9x18x$T>) -> tensor<1x16x$T>",
      "tensor<1x16x$T>");
  add(cases, "slice", "strided_none", kind, {fixed},
      "  %y = df.slice %x0 {starts = array<i64: 9, 2>, sizes = array<i64: 0, 16>, strides = array<i64: 4, 1>} "
      ": "
      "(tensor<9x18x$T>) -> tensor<0x16x$T>",
      "tensor<0x16x$T>");
  // Of two dynamic dimensions one is checked.
  add(cases, "slice", "strided_mixed", kind, {{kind, {kRows, 2, 4}, values}, {kind, {}, values}},
      "  %s = df.pad %x0, %x1 {low = array<i64: 3, 0, 0>, high = array<i64: 0, 0, 0>, interior = array<i64: 0, 0, "
      "0>} "
      ": (tensor<?x2x4x$T>, tensor<$T>) -> tensor<?x2x4x$T>\n"
      "  %y = df.slice %s {starts = array<i64: 1, 1, 0>, sizes = array<i64: 2, -1, 4>, strides = array<i64: 1, "
      "1, 1>} : (tensor<?x2x4x$T>) -> tensor<2x1x4x$T>",
      "tensor<2x1x4x$T>");
  add(cases, "update_slice", "rest", kind, {rows, {kind, {0, 5}, values}},
      "  %y = df.update_slice %x0, %x1 {starts = array<i64: 4, 0>, strides = array<i64: 1, 1>} : (tensor<?x5x$T>, "
      "tensor<0x5x$T>) -> tensor<?x5x$T>",
      "tensor<?x5x$T>");
  add(cases, "update_slice", "columns", kind, {rows, {kind, {kRows, 2}, values}},
      "  %y = df.update_slice %x0, %x1 {starts = array<i64: 0, 1>, strides = array<i64: 1, 3>} : (tensor<?x5x$T>, "
      "tensor<?x2x$T>) -> tensor<?x5x$T>",
      "tensor<?x5x$T>");
  add(cases, "update_slice", "static", kind, {fixed, {kind, {2, 16}, values}},
      "  %y = df.update_slice %x0, %x1 {starts = array<i64: 3, 2>, strides = array<i64: 4, 1>} : (tensor<9x18x$T>, "
      "tensor<2x16x$T>) -> tensor<9x18x$T>",
      "tensor<9x18x$T>");
  Argument start = {ElementKind::I64, {2}, between(0, 3)};
  add(cases, "dynamic_slice", "static", kind, {fixed, start},
      "  %y = df.dynamic_slice %x0, %x1 : (tensor<9x18x$T>, tensor<2xi64>) -> tensor<6x9x$T>", "tensor<6x9x$T>");
  add(cases, "dynamic_slice", "like", kind, {rows, {ElementKind::F32, {kRows, 3}, special()}},
      vectorOf("%s", "0, 2", 2) +
          "  %y = df.dynamic_slice %x0, %s, %x1 : (tensor<?x5x$T>, tensor<2xi64>, tensor<?x3xf32>) -> tensor<?x3x$T>",
      "tensor<?x3x$T>");
  add(cases, "dynamic_update_slice", "static", kind, {fixed, {kind, {6, 9}, values}, start},
      "  %y = df.dynamic_update_slice %x0, %x1, %x2 : (tensor<9x18x$T>, tensor<6x9x$T>, tensor<2xi64>) -> "
      "tensor<9x18x$T>",
      "tensor<9x18x$T>");
  add(cases, "pad", "value_columns", kind, {rows, {kind, {}, values}},
      "  %y = df.pad %x0, %x1 {low = array<i64: 0, 1>, high = array<i64: 0, 2>, interior = array<i64: 0, 1>} : "
      "(tensor<?x5x$T>, tensor<$T>) -> tensor<?x12x$T>",
      "tensor<?x12x$T>");
  add(cases, "reverse", "columns", kind, {rows}, "  %y = df.reverse %x0 {axes = array<i64: 1>} : tensor<?x5x$T>",
      "tensor<?x5x$T>");
  add(cases, "reverse", "rows", kind, {rows}, "  %y = df.reverse %x0 {axes = array<i64: 0>} : tensor<?x5x$T>",
      "tensor<?x5x$T>");
  cases.back().rows.push_back(kManyRows);
}

static void addShapes(std::vector<OpCase> &cases, ElementKind kind) {
  Fill values = kind == ElementKind::String ? words() : special();
  Argument rows = {kind, {kRows, 6}, values};
  add(cases, "shape", "matrix", kind, {rows}, "  %y = df.shape %x0 : (tensor<?x6x$T>) -> tensor<2xi64>",
      "tensor<2xi64>");
  add(cases, "dynamic_broadcast", "static", kind, {{kind, {1, 6}, values}},
      vectorOf("%s", "4, 6", 2) +
          "  %y = df.dynamic_broadcast %x0, %s {dimensions = array<i64: 0, 1>} : (tensor<1x6x$T>, tensor<2xi64>) -> "
          "tensor<4x6x$T>",
      "tensor<4x6x$T>");
  if (kind != ElementKind::String) {
    add(cases, "dynamic_reshape", "static", kind, {{kind, {3, 4}, values}},
        vectorOf("%s", "2, -1", 2) +
            "  %y = df.dynamic_reshape %x0, %s : (tensor<3x4x$T>, tensor<2xi64>) -> tensor<2x6x$T>",
        "tensor<2x6x$T>");
    add(cases, "dynamic_reshape", "scalar", kind, {{kind, {1, 1}, values}},
        "  %s = df.constant dense<> : tensor<0xi64>\n"
        "  %y = df.dynamic_reshape %x0, %s : (tensor<1x1x$T>, tensor<0xi64>) -> tensor<$T>",
        "tensor<$T>");
  }
}

static void addIotas(std::vector<OpCase> &cases, ElementKind kind) {
  add(cases, "iota", "rows", kind, {{ElementKind::F32, {kRows, 5}, special()}},
      "  %y = df.iota %x0 {axis = 0 : i64} : (tensor<?x5xf32>) -> tensor<?x5x$T>", "tensor<?x5x$T>");
  add(cases, "iota", "static", kind, {}, "  %y = df.iota {axis = 1 : i64} : () -> tensor<2x19x$T>", "tensor<2x19x$T>");
  add(cases, "eye", "static", kind, {}, "  %y = df.eye {offset = 1 : i64} : () -> tensor<3x4x$T>", "tensor<3x4x$T>");
  Argument matrices = {kind, {kRows, 4, 3}, special()};
  add(cases, "band_part", "lower", kind, {matrices},
      "  %y = df.band_part %x0 {lower = -1 : i64, upper = 0 : i64} : tensor<?x4x3x$T>", "tensor<?x4x3x$T>");
  add(cases, "band_part", "band", kind, {matrices},
      "  %y = df.band_part %x0 {lower = 1 : i64, upper = 1 : i64} : tensor<?x4x3x$T>", "tensor<?x4x3x$T>");
  add(cases, "diag_part", "rows", kind, {{kind, {kRows, 3, 3}, special()}},
      "  %y = df.diag_part %x0 : (tensor<?x3x3x$T>) -> tensor<?x3x$T>", "tensor<?x3x$T>");
  Argument low = {kind, {}, between(-9, 0)}, high = {kind, {}, between(1, 9)}, step = {kind, {}, between(1, 3)};
  add(cases, "range", "scalars", kind, {low, high, step},
      "  %y = df.range %x0, %x1, %x2 : (tensor<$T>, tensor<$T>, tensor<$T>) -> tensor<?x$T>", "tensor<?x$T>");
  if (interp::isFloatKind(kind))
    add(cases, "linspace", "scalars", kind, {low, high},
        "  %y = df.linspace %x0, %x1 : (tensor<$T>, tensor<$T>) -> tensor<21x$T>", "tensor<21x$T>");
  add(cases, "diag", "rows", kind, {{kind, {kRows, 3}, special()}},
      "  %y = df.diag %x0 : (tensor<?x3x$T>) -> tensor<?x3x3x$T>", "tensor<?x3x3x$T>");
}

static void addParts(std::vector<OpCase> &cases, ElementKind kind) {
  Fill values = kind == ElementKind::String ? words() : special();
  Argument rows = {kind, {kRows, 5}, values};
  add(cases, "split", "columns", kind, {rows},
      "  %a, %b = df.split %x0 {axis = 1 : i64} : (tensor<?x5x$T>) -> (tensor<?x2x$T>, tensor<?x3x$T>)\n"
      "  %y = df.concat %b, %a {axis = 1 : i64} : (tensor<?x3x$T>, tensor<?x2x$T>) -> tensor<?x5x$T>",
      "tensor<?x5x$T>");
  add(cases, "unstack", "columns", kind, {{kind, {kRows, 2, 3}, values}},
      "  %a, %b = df.unstack %x0 {axis = 1 : i64} : (tensor<?x2x3x$T>) -> (tensor<?x3x$T>, tensor<?x3x$T>)\n"
      "  %y = df.concat %b, %a {axis = 1 : i64} : (tensor<?x3x$T>, tensor<?x3x$T>) -> tensor<?x6x$T>",
      "tensor<?x6x$T>");
  Argument vector = {kind, {kRows}, values}, three = {kind, {3}, values}, four = {kind, {4}, values};
  for (const char *indexing : {"xy", "ij"}) {
    const bool exchanged = std::string(indexing) == "xy";
    std::string grid = exchanged ? "tensor<4x3x$T>" : "tensor<3x4x$T>",
                rows3 = exchanged ? "tensor<3x?x4x$T>" : "tensor<?x3x4x$T>";
    add(cases, "meshgrid", std::string("static_") + indexing, kind, {three, four},
        std::string("  %a, %b = df.meshgrid ") + indexing + " %x0, %x1 : (tensor<3x$T>, tensor<4x$T>) -> (" + grid +
            ", " + grid + ")\n  %y = df.concat %a, %b {axis = 0 : i64} : (" + grid + ", " + grid + ") -> " +
            (exchanged ? "tensor<8x3x$T>" : "tensor<6x4x$T>"),
        exchanged ? "tensor<8x3x$T>" : "tensor<6x4x$T>");
    add(cases, "meshgrid", std::string("rows_") + indexing, kind, {vector, three, four},
        std::string("  %a, %b, %c = df.meshgrid ") + indexing +
            " %x0, %x1, %x2 : (tensor<?x$T>, tensor<3x$T>, tensor<4x$T>) -> (" + rows3 + ", " + rows3 + ", " + rows3 +
            ")\n  %y = df.stack %a, %b, %c {axis = 0 : i64} : (" + rows3 + ", " + rows3 + ", " + rows3 +
            ") -> tensor<3x" + rows3.substr(7),
        "tensor<3x" + rows3.substr(7));
  }
  add(cases, "stack", "middle", kind, {rows, rows},
      "  %y = df.stack %x0, %x1 {axis = 1 : i64} : (tensor<?x5x$T>, tensor<?x5x$T>) -> tensor<?x2x5x$T>",
      "tensor<?x2x5x$T>");
  add(cases, "tile", "both", kind, {{kind, {2, 5}, values}},
      "  %y = df.tile %x0 {multiples = array<i64: 3, 2>} : (tensor<2x5x$T>) -> tensor<6x10x$T>", "tensor<6x10x$T>");
  add(cases, "roll", "columns", kind, {rows}, "  %y = df.roll %x0 {axis = 1 : i64, shift = -2 : i64} : tensor<?x5x$T>",
      "tensor<?x5x$T>");
  for (const char *mode : {"reflect", "symmetric", "edge"})
    add(cases, "mirror_pad", mode, kind, {rows},
        std::string("  %y = df.mirror_pad ") + mode +
            " %x0 {axis = 1 : i64, low = 2 : i64, high = 1 : i64} : (tensor<?x5x$T>) -> tensor<?x8x$T>",
        "tensor<?x8x$T>");
  if (kind == ElementKind::String)
    return;
  add(cases, "space_to_depth", "images", kind, {{kind, {kRows, 4, 6, 3}, values}},
      "  %y = df.space_to_depth %x0 {block = 2 : i64} : (tensor<?x4x6x3x$T>) -> tensor<?x2x3x12x$T>",
      "tensor<?x2x3x12x$T>");
  add(cases, "depth_to_space", "images", kind, {{kind, {kRows, 2, 3, 12}, values}},
      "  %y = df.depth_to_space %x0 {block = 2 : i64} : (tensor<?x2x3x12x$T>) -> tensor<?x4x6x3x$T>",
      "tensor<?x4x6x3x$T>");
}

static void addResizes(std::vector<OpCase> &cases, ElementKind kind) {
  for (const char *mode : {"nearest", "linear", "cubic"})
    for (auto &[name, attributes] : {std::pair<const char *, const char *>{"", ""},
                                     {"_half_pixel", " {half_pixel}"},
                                     {"_align_corners", " {align_corners}"}})
      add(cases, "resize", std::string(mode) + name, kind, {{kind, {kRows, 4, 5, 3}, between(-2, 2)}},
          std::string("  %y = df.resize ") + mode + " %x0" + attributes +
              " : (tensor<?x4x5x3x$T>) -> tensor<?x7x3x3x$T>",
          "tensor<?x7x3x3x$T>");
}

/// Rows so long that a thread of a GPU has several neighbours: as many as 16 bytes, sizes and offsets allow.
static void addLongRows(std::vector<OpCase> &cases) {
  auto addRows = [&](const std::string &op, const std::string &variant, ElementKind kind,
                     std::vector<Argument> arguments, std::string lines, std::string result) {
    add(cases, op, "long_" + variant, kind, std::move(arguments), std::move(lines), std::move(result));
    cases.back().rows = {0, 1, 3};
  };
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64, ElementKind::I8, ElementKind::I64}) {
    Argument rows = {kind, {kRows, 1024}, special()}, row = {kind, {1024}, special(1)}, one = {kind, {}, special()};
    addRows("broadcast", "like", kind, {rows, row, one},
            "  %r = df.broadcast %x1 like %x0 dimensions = [1] : (tensor<1024x$T>, tensor<?x1024x$T>) -> "
            "tensor<?x1024x$T>\n"
            "  %o = df.broadcast %x2 like %x0 dimensions = [] : (tensor<$T>, tensor<?x1024x$T>) -> tensor<?x1024x$T>\n"
            "  %m = df.maximum %x0, %r : tensor<?x1024x$T>\n"
            "  %y = df.mul %m, %o : tensor<?x1024x$T>",
            "tensor<?x1024x$T>");
    // Pieces of 8 bytes or fewer, and an offset within a row.
    addRows("concat", "rows", kind, {rows, {kind, {kRows, 1026}, special()}},
            "  %n = df.neg %x1 : tensor<?x1026x$T>\n"
            "  %y = df.concat %x0, %n {axis = 1 : i64} : (tensor<?x1024x$T>, tensor<?x1026x$T>) -> tensor<?x2050x$T>",
            "tensor<?x2050x$T>");
    for (int64_t start : {3, 4})
      addRows("slice", "from_" + std::to_string(start), kind, {{kind, {kRows, 2048}, special()}},
              "  %s = df.slice %x0 {starts = array<i64: 0, " + std::to_string(start) +
                  ">, sizes = array<i64: -1, 1024>, strides = array<i64: 1, 1>} : (tensor<?x2048x$T>) -> "
                  "tensor<?x1024x$T>\n"
                  "  %y = df.neg %s : tensor<?x1024x$T>",
              "tensor<?x1024x$T>");
    addRows("transpose", "columns", kind, {{kind, {1024, kRows}, special()}},
            "  %y = df.transpose %x0 {permutation = array<i64: 1, 0>} : (tensor<1024x?x$T>) -> tensor<?x1024x$T>",
            "tensor<?x1024x$T>");
    // Of operands with different sizes of elements the largest one decides.
    for (const char *to : {"bf16", "f64", "i1"})
      addRows("cast", std::string("to_") + to, kind, {rows},
              std::string("  %y = df.cast %x0 : (tensor<?x1024x$T>) -> tensor<?x1024x") + to + ">",
              std::string("tensor<?x1024x") + to + ">");
  }
  addRows("select", "where", ElementKind::F32,
          {{ElementKind::I1, {kRows, 1024}, truths()},
           {ElementKind::F32, {kRows, 1024}, special()},
           {ElementKind::F32, {kRows, 1024}, special(1)}},
          "  %y = df.select %x0, %x1, %x2 : (tensor<?x1024xi1>, tensor<?x1024xf32>, tensor<?x1024xf32>) -> "
          "tensor<?x1024xf32>",
          "tensor<?x1024xf32>");
}

void mlc::execute::addLayoutCases(std::vector<OpCase> &cases) {
  addLongRows(cases);
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64, ElementKind::I1, ElementKind::I8, ElementKind::I32,
                           ElementKind::I64, ElementKind::String}) {
    addSlices(cases, kind);
    addShapes(cases, kind);
    addParts(cases, kind);
    if (kind != ElementKind::I1 && kind != ElementKind::String)
      addIotas(cases, kind);
    if (interp::isFloatKind(kind))
      addResizes(cases, kind);
  }
  add(cases, "sequence_mask", "rows", ElementKind::I64, {{ElementKind::I64, {kRows}, between(-1, 7)}},
      "  %y = df.sequence_mask %x0 : (tensor<?xi64>) -> tensor<?x5xi1>", "tensor<?x5xi1>");
  add(cases, "sequence_mask", "matrix", ElementKind::I64, {{ElementKind::I64, {kRows, 2}, between(-1, 7)}},
      "  %y = df.sequence_mask %x0 : (tensor<?x2xi64>) -> tensor<?x2x5xi1>", "tensor<?x2x5xi1>");
  // Sizes that only run time knows, in ops that keep nothing of that size.
  add(cases, "slice", "strided_of_rows", ElementKind::F32, {{ElementKind::F32, {kRows, 5}, special()}},
      "  %s = df.slice %x0 {starts = array<i64: 3, 0>, sizes = array<i64: -1, 5>, strides = array<i64: 2, 1>} "
      ": "
      "(tensor<?x5xf32>) -> tensor<?x5xf32>\n"
      "  %y = df.reduce_max %s {axes = array<i64: 0>} : (tensor<?x5xf32>) -> tensor<5xf32>",
      "tensor<5xf32>");
  add(cases, "pad", "value_of_rows", ElementKind::F32,
      {{ElementKind::F32, {kRows, 5}, special()}, {ElementKind::F32, {}, special()}},
      "  %s = df.pad %x0, %x1 {low = array<i64: 2, 0>, high = array<i64: 1, 0>, interior = array<i64: 1, 0>} : "
      "(tensor<?x5xf32>, tensor<f32>) -> tensor<?x5xf32>\n"
      "  %y = df.reduce_max %s {axes = array<i64: 0>} : (tensor<?x5xf32>) -> tensor<5xf32>",
      "tensor<5xf32>");
  // Outputs of such sizes.
  add(cases, "dynamic_broadcast", "of_call", ElementKind::F32,
      {{ElementKind::F32, {1, 5}, special()}, {ElementKind::I64, {1}, between(0, 40)}},
      "  %five = df.constant dense<5> : tensor<1xi64>\n"
      "  %s = df.concat %x1, %five {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>\n"
      "  %b = df.dynamic_broadcast %x0, %s {dimensions = array<i64: 0, 1>} : (tensor<1x5xf32>, tensor<2xi64>) -> "
      "tensor<?x5xf32>\n"
      "  %y = df.neg %b : tensor<?x5xf32>",
      "tensor<?x5xf32>");
  add(cases, "dynamic_reshape", "of_call", ElementKind::I64, {{ElementKind::I64, {kRows, 6}, special()}},
      vectorOf("%s", "3, -1, 2", 3) +
          "  %r = df.dynamic_reshape %x0, %s : (tensor<?x6xi64>, tensor<3xi64>) -> tensor<3x?x2xi64>\n"
          "  %y = df.neg %r : tensor<3x?x2xi64>",
      "tensor<3x?x2xi64>");
  add(cases, "slice", "strided_of_call", ElementKind::I64, {{ElementKind::I64, {kRows, 5}, special()}},
      "  %y = df.slice %x0 {starts = array<i64: 3, 0>, sizes = array<i64: -1, 5>, strides = array<i64: 2, 1>} "
      ": "
      "(tensor<?x5xi64>) -> tensor<?x5xi64>",
      "tensor<?x5xi64>");
  add(cases, "pad", "value_of_call", ElementKind::I64,
      {{ElementKind::I64, {kRows, 5}, special()}, {ElementKind::I64, {}, special()}},
      "  %y = df.pad %x0, %x1 {low = array<i64: 2, 0>, high = array<i64: 1, 0>, interior = array<i64: 1, 0>} : "
      "(tensor<?x5xi64>, tensor<i64>) -> tensor<?x5xi64>",
      "tensor<?x5xi64>");
  add(cases, "dynamic_reshape", "of_rows", ElementKind::I64, {{ElementKind::I64, {kRows, 6}, special()}},
      vectorOf("%s", "3, -1, 2", 3) +
          "  %r = df.dynamic_reshape %x0, %s : (tensor<?x6xi64>, tensor<3xi64>) -> tensor<3x?x2xi64>\n"
          "  %y = df.reduce_max %r {axes = array<i64: 1>} : (tensor<3x?x2xi64>) -> tensor<3x2xi64>",
      "tensor<3x2xi64>");
}
