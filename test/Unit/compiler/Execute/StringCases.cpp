// Cases of ops on strings, and of strings in ops that move elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StringCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;

using Shape = std::vector<int64_t>;

/// Shapes that ops of one element each are run on.
static const std::pair<const char *, Shape> kShapes[] = {
    {"rows", {kRows}}, {"matrix", {kRows, 3}}, {"static", {2, 5}}, {"scalar", {}}, {"empty", {0}}};

/// Strings with letters of both cases, blanks, separators and bytes beyond ASCII.
static Fill phrases() {
  return [](RandomValues &random, ElementKind, llvm::ArrayRef<int64_t> shape) {
    return random.strings(shape, {"", ",", "a,b", "Ab, cD,,e", " left", "right \t\n", "  both  ",
                                  "\xc3\x84pfel,\xc3\xa4", "no separator at all", "::a::b::", "Z", ",,"});
  };
}

/// Texts of integers that every type has.
static Fill integers() {
  return [](RandomValues &random, ElementKind, llvm::ArrayRef<int64_t> shape) {
    return random.strings(shape, {"0", " 7", "+12 ", "100", "\t42\n", "007"});
  };
}

static Fill floats() {
  return [](RandomValues &random, ElementKind, llvm::ArrayRef<int64_t> shape) {
    return random.strings(shape, {"0", "-0.0", " 1.5", "+2e10", "1e-3 ", "0.1", "inf", "-Infinity", "NaN", "16777217"});
  };
}

static void addMaps(std::vector<OpCase> &cases) {
  for (auto &[name, shape] : kShapes) {
    std::string type = typeText(ElementKind::String, shape), ids = typeText(ElementKind::I64, shape);
    Argument s = {ElementKind::String, shape, phrases()}, i = {ElementKind::I64, shape, between(-9, 9)};
    for (const std::string op : {"string_lower", "string_upper", "string_strip"}) {
      OpCase which;
      which.ops = {op};
      which.name = op + "_" + name;
      which.arguments = {s};
      which.body = "  %y = df." + op + " %x0 : " + type + "\n  df.return %y : " + type;
      which.results = {type};
      if (!llvm::is_contained(shape, kRows))
        which.rows = {1};
      cases.push_back(std::move(which));
    }
    addLine(cases, "string_length", name, {s}, "df.string_length %x0", ids);
    addLine(cases, "substr", name, {s, i, i}, "df.substr %x0, %x1, %x2", type);
    addLine(cases, "substr", std::string("extremes_") + name,
            {s, {ElementKind::I64, shape, special()}, {ElementKind::I64, shape, special(1)}}, "df.substr %x0, %x1, %x2",
            type);
    for (const char *predicate : {"eq", "ne", "lt", "le", "gt", "ge"})
      addLine(cases, "compare", std::string("strings_") + predicate + "_" + name, {s, s},
              std::string("df.compare ") + predicate + ", %x0, %x1", typeText(ElementKind::I1, shape));
  }
}

static void addNumbers(std::vector<OpCase> &cases) {
  for (auto &[name, shape] : kShapes) {
    std::string type = typeText(ElementKind::String, shape);
    for (ElementKind kind : {ElementKind::F16, ElementKind::BF16, ElementKind::F32, ElementKind::F64, ElementKind::I8,
                             ElementKind::I16, ElementKind::I32, ElementKind::I64, ElementKind::UI8, ElementKind::UI16,
                             ElementKind::UI32, ElementKind::UI64}) {
      std::string suffix = interp::kindName(kind).str() + "_" + name;
      addLine(cases, "as_string", suffix, {{kind, shape, special()}}, "df.as_string %x0", type);
      if (interp::isFloatKind(kind))
        addLine(cases, "as_string", "precision_" + suffix, {{kind, shape, special()}},
                "df.as_string %x0 {precision = 3 : i64}", type);
      if (kind != ElementKind::F16 && kind != ElementKind::BF16)
        addLine(cases, "string_to_number", suffix,
                {{ElementKind::String, shape, interp::isFloatKind(kind) ? floats() : integers()}},
                "df.string_to_number %x0", typeText(kind, shape));
    }
    addLine(cases, "as_string", std::string("i1_") + name, {{ElementKind::I1, shape, truths()}}, "df.as_string %x0",
            type);
  }
}

