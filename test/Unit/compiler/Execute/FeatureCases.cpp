// Cases of strings, hashes, vocabularies and ids. The fakes compute what the services say apart from the interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StringCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;

using Shape = std::vector<int64_t>;

void mlc::execute::addLine(std::vector<OpCase> &cases, const std::string &op, const std::string &variant,
                           std::vector<Argument> arguments, const std::string &line, const std::string &result,
                           const std::string &state) {
  OpCase which;
  which.ops = {op};
  which.name = op + "_" + variant;
  std::string types;
  which.rows = {1};
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    types += (i ? ", " : "") + typeText(argument.kind, argument.shape);
    if (llvm::is_contained(argument.shape, kRows))
      which.rows = OpCase().rows;
  }
  which.state = state;
  which.arguments = std::move(arguments);
  which.body = "  %y = " + line + " : (" + types + ") -> " + result + "\n  df.return %y : " + result;
  which.results = {result};
  cases.push_back(std::move(which));
}

/// Shapes that ops of one element each are run on.
static const std::pair<const char *, Shape> kShapes[] = {
    {"rows", {kRows}}, {"matrix", {kRows, 3}}, {"static", {2, 5}}, {"scalar", {}}, {"empty", {0}}};

static void addHashes(std::vector<OpCase> &cases) {
  for (auto &[name, shape] : kShapes) {
    std::string ids = typeText(ElementKind::I64, shape);
    addLine(cases, "fingerprint", std::string("strings_") + name, {{ElementKind::String, shape, words()}},
            "df.fingerprint %x0", ids);
    addLine(cases, "fingerprint", std::string("integers_") + name, {{ElementKind::I64, shape, special()}},
            "df.fingerprint %x0", ids);
    addLine(cases, "is_empty", name, {{ElementKind::String, shape, words()}}, "df.is_empty %x0",
            typeText(ElementKind::I1, shape));
    Argument id = {ElementKind::I64, shape, special()}, other = {ElementKind::I64, shape, special(1)};
    OpCase cat;
    cat.ops = {"fingerprint_cat", "hash_bucket"};
    cat.name = std::string("fingerprint_cat_") + name;
    cat.arguments = {id, other};
    cat.body = "  %h = df.fingerprint_cat %x0, %x1 : " + ids + "\n";
    cat.results = {ids};
    std::string values = "%h", types = ids;
    for (const char *buckets : {"1", "2", "17", "1000", "4096", "9223372036854775807"}) {
      std::string value = std::string("%b") + buckets;
      cat.body += "  " + value + " = df.hash_bucket %x0 {buckets = " + buckets + " : i64} : " + ids + "\n";
      values += ", " + value;
      types += ", " + ids;
      cat.results.push_back(ids);
    }
    cat.body += "  df.return " + values + " : " + types;
    if (!llvm::is_contained(shape, kRows))
      cat.rows = {1};
    cases.push_back(std::move(cat));
  }
}

static void addTables(std::vector<OpCase> &cases) {
  for (const auto &named : kShapes) {
    const std::string name = named.first;
    const Shape &shape = named.second;
    std::string ids = typeText(ElementKind::I64, shape);
    auto lookup = [&](const std::string &variant, ElementKind kind, const Fill &fill, const std::string &terms,
                      const std::string &attributes) {
      std::string table = "lookup_" + variant + "_" + name + "_table";
      addLine(cases, "lookup", variant + "_" + name, {{kind, shape, fill}}, "df.lookup @" + table + ", %x0", ids,
              "df.vocabulary @" + table + " [" + terms + "] " + attributes);
    };
    const std::string strings = "\"omar\", \"a\", \"\", \"0\", \"\\C3\\A4\\C3\\B6\"";
    lookup("strings_oov", ElementKind::String, words(), strings, "{num_oov = 3 : i64}");
    lookup("strings_default", ElementKind::String, words(), strings, "{default_value = 7 : i64}");
    lookup("integers_oov", ElementKind::I64, between(-5, 12), "3 : i64, -2 : i64, 10 : i64", "{num_oov = 1 : i64}");
    lookup("integers_default", ElementKind::I64, special(), "1 : i64, -9223372036854775808 : i64", "");
    std::string table = "term_" + name + "_table";
    addLine(cases, "term", name, {{ElementKind::I64, shape, between(0, 5)}}, "df.term @" + table + ", %x0",
            typeText(ElementKind::String, shape), "df.vocabulary @" + table + " [" + strings + "]");
  }
  // Each op finds its own of many tables.
  OpCase which;
  which.ops = {"lookup", "term", "vocabulary"};
  which.name = "tables_together";
  which.state = "df.vocabulary @tables_together_a [\"b\"]\ndf.vocabulary @tables_together_b [5 : i64, 6 : i64]\n"
                "df.vocabulary @tables_together_c [\"x\", \"y\", \"a\"]";
  which.arguments = {{ElementKind::String, {kRows}, words()}, {ElementKind::I64, {kRows}, between(0, 3)}};
  which.body = "  %a = df.lookup @tables_together_a, %x0 : (tensor<?x!df.string>) -> tensor<?xi64>\n"
               "  %b = df.lookup @tables_together_b, %x1 : (tensor<?xi64>) -> tensor<?xi64>\n"
               "  %c = df.lookup @tables_together_c, %x0 : (tensor<?x!df.string>) -> tensor<?xi64>\n"
               "  %d = df.term @tables_together_c, %x1 : (tensor<?xi64>) -> tensor<?x!df.string>\n"
               "  df.return %a, %b, %c, %d : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?x!df.string>";
  which.results = {"tensor<?xi64>", "tensor<?xi64>", "tensor<?xi64>", "tensor<?x!df.string>"};
  cases.push_back(std::move(which));
}

