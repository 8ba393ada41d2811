// Cases of variables: reads and writes in any order, gathers, updates of rows. All have the interpreter's bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

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

/// Writes that one buffer cannot take at any time: an old value is read behind them, values go crosswise.
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
      "%a = df.slice %w {axis = 0 : i64, start = 0 : i64, size = 1 : i64} : (tensor<6xT>) -> tensor<1xT>\n"
      "%b = df.slice %w {axis = 0 : i64, start = 1 : i64, size = 5 : i64} : (tensor<6xT>) -> tensor<5xT>\n"
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
    add(cases, {"gather"}, std::string("gather_") + name, kind,
        "df.variable @$w : " + table + " = #df.normal<0.0, 1.0>", {ids},
        "%e = df.gather @$w[%x0] : (tensor<?xi64>) -> " + rows + "\ndf.return %e : " + rows, {rows});
  }
  add(cases, {"gather", "assign_add"}, "gather_around_assign", kind,
      "df.variable @$w : tensor<9x4xT> = #df.normal<0.0, 1.0>", {ids, {kind, {9, 4}, between(-1, 1)}},
      "%a = df.gather @$w[%x0] : (tensor<?xi64>) -> tensor<?x4xT>\ndf.assign_add @$w, %x1 : tensor<9x4xT>\n"
      "%b = df.gather @$w[%x0] : (tensor<?xi64>) -> tensor<?x4xT>\n"
      "df.return %a, %b : tensor<?x4xT>, tensor<?x4xT>",
      {"tensor<?x4xT>", "tensor<?x4xT>"});
  add(cases, {"take_rows"}, "take_rows", kind, "", {{kind, {9, 6}, between(-1, 1)}, ids},
      "%e = df.take_rows %x0, %x1 : (tensor<9x6xT>, tensor<?xi64>) -> tensor<?x6xT>\ndf.return %e : tensor<?x6xT>",
      {"tensor<?x6xT>"});
  add(cases, {"take_rows"}, "take_rows_of_rows", kind, "",
      {{kind, {kRows, 6}, between(-1, 1)}, {ElementKind::I64, {5}, between(-1, 0)}},
      "%e = df.take_rows %x0, %x1 : (tensor<?x6xT>, tensor<5xi64>) -> tensor<5x6xT>\ndf.return %e : tensor<5x6xT>",
      {"tensor<5x6xT>"});
  cases.back().rows = {1, 7}; // ids < 0 alone, but a table of no rows is not to be asked for
}

/// The ops from ids %x0 and rows %x1 to the sparse gradient %g.
static std::string gradientOf(const std::string &table, const std::string &rows) {
  return "%u, %s, %o, %n = df.unique %x0 : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, "
         "tensor<i64>)\n"
         "%v = df.group_sum %x1, %s, %o, %n : (" +
         rows + ", tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> " + rows +
         "\n"
         "%g = df.pack_rows %u, %v, %n : (tensor<?xi64>, " +
         rows + ", tensor<i64>) -> !df.rows<" + table + ">\n";
}

