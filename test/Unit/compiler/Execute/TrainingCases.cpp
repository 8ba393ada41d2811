// Cases of losses over the batch and of sparse gradients. Means lie within n * eps; groups and merges have the
// interpreter's bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;

static void addMeans(std::vector<OpCase> &cases, ElementKind kind) {
  for (const char *reduction : {"sum_over_batch_size", "mean", "sum"})
    for (bool weighed : {false, true})
      for (auto &[name, shape] : {std::pair<const char *, std::vector<int64_t>>{"rows", {kRows}},
                                  {"matrix", {kRows, 3}},
                                  {"static", {4, 9}}}) {
        OpCase which;
        which.ops = {"batch_mean"};
        which.name = std::string("batch_") + reduction + (weighed ? "_weighed_" : "_") + name + "_" +
                     interp::kindName(kind).str();
        std::string type = typeText(kind, shape), to = typeText(kind, {});
        which.arguments = {{kind, shape, between(-2, 2)}};
        if (weighed)
          which.arguments.push_back({kind, shape, between(0.5, 2)});
        which.body = std::string("  %y = df.batch_mean ") + (weighed ? "%x0, %x1" : "%x0") +
                     " {reduction = #df.batch_reduction<" + reduction + ">} : (" + (weighed ? type + ", " : "") + type +
                     ") -> " + to + "\n  df.return %y : " + to;
        which.results = {to};
        // Both sums are off by n * eps, and the quotient rounds.
        bool isDynamic = shape[0] == kRows;
        which.bound.terms = 2 + (isDynamic ? 0 : 2 * 36);
        which.bound.termsOfRow = isDynamic ? 2 * (shape.size() == 2 ? 3 : 1) : 0;
        if (!isDynamic)
          which.rows = {1};
        cases.push_back(std::move(which));
      }
}

static const char *const kUnique = " : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)\n";

static void addGroupSums(std::vector<OpCase> &cases, const Fill &ids, const std::string &name) {
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64})
    for (auto &shape :
         std::vector<std::vector<int64_t>>{{kRows}, {kRows, 3}, {kRows, 16}, {kRows, 19}, {kRows, 2, 5}}) {
      OpCase which;
      which.ops = {"group_sum", "pack_rows", "unpack_rows"};
      std::string type = typeText(kind, shape);
      std::vector<int64_t> tableShape = shape;
      tableShape[0] = 700;
      std::string rows = "!df.rows<" + typeText(kind, tableShape) + ">";
      which.name = "group_sum_" + name + interp::kindName(kind).str();
      for (int64_t size : shape)
        which.name += size == kRows ? "" : "_" + std::to_string(size);
      which.arguments = {{ElementKind::I64, {kRows}, ids}, {kind, shape, between(-1, 1)}};
      which.rows.push_back(kManyRows);
      which.body = std::string("  %u, %s, %o, %n = df.group_ids %x0") + kUnique +
                   "  %g = df.group_sum %x1, %s, %o, %n : (" + type +
                   ", tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> " + type +
                   "\n  %p = df.pack_rows %u, %g, %n : (tensor<?xi64>, " + type + ", tensor<i64>) -> " + rows +
                   "\n  %i, %r, %c = df.unpack_rows %p : (" + rows + ") -> (tensor<?xi64>, " + type +
                   ", tensor<i64>)\n  df.return %i, %r, %c : tensor<?xi64>, " + type + ", tensor<i64>";
      which.results = {"tensor<?xi64>", type, "tensor<i64>"};
      which.undefinedElements = true;
      cases.push_back(std::move(which));
    }
}

/// Adds lines that make `name` of argument `argument` and of a variable, so that the step computes it and not what
/// prepares features.
static std::string addNothing(OpCase &which, const std::string &name, const std::string &argument) {
  which.state = "df.variable @" + which.name + "_nothing : tensor<i64> = #df.constant<0.0>";
  const std::string rows = "tensor<?xi64>";
  return "  %nothing_" + name + " = df.read @" + which.name + "_nothing : tensor<i64>\n  %nothings_" + name +
         " = df.broadcast %nothing_" + name + " like " + argument + " dimensions = [] : (tensor<i64>, " + rows +
         ") -> " + rows + "\n  %" + name + " = df.add " + argument + ", %nothings_" + name + " : " + rows + "\n";
}

