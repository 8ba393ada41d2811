// Cases of variables: reads and writes in any order, gathers, updates of rows. All have the interpreter's bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

#include <limits>

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;

/// A case whose texts have `$` where its name stands and `T` where the element type does.
static void add(std::vector<OpCase> &cases, std::vector<std::string> ops, const std::string &name, ElementKind kind,
                const std::string &state, std::vector<Argument> arguments, const std::string &body,
                std::vector<std::string> results) {
  OpCase which;
  which.ops = std::move(ops);
  which.name = name + "_" + interp::kindName(kind).str();
  auto complete = [&](llvm::StringRef text) {
    std::string result;
    for (char c : text)
      result += c == '$' ? which.name + "_" : c == 'T' ? interp::kindName(kind).str() : std::string(1, c);
    return result;
  };
  which.state = complete(state);
  which.body = complete(body);
  for (const std::string &result : results)
    which.results.push_back(complete(result));
  bool isDynamic = false;
  for (Argument &argument : arguments)
    isDynamic |= llvm::is_contained(argument.shape, kRows);
  which.arguments = std::move(arguments);
  if (!isDynamic)
    which.rows = {1};
  cases.push_back(std::move(which));
}

/// Writes that one buffer cannot take at any time: an old value is read after them, values go crosswise.
static void addWrites(std::vector<OpCase> &cases, ElementKind kind) {
  std::string initial = interp::isFloatKind(kind) ? "#df.normal<0.0, 1.0>" : "#df.constant<3.0>";
  std::string one = "df.variable @$w : tensor<3x7xT> = " + initial;
  std::string two = one + "\ndf.variable @$v : tensor<3x7xT> = #df.constant<2.0>";
  Argument x = {kind, {3, 7}, interp::isFloatKind(kind) ? between(-2, 2) : special()};
  std::string type = "tensor<3x7xT>";
  add(cases, {"read"}, "read", kind, one, {}, "%w = df.read @$w : tensor<3x7xT>\ndf.return %w : tensor<3x7xT>", {type});
  add(cases, {"assign"}, "assign", kind, one, {x}, "df.assign @$w, %x0 : tensor<3x7xT>\ndf.return", {});
  add(cases, {"assign_add", "assign_sub"}, "assign_changes", kind, two, {x},
      "df.assign_add @$w, %x0 : tensor<3x7xT>\ndf.assign_sub @$v, %x0 : tensor<3x7xT>\n"
      "df.assign_add @$w, %x0 : tensor<3x7xT>\ndf.return",
      {});
  add(cases, {"read", "assign"}, "old_value", kind, one, {x},
      "%w = df.read @$w : tensor<3x7xT>\n%s = df.add %w, %x0 : tensor<3x7xT>\ndf.assign @$w, %s : tensor<3x7xT>\n"
      "df.return %w : tensor<3x7xT>",
      {type});
  add(cases, {"read", "assign"}, "old_and_new_value", kind, one, {x},
      "%w = df.read @$w : tensor<3x7xT>\n%s = df.add %w, %x0 : tensor<3x7xT>\ndf.assign @$w, %s : tensor<3x7xT>\n"
      "%n = df.read @$w : tensor<3x7xT>\n%d = df.mul %n, %w : tensor<3x7xT>\n"
      "df.return %d, %n : tensor<3x7xT>, tensor<3x7xT>",
      {type, type});
  add(cases, {"read", "assign"}, "swap", kind, two, {},
      "%w = df.read @$w : tensor<3x7xT>\n%v = df.read @$v : tensor<3x7xT>\ndf.assign @$w, %v : tensor<3x7xT>\n"
      "df.assign @$v, %w : tensor<3x7xT>\ndf.return",
      {});
  add(cases, {"read", "assign"}, "copy", kind, two, {},
      "%w = df.read @$w : tensor<3x7xT>\ndf.assign @$v, %w : tensor<3x7xT>\ndf.return", {});
  add(cases, {"read", "assign"}, "both_from_both", kind, two, {},
      "%w = df.read @$w : tensor<3x7xT>\n%v = df.read @$v : tensor<3x7xT>\n%s = df.add %w, %v : tensor<3x7xT>\n"
      "%d = df.sub %w, %v : tensor<3x7xT>\ndf.assign @$w, %s : tensor<3x7xT>\ndf.assign @$v, %d : tensor<3x7xT>\n"
      "df.return",
      {});
  add(cases, {"assign"}, "feature_to_two", kind, two, {x},
      "df.assign @$w, %x0 : tensor<3x7xT>\ndf.assign @$v, %x0 : tensor<3x7xT>\ndf.return %x0 : tensor<3x7xT>", {type});
  // Element (i, j) of the new value needs (j, i) of the old one.
  add(cases, {"read", "assign"}, "transposed", kind, "df.variable @$w : tensor<5x5xT> = " + initial, {},
      "%w = df.read @$w : tensor<5x5xT>\n"
      "%t = df.transpose %w {permutation = array<i64: 1, 0>} : (tensor<5x5xT>) -> tensor<5x5xT>\n"
      "%s = df.add %t, %w : tensor<5x5xT>\ndf.assign @$w, %s : tensor<5x5xT>\ndf.return",
      {});
  add(cases, {"read", "assign"}, "turned", kind, "df.variable @$w : tensor<6xT> = " + initial, {},
      "%w = df.read @$w : tensor<6xT>\n"
      "%a = df.slice %w {starts = array<i64: 0>, sizes = array<i64: 1>} : (tensor<6xT>) -> tensor<1xT>\n"
      "%b = df.slice %w {starts = array<i64: 1>, sizes = array<i64: 5>} : (tensor<6xT>) -> tensor<5xT>\n"
      "%t = df.concat %b, %a {axis = 0 : i64} : (tensor<5xT>, tensor<1xT>) -> tensor<6xT>\n"
      "df.assign @$w, %t : tensor<6xT>\ndf.return",
      {});
}