/// Parts of strings, whose number only the call knows, and ops on them.
static void addParts(std::vector<OpCase> &cases) {
  const std::string strings = "tensor<?x!df.string>", ids = "tensor<?xi64>";
  int64_t number = 0;
  for (const char *how : {"{delimiter = \",\"}", "{delimiter = \",\", skip_empty}", "{delimiter = \"::\"}",
                          "{delimiter = \", \\09\", any_byte}", "{delimiter = \" ,:\", any_byte, skip_empty}"}) {
    OpCase which;
    which.ops = {"string_split", "segment_join"};
    which.name = "string_split_" + std::to_string(number++);
    which.arguments = {{ElementKind::String, {kRows}, phrases()}};
    which.body = std::string("  %v, %e = df.string_split %x0 ") + how + " : (" + strings + ") -> (" + strings + ", " +
                 ids + ")\n  %l = df.string_lower %v : " + strings + "\n  %h = df.fingerprint %l : (" + strings +
                 ") -> " + ids + "\n  %j = df.segment_join %l, %e {separator = \"; \"} : (" + strings + ", " + ids +
                 ") -> " + strings + "\n  df.return %v, %e, %h, %j : " + strings + ", " + ids + ", " + ids + ", " +
                 strings;
    which.results = {strings, ids, ids, strings};
    cases.push_back(std::move(which));
  }
}

static void addJoins(std::vector<OpCase> &cases) {
  const std::string strings = "tensor<?x!df.string>";
  auto join = [&](const char *name, Shape shape, int64_t axis, const std::string &result) {
    addLine(cases, "reduce_join", name, {{ElementKind::String, std::move(shape), phrases()}},
            "df.reduce_join %x0 {axis = " + std::to_string(axis) + " : i64, separator = \"-\"}", result);
  };
  join("last", {kRows, 3}, 1, strings);
  join("rows", {kRows, 3}, 0, "tensor<3x!df.string>");
  join("middle", {kRows, 3, 2}, 1, "tensor<?x2x!df.string>");
  join("one", {kRows, 1}, 1, strings);
  join("none", {kRows, 0}, 1, strings);
  for (auto &[name, shape] : kShapes) {
    Argument s = {ElementKind::String, shape, phrases()}, w = {ElementKind::String, shape, words()};
    std::string type = typeText(ElementKind::String, shape);
    addLine(cases, "string_join", name, {s, w, s}, "df.string_join %x0, %x1, %x2 {separator = \" | \"}", type);
    addLine(cases, "string_join", std::string("alone_") + name, {s}, "df.string_join %x0", type);
    addLine(cases, "string_format", name,
            {s, {ElementKind::I32, shape, special()}, {ElementKind::F32, shape, special()}},
            "df.string_format %x0, %x1, %x2 {pattern = \"{{{}}} = {} or {}\"}", type);
  }
}