static void addGroups(std::vector<OpCase> &cases) {
  for (auto &[name, fill] : {std::pair<const char *, Fill>{"few", between(-1, 9)},
                             {"missing", between(-3, 0)},
                             {"many", between(0, 1e15)},
                             {"apart", between(-1e15, 1e15)},
                             {"special", special()},
                             {"one", between(4, 5)}})
    for (bool isOfStep : {false, true}) {
      OpCase which;
      which.ops = {"group_ids"};
      which.name = std::string("unique_") + name + (isOfStep ? "_of_step" : "");
      which.arguments = {{ElementKind::I64, {kRows}, fill}};
      which.body = (isOfStep ? addNothing(which, "ids", "%x0") : "") + "  %u, %s, %o, %n = df.group_ids %" +
                   (isOfStep ? "ids" : "x0") + kUnique +
                   "  df.return %u, %s, %o, %n : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>";
      which.results = {"tensor<?xi64>", "tensor<?xi64>", "tensor<?xi64>", "tensor<i64>"};
      which.undefinedElements = true;
      cases.push_back(std::move(which));
    }
  OpCase fixed;
  fixed.ops = {"group_ids", "group_sum"};
  fixed.name = "unique_static";
  fixed.arguments = {{ElementKind::I64, {12}, between(-1, 4)}, {ElementKind::F32, {12, 9}, between(-1, 1)}};
  fixed.body = "  %u, %s, %o, %n = df.group_ids %x0 : (tensor<12xi64>) -> (tensor<12xi64>, tensor<12xi64>, "
               "tensor<12xi64>, tensor<i64>)\n"
               "  %g = df.group_sum %x1, %s, %o, %n : (tensor<12x9xf32>, tensor<12xi64>, tensor<12xi64>, tensor<i64>) "
               "-> tensor<12x9xf32>\n"
               "  df.return %u, %g, %n : tensor<12xi64>, tensor<12x9xf32>, tensor<i64>";
  fixed.results = {"tensor<12xi64>", "tensor<12x9xf32>", "tensor<i64>"};
  fixed.undefinedElements = true;
  fixed.rows = {1};
  cases.push_back(std::move(fixed));

  // Ids of which few rows are summed; hot ones of some blocks of rows, of more blocks than there are partials.
  addGroupSums(cases, between(-1, 700), "");
  addGroupSums(cases, between(-1, 3), "hot_");
  addGroupSums(cases, between(4, 5), "one_");
}

/// Two gradients of one table merged and, since no output has room for the rows of both, made dense.
static void addMerges(std::vector<OpCase> &cases) {
  for (auto &[name, lhs, rhs] : {std::tuple<const char *, Fill, Fill>{"shared", between(-1, 9), between(0, 9)},
                                 {"apart", between(3, 500), between(4, 500)},
                                 {"left", between(-1, 9), between(-3, 0)},
                                 {"right", between(-3, 0), between(-1, 9)},
                                 {"none", between(-3, 0), between(-3, 0)},
                                 {"one", between(4, 5), between(4, 5)}})
    for (bool isOfStep : {false, true}) {
      OpCase which;
      which.ops = {"merge_rows", "pack_rows", "densify_rows"};
      which.name = std::string("merge_rows_") + name + (isOfStep ? "_of_step" : "");
      which.arguments = {{ElementKind::I64, {kRows}, lhs},
                         {ElementKind::F32, {kRows, 5}, between(-1, 1)},
                         {ElementKind::I64, {kRows}, rhs},
                         {ElementKind::F32, {kRows, 5}, between(-1, 1)}};
      const std::string rows = "tensor<?x5xf32>", ids = "tensor<?xi64>", count = "tensor<i64>";
      const std::string sum = " : (" + rows + ", " + ids + ", " + ids + ", " + count + ") -> " + rows + "\n";
      which.body = isOfStep ? addNothing(which, "i", "%x0") + addNothing(which, "j", "%x2") : "";
      which.body += std::string("  %u0, %s0, %o0, %n0 = df.group_ids ") + (isOfStep ? "%i" : "%x0") + kUnique +
                    "  %g0 = df.group_sum %x1, %s0, %o0, %n0" + sum + "  %u1, %s1, %o1, %n1 = df.group_ids " +
                    (isOfStep ? "%j" : "%x2") + kUnique + "  %g1 = df.group_sum %x3, %s1, %o1, %n1" + sum +
                    "  %u, %g, %n = df.merge_rows %u0, %g0, %n0, %u1, %g1, %n1 : (" + ids + ", " + rows + ", " + count +
                    ", " + ids + ", " + rows + ", " + count + ") -> (" + ids + ", " + rows + ", " + count +
                    ")\n"
                    "  %p = df.pack_rows %u, %g, %n : (" +
                    ids + ", " + rows + ", " + count +
                    ") -> !df.rows<tensor<600x5xf32>>\n"
                    "  %d = df.densify_rows %p : (!df.rows<tensor<600x5xf32>>) -> tensor<600x5xf32>\n"
                    "  df.return %d, %n : tensor<600x5xf32>, tensor<i64>";
      which.results = {"tensor<600x5xf32>", "tensor<i64>"};
      cases.push_back(std::move(which));
    }
}

void mlc::execute::addTrainingCases(std::vector<OpCase> &cases) {
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64})
    addMeans(cases, kind);
  addGroups(cases);
  addMerges(cases);
}