static void addUpdates(std::vector<OpCase> &cases, ElementKind kind) {
  Argument ids = {ElementKind::I64, {kRows}, between(-1, 9)};
  struct Row {
    const char *name, *text;
    std::vector<int64_t> rows;
  };
  const Row all[] = {{"wide", "21x", {kRows, 21}},
                     {"narrow", "3x", {kRows, 3}},
                     {"vector", "", {kRows}},
                     {"matrix", "2x5x", {kRows, 2, 5}}};
  for (const Row &row : all) {
    std::string shape = row.text, table = "tensor<9x" + shape + "T>", rows = "tensor<?x" + shape + "T>";
    std::string element = "tensor<" + shape + "T>";
    std::string state = "df.variable @$w : " + table + " = #df.normal<0.0, 1.0>\ndf.variable @$a : " + table +
                        " = #df.constant<1.0e-01>\ndf.variable @$m : " + table + " = #df.uniform<0.0, 1.0>";
    Argument values = {kind, row.rows, between(-1, 1)};
    std::string suffix = std::string("_") + row.name;
    add(cases, {"apply_rows"}, "apply_one" + suffix, kind, state, {ids, values},
        gradientOf(table, rows) + "df.apply_rows [@$w], %g : !df.rows<" + table + "> {\n^bb0(%w: " + element +
            ", %d: " + element + "):\n%z = df.sub %w, %d : " + element + "\ndf.yield %z : " + element +
            "\n}\ndf.return",
        {});
    // Scalars from outside, constants in and out, all tables from all.
    add(cases, {"apply_rows"}, "apply_three" + suffix, kind, state, {ids, values, {kind, {}, between(0.1, 0.5)}},
        gradientOf(table, rows) +
            "%c = df.constant dense<5.0e-01> : tensor<T>\n"
            "df.apply_rows [@$w, @$a, @$m], %g : !df.rows<" +
            table + "> {\n^bb0(%w: " + element + ", %a: " + element + ", %m: " + element + ", %d: " + element +
            "):\n"
            "%rs = df.broadcast %x2 dimensions = [] : (tensor<T>) -> " +
            element +
            "\n"
            "%cs = df.broadcast %c dimensions = [] : (tensor<T>) -> " +
            element +
            "\n"
            "%e = df.constant dense<1.25e-01> : " +
            element +
            "\n"
            "%d2 = df.square %d : " +
            element + "\n%a1 = df.add %a, %d2 : " + element +
            "\n"
            "%m0 = df.mul %m, %cs : " +
            element + "\n%m1 = df.add %m0, %d : " + element +
            "\n"
            "%q = df.sqrt %a1 : " +
            element + "\n%q1 = df.add %q, %e : " + element +
            "\n"
            "%p = df.mul %rs, %m1 : " +
            element + "\n%z = df.div %p, %q1 : " + element +
            "\n"
            "%w1 = df.sub %w, %z : " +
            element +
            "\n"
            "df.yield %w1, %a1, %m1 : " +
            element + ", " + element + ", " + element + "\n}\ndf.return",
        {});
    // The updated table is read and gathered behind the update; the sums are an output too.
    add(cases, {"apply_rows", "group_sum"}, "apply_and_read" + suffix, kind, state, {ids, values},
        gradientOf(table, rows) + "%before = df.gather @$w[%x0] : (tensor<?xi64>) -> " + rows +
            "\ndf.apply_rows [@$w], %g : !df.rows<" + table + "> {\n^bb0(%w: " + element + ", %d: " + element +
            "):\n%z = df.mul %w, %d : " + element + "\ndf.yield %z : " + element + "\n}\n%after = df.read @$w : " +
            table + "\ndf.return %before, %after, %v : " + rows + ", " + table + ", " + rows,
        {rows, table, rows});
    cases.back().undefinedElements = true;
    // The updated table goes to another variable, and something else comes in its place.
    add(cases, {"apply_rows", "assign"}, "apply_and_move" + suffix, kind, state, {ids, values},
        gradientOf(table, rows) + "%old = df.read @$a : " + table + "\ndf.apply_rows [@$w], %g : !df.rows<" + table +
            "> {\n^bb0(%w: " + element + ", %d: " + element + "):\n%z = df.mul %w, %d : " + element +
            "\ndf.yield %z : " + element + "\n}\n%new = df.read @$w : " + table + "\ndf.assign @$m, %new : " + table +
            "\ndf.assign @$w, %old : " + table + "\ndf.assign @$a, %new : " + table + "\ndf.return",
        {});
    add(cases, {"scale_rows", "densify_rows"}, "densify" + suffix, kind, "", {ids, values, {kind, {}, between(-2, 2)}},
        gradientOf(table, rows) + "%f = df.scale_rows %g, %x2 : (!df.rows<" + table + ">, tensor<T>) -> !df.rows<" +
            table + ">\n%d = df.densify_rows %f : (!df.rows<" + table + ">) -> " + table + "\ndf.return %d : " + table,
        {table});
    add(cases, {"update_rows"}, "update" + suffix, kind, "", {ids, values, {kind, {9, 1}, between(-1, 1)}},
        gradientOf(table, rows) + "%t = df.constant dense<2.5e-01> : " + table +
            "\n%r = df.update_rows tables(%t) ids(%u) "
            "rows(%v) count(%n) : (" +
            table + ", tensor<?xi64>, " + rows + ", tensor<i64>) -> " + table + " {\n^bb0(%w: " + element +
            ", %d: " + element + "):\n%z = df.sub %w, %d : " + element + "\ndf.yield %z : " + element +
            "\n}\ndf.return %r, %t : " + table + ", " + table,
        {table, table});
  }
}

void mlc::execute::addStateCases(std::vector<OpCase> &cases) {
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64, ElementKind::I64})
    addWrites(cases, kind);
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64}) {
    addGathers(cases, kind);
    addUpdates(cases, kind);
  }
}