static void addIds(std::vector<OpCase> &cases) {
  std::string ids = "tensor<?xi64>";
  Argument id = {ElementKind::I64, {kRows}, between(-1, 9)};
  addLine(cases, "check_ids", "alone", {id}, "df.check_ids %x0 {low = -1 : i64, high = 9 : i64, what = \"id\"}", ids);
  addLine(cases, "check_ids", "with_texts", {id, {ElementKind::String, {kRows}, words()}},
          "df.check_ids %x0, %x1 in @check_ids_table {low = -1 : i64, high = 9 : i64, what = \"id\"}", ids,
          "df.vocabulary @check_ids_table [\"a\", \"b\"]");
  addLine(cases, "check_ids", "columns", {{ElementKind::I64, {kRows, 2}, between(-1, 9)}},
          "df.check_ids %x0 {low = -1 : i64, high = 10 : i64, what = \"column\", columns = [#df.id_column<\"a\", 9>, "
          "#df.id_column<\"b\", 10>]}",
          "tensor<?x2xi64>");
  addLine(cases, "check_ids", "rows", {{ElementKind::I64, {kRows, 3, 2}, between(-1, 9)}},
          "df.check_ids %x0 {low = -1 : i64, high = 9 : i64, what = \"id\"}", "tensor<?x3x2xi64>");
  addLine(cases, "check_ids", "static", {{ElementKind::I64, {4}, between(0, 2)}},
          "df.check_ids %x0 {low = 0 : i64, high = 2 : i64, what = \"id\"}", "tensor<4xi64>");
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64})
    for (auto &[name, shape] : kShapes) {
      std::string suffix = interp::kindName(kind).str() + "_" + name, to = typeText(ElementKind::I64, shape);
      Argument x = {kind, shape, special()};
      // 0.1 and 0.30000000000000004 are not numbers of f32: their neighbours there are what counts.
      addLine(cases, "bucketize", suffix, {x},
              "df.bucketize %x0 {boundaries = array<f64: -1.0e+300, -1.0, -0.0, 0.1, 0.30000000000000004, 0.5, 1.0, "
              "1.0e+300>}",
              to);
      addLine(cases, "bucketize", "one_" + suffix, {x}, "df.bucketize %x0 {boundaries = array<f64: 0.3>}", to);
      addLine(cases, "bucketize", "none_" + suffix, {x}, "df.bucketize %x0 {boundaries = array<f64>}", to);
      Shape wide = shape;
      wide.push_back(3);
      addLine(cases, "one_hot", suffix, {{ElementKind::I64, shape, between(-1, 5)}}, "df.one_hot %x0",
              typeText(kind, wide));
    }
  addLine(cases, "bucketize", "many", {{ElementKind::F32, {kRows}, between(-2, 2)}},
          "df.bucketize %x0 {boundaries = array<f64: -1.0, -0.5, 0.0, 0.1, 0.5, 1.0>}", ids);
  cases.back().rows = {10 * kManyElements};
  addLine(cases, "one_hot", "extremes", {{ElementKind::I64, {kRows}, special()}}, "df.one_hot %x0", "tensor<?x17xf32>");
  addLine(cases, "one_hot", "first_axis", {{ElementKind::I64, {kRows}, between(-1, 5)}},
          "df.one_hot %x0 {axis = 0 : i64, on = 5.0 : f64, off = -4.0 : f64}", "tensor<4x?xi8>");
  addLine(cases, "one_hot", "middle_axis", {{ElementKind::I64, {kRows, 3}, between(-1, 5)}},
          "df.one_hot %x0 {axis = 1 : i64, on = 0.5 : f64, off = -0.1 : f64}", "tensor<?x4x3xf32>");
  addLine(cases, "one_hot", "no_depth", {{ElementKind::I64, {kRows}, special()}}, "df.one_hot %x0", "tensor<?x0xf32>");
}

/// Strings through ops that move elements, and a choice of them.
static void addStrings(std::vector<OpCase> &cases) {
  for (auto &[name, shape] : kShapes)
    addLine(cases, "select", std::string("strings_") + name,
            {{ElementKind::I1, shape, truths()},
             {ElementKind::String, shape, words()},
             {ElementKind::String, shape, words()}},
            "df.select %x0, %x1, %x2", typeText(ElementKind::String, shape));
}

void mlc::execute::addFeatureCases(std::vector<OpCase> &cases) {
  addHashes(cases);
  addTables(cases);
  addIds(cases);
  addStrings(cases);
  addStringCases(cases);
}