static void addGathers(std::vector<OpCase> &cases, ElementKind kind) {
  Argument ids = {ElementKind::I64, {kRows}, between(-1, 9)};
  for (auto &[name, row, size] : {std::tuple<const char *, const char *, int64_t>{"wide", "21x", 21},
                                  {"narrow", "3x", 3},
                                  {"vector", "", 1},
                                  {"matrix", "2x5x", 10},
                                  {"lanes", "16x", 16}}) {
    std::string table = std::string("tensor<9x") + row + "T>", rows = std::string("tensor<?x") + row + "T>";
    add(cases, {"read_rows"}, std::string("read_rows_") + name, kind,
        "df.variable @$w : " + table + " = #df.normal<0.0, 1.0>", {ids},
        "%e = df.read_rows @$w[%x0] : (tensor<?xi64>) -> " + rows + "\ndf.return %e : " + rows, {rows});
    cases.back().rows.push_back(kManyRows);
  }
  add(cases, {"read_rows", "assign_add"}, "read_rows_around_assign", kind,
      "df.variable @$w : tensor<9x4xT> = #df.normal<0.0, 1.0>", {ids, {kind, {9, 4}, between(-1, 1)}},
      "%a = df.read_rows @$w[%x0] : (tensor<?xi64>) -> tensor<?x4xT>\ndf.assign_add @$w, %x1 : tensor<9x4xT>\n"
      "%b = df.read_rows @$w[%x0] : (tensor<?xi64>) -> tensor<?x4xT>\n"
      "df.return %a, %b : tensor<?x4xT>, tensor<?x4xT>",
      {"tensor<?x4xT>", "tensor<?x4xT>"});
  add(cases, {"gather"}, "gather_rows_of_table", kind, "", {{kind, {9, 6}, between(-1, 1)}, ids},
      "%e = df.gather %x0, %x1 {axes = array<i64: 0>, skip_negative} : (tensor<9x6xT>, tensor<?xi64>) -> "
      "tensor<?x6xT>\ndf.return %e : tensor<?x6xT>",
      {"tensor<?x6xT>"});
  add(cases, {"gather"}, "gather_rows_of_rows", kind, "",
      {{kind, {kRows, 6}, between(-1, 1)}, {ElementKind::I64, {5}, between(-1, 0)}},
      "%e = df.gather %x0, %x1 {axes = array<i64: 0>, skip_negative} : (tensor<?x6xT>, tensor<5xi64>) -> "
      "tensor<5x6xT>\ndf.return %e : tensor<5x6xT>",
      {"tensor<5x6xT>"});
  cases.back().rows = {1, 7}; // ids < 0 alone, but a table of no rows is not to be asked for
}

/// A table and the shape of its rows, as the texts of updates name them: TABLE, ROWS and ROW.
struct TableShape {
  const char *name, *row;
  std::vector<int64_t> rows;
  int64_t tableRows;

  std::string complete(std::string text) const {
    std::string table = "tensor<" + std::to_string(tableRows) + "x" + row + "T>";
    for (auto &[token, type] : {std::pair<std::string, std::string>{"TABLE", table},
                                {"ROWS", std::string("tensor<?x") + row + "T>"},
                                {"ROW", std::string("tensor<") + row + "T>"}})
      for (size_t at; (at = text.find(token)) != std::string::npos;)
        text.replace(at, token.size(), type);
    return text;
  }
};