/// Constants, and ops that move elements.
static void addMoves(std::vector<OpCase> &cases) {
  const std::string strings = "tensor<?x!df.string>";
  OpCase constants;
  constants.ops = {"constant", "broadcast", "concat", "reshape", "transpose", "slice"};
  constants.name = "string_constants";
  constants.arguments = {{ElementKind::String, {kRows}, phrases()}};
  constants.body =
      R"(  %c = df.constant dense<[["a", ""], ["long text", "\C3\A4"], ["z\00y", "b"]]> : tensor<3x2x!df.string>
  %same = df.constant dense<"same"> : tensor<2x4x!df.string>
  %one = df.constant dense<"one"> : tensor<!df.string>
  %all = df.broadcast %one like %x0 dimensions = [] : (tensor<!df.string>, tensor<?x!df.string>) -> tensor<?x!df.string>
  %both = df.concat %x0, %all {axis = 0 : i64} : (tensor<?x!df.string>, tensor<?x!df.string>) -> tensor<?x!df.string>
  %t = df.transpose %c {permutation = array<i64: 1, 0>} : (tensor<3x2x!df.string>) -> tensor<2x3x!df.string>
  %s = df.slice %t {starts = array<i64: 0, 1>, sizes = array<i64: 2, 2>} : (tensor<2x3x!df.string>) -> tensor<2x2x!df.string>
  %u = df.string_upper %s : tensor<2x2x!df.string>
  %r = df.reshape %c : (tensor<3x2x!df.string>) -> tensor<6x!df.string>
  df.return %r, %same, %both, %u, %s : tensor<6x!df.string>, tensor<2x4x!df.string>, tensor<?x!df.string>, tensor<2x2x!df.string>, tensor<2x2x!df.string>)";
  constants.results = {"tensor<6x!df.string>", "tensor<2x4x!df.string>", strings, "tensor<2x2x!df.string>",
                       "tensor<2x2x!df.string>"};
  cases.push_back(std::move(constants));
  // What loops keep of strings that they make stays.
  OpCase loop;
  loop.ops = {"string_split", "scan"};
  loop.name = "strings_of_a_loop";
  loop.arguments = {{ElementKind::String, {4, 3}, phrases()}};
  loop.body = R"(  %start = df.constant dense<"."> : tensor<!df.string>
  %last, %all = df.scan (%start) over (%x0) : (tensor<!df.string>, tensor<4x3x!df.string>) -> (tensor<!df.string>, tensor<4x!df.string>) {
  ^bb0(%carried: tensor<!df.string>, %row: tensor<3x!df.string>):
    %v, %e = df.string_split %row {delimiter = ","} : (tensor<3x!df.string>) -> (tensor<?x!df.string>, tensor<3xi64>)
    %u = df.string_upper %v : tensor<?x!df.string>
    %line = df.reduce_join %u {axis = 0 : i64, separator = "+"} : (tensor<?x!df.string>) -> tensor<!df.string>
    %next = df.string_join %carried, %line : (tensor<!df.string>, tensor<!df.string>) -> tensor<!df.string>
    df.yield %next, %line : tensor<!df.string>, tensor<!df.string>
  }
  df.return %last, %all : tensor<!df.string>, tensor<4x!df.string>)";
  loop.results = {"tensor<!df.string>", "tensor<4x!df.string>"};
  loop.rows = {1};
  cases.push_back(std::move(loop));
}

/// A part of the state that is saved, changed and taken back, in the order of the program.
static void addFiles(std::vector<OpCase> &cases) {
  OpCase which;
  which.ops = {"save", "restore"};
  which.name = "save_restore";
  which.state = "df.variable @save_restore_w : tensor<3x2xf32> = #df.normal<0.0, 1.0>\n"
                "df.variable @save_restore_n : tensor<i64> = #df.constant<4.0>\n"
                "df.variable @save_restore_other : tensor<2xf32> = #df.constant<1.0>";
  which.arguments = {{ElementKind::F32, {3, 2}, between(-2, 2)}, {ElementKind::String, {}, words()}};
  which.body = R"(  df.assign_add @save_restore_w, %x0 : tensor<3x2xf32>
  df.save "save_restore_?" to %x1 : tensor<!df.string>
  %one = df.constant dense<1> : tensor<i64>
  df.assign_add @save_restore_n, %one : tensor<i64>
  df.assign @save_restore_w, %x0 : tensor<3x2xf32>
  %changed = df.read @save_restore_n : tensor<i64>
  df.restore "save_*w" from %x1 : (tensor<!df.string>) -> ()
  %w = df.read @save_restore_w : tensor<3x2xf32>
  df.return %changed, %w : tensor<i64>, tensor<3x2xf32>)";
  which.results = {"tensor<i64>", "tensor<3x2xf32>"};
  which.rows = {1};
  cases.push_back(std::move(which));
}

void mlc::execute::addStringCases(std::vector<OpCase> &cases) {
  addMaps(cases);
  addNumbers(cases);
  addParts(cases);
  addJoins(cases);
  addMoves(cases);
  addFiles(cases);
}