static Fill infinite() {
  return [](RandomValues &, ElementKind kind, llvm::ArrayRef<int64_t> shape) {
    interp::Tensor result(kind, shape);
    for (int64_t i = 0; i < result.getNumElements(); ++i)
      result.setFloat(i, std::numeric_limits<double>::infinity());
    return result;
  };
}

/// From ids %x0 and rows %x1 to the sparse gradient %g.
static const char *const kGradient = R"(
  %u, %s, %o, %n = df.group_ids %x0 : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)
  %v = df.group_sum %x1, %s, %o, %n : (ROWS, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> ROWS
  %g = df.pack_rows %u, %v, %n : (tensor<?xi64>, ROWS, tensor<i64>) -> !df.rows<TABLE>)";

static const char *const kApplyOne = R"(
  df.apply_rows [@$w], %g : !df.rows<TABLE> {
  ^bb0(%w: ROW, %d: ROW):
    %z = df.sub %w, %d : ROW
    df.yield %z : ROW
  }
  df.return)";

// Scalars from outside, constants in and out, all tables from all.
static const char *const kApplyThree = R"(
  %c = df.constant dense<5.0e-01> : tensor<T>
  df.apply_rows [@$w, @$a, @$m], %g : !df.rows<TABLE> {
  ^bb0(%w: ROW, %a: ROW, %m: ROW, %d: ROW):
    %rs = df.broadcast %x2 dimensions = [] : (tensor<T>) -> ROW
    %cs = df.broadcast %c dimensions = [] : (tensor<T>) -> ROW
    %e = df.constant dense<1.25e-01> : ROW
    %d2 = df.square %d : ROW
    %a1 = df.add %a, %d2 : ROW
    %m0 = df.mul %m, %cs : ROW
    %m1 = df.add %m0, %d : ROW
    %q = df.sqrt %a1 : ROW
    %q1 = df.add %q, %e : ROW
    %p = df.mul %rs, %m1 : ROW
    %z = df.div %p, %q1 : ROW
    %w1 = df.sub %w, %z : ROW
    df.yield %w1, %a1, %m1 : ROW, ROW, ROW
  }
  df.return)";

// All rows, from a scaled gradient: by a number of any sign, and one that makes no zeros of zeros.
static const char *const kApplyEveryRow = R"(
  %f = df.scale_rows %g, %x2 : (!df.rows<TABLE>, tensor<T>) -> !df.rows<TABLE>
  df.apply_rows every_row [@$w, @$a, @$m], %f : !df.rows<TABLE> {
  ^bb0(%w: ROW, %a: ROW, %m: ROW, %d: ROW):
    %rs = df.broadcast %x2 dimensions = [] : (tensor<T>) -> ROW
    %e = df.constant dense<1.25e-01> : ROW
    %m0 = df.mul %m, %e : ROW
    %m1 = df.add %m0, %d : ROW
    %d2 = df.square %d : ROW
    %a0 = df.mul %a, %e : ROW
    %a1 = df.add %a0, %d2 : ROW
    %q = df.sqrt %a1 : ROW
    %p = df.div %m1, %q : ROW
    %w1 = df.sub %w, %p : ROW
    df.yield %w1, %a1, %m1 : ROW, ROW, ROW
  }
  df.return)";

// The table is gathered before and read after the update; the sums are an output too.
static const char *const kApplyAndRead = R"(
  %before = df.read_rows @$w[%x0] : (tensor<?xi64>) -> ROWS
  df.apply_rows [@$w], %g : !df.rows<TABLE> {
  ^bb0(%w: ROW, %d: ROW):
    %z = df.mul %w, %d : ROW
    df.yield %z : ROW
  }
  %after = df.read @$w : TABLE
  df.return %before, %after, %v : ROWS, TABLE, ROWS)";

// The updated table goes to two other variables, and the old value of one comes in its place.
static const char *const kApplyAndMove = R"(
  %old = df.read @$a : TABLE
  df.apply_rows [@$w], %g : !df.rows<TABLE> {
  ^bb0(%w: ROW, %d: ROW):
    %z = df.mul %w, %d : ROW
    df.yield %z : ROW
  }
  %new = df.read @$w : TABLE
  df.assign @$m, %new : TABLE
  df.assign @$w, %old : TABLE
  df.assign @$a, %new : TABLE
  df.return)";

static const char *const kDensify = R"(
  %f = df.scale_rows %g, %x2 : (!df.rows<TABLE>, tensor<T>) -> !df.rows<TABLE>
  %d = df.densify_rows %f : (!df.rows<TABLE>) -> TABLE
  df.return %d : TABLE)";

// The table is a constant, which stays.
static const char *const kUpdate = R"(
  %t = df.constant dense<2.5e-01> : TABLE
  %r = df.update_rows tables(%t) ids(%u) rows(%v) count(%n) : (TABLE, tensor<?xi64>, ROWS, tensor<i64>) -> TABLE {
  ^bb0(%w: ROW, %d: ROW):
    %z = df.sub %w, %d : ROW
    df.yield %z : ROW
  }
  df.return %r, %t : TABLE, TABLE)";

static const char *const kTables = R"(
df.variable @$w : TABLE = #df.normal<0.0, 1.0>
df.variable @$a : TABLE = #df.constant<1.0e-01>
df.variable @$m : TABLE = #df.uniform<0.0, 1.0>)";

static void addUpdates(std::vector<OpCase> &cases, ElementKind kind, const TableShape &shape) {
  Argument ids = {ElementKind::I64, {kRows}, between(-1, static_cast<double>(shape.tableRows))};
  Argument values = {kind, shape.rows, between(-1, 1)}, scalar = {kind, {}, between(0.1, 2)};
  auto addUpdate = [&](std::vector<std::string> ops, const std::string &name, const char *state, const char *body,
                       std::vector<Argument> arguments, std::vector<std::string> results) {
    for (std::string &result : results)
      result = shape.complete(result);
    add(cases, std::move(ops), name + "_" + shape.name, kind, shape.complete(state), std::move(arguments),
        shape.complete(std::string(kGradient) + body), std::move(results));
  };
  addUpdate({"apply_rows"}, "apply_one", kTables, kApplyOne, {ids, values}, {});
  if (shape.tableRows > 9)
    cases.back().rows.push_back(kManyRows);
  addUpdate({"apply_rows"}, "apply_three", kTables, kApplyThree, {ids, values, scalar}, {});
  addUpdate({"apply_rows", "scale_rows"}, "apply_every_row", kTables, kApplyEveryRow,
            {ids, values, {kind, {}, between(-2, -1)}}, {});
  if (kind == ElementKind::F64)
    return;
  addUpdate({"apply_rows", "scale_rows"}, "apply_every_row_infinite", kTables, kApplyEveryRow,
            {ids, values, {kind, {}, infinite()}}, {});
  addUpdate({"scale_rows", "densify_rows"}, "densify", "", kDensify, {ids, values, scalar}, {"TABLE"});
  addUpdate({"update_rows"}, "update", "", kUpdate, {ids, values}, {"TABLE", "TABLE"});
  addUpdate({"apply_rows", "group_sum"}, "apply_and_read", kTables, kApplyAndRead, {ids, values},
            {"ROWS", "TABLE", "ROWS"});
  cases.back().undefinedElements = true;
  addUpdate({"apply_rows", "assign"}, "apply_and_move", kTables, kApplyAndMove, {ids, values}, {});
}

/// All rows of a table that is more than one task: gaps, neighbours and ends lie in several of them.
static void addTallUpdate(std::vector<OpCase> &cases) {
  const TableShape tall = {"tall", "5x", {kRows, 5}, 12000};
  Argument ids = {ElementKind::I64, {kRows}, between(-1, static_cast<double>(tall.tableRows))};
  add(cases, {"apply_rows"}, "apply_every_row_tall", ElementKind::F32, tall.complete(kTables),
      {ids, {ElementKind::F32, tall.rows, between(-1, 1)}, {ElementKind::F32, {}, between(-2, -1)}},
      tall.complete(std::string(kGradient) + kApplyEveryRow), {});
  cases.back().rows = {0, 130, kManyRows};
}

void mlc::execute::addStateCases(std::vector<OpCase> &cases) {
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64, ElementKind::I64})
    addWrites(cases, kind);
  const TableShape wide = {"wide", "21x", {kRows, 21}, 400}, narrow = {"narrow", "3x", {kRows, 3}, 9};
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64}) {
    addGathers(cases, kind);
    addUpdates(cases, kind, wide);
    addUpdates(cases, kind, narrow);
  }
  // A row that GPUs take in pieces of 16 bytes.
  addUpdates(cases, ElementKind::F32, {"pieces", "16x", {kRows, 16}, 9});
  addUpdates(cases, ElementKind::F32, {"vector", "", {kRows}, 9});
  addTallUpdate(cases);
  addUpdates(cases, ElementKind::F32, {"matrix", "2x5x", {kRows, 2, 5}, 9});
}
