// Cases of random numbers and settings: the same bits, whatever the shape, the row and the step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;

using Shape = std::vector<int64_t>;

void mlc::execute::addRandomCases(std::vector<OpCase> &cases) {
  const std::pair<const char *, Shape> shapes[] = {{"rows", {kRows}},  {"matrix", {kRows, 5}}, {"cube", {kRows, 3, 4}},
                                                   {"static", {7, 3}}, {"scalar", {}},         {"empty", {kRows, 0}}};
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64})
    for (const char *distribution : {"uniform", "normal", "truncated_normal"})
      for (auto &[name, shape] : shapes) {
        bool isDynamic = llvm::is_contained(shape, kRows);
        for (bool like : {true, false}) {
          if (!like && isDynamic)
            continue;
          OpCase which;
          which.ops = {"random"};
          which.name =
              std::string(distribution) + "_" + interp::kindName(kind).str() + "_" + name + (like ? "" : "_initial");
          std::string type = typeText(kind, shape);
          // `like` of another element type: its shape alone matters.
          if (like)
            which.arguments = {{ElementKind::I1, shape, truths()}};
          which.body = std::string("  %y = df.random ") + distribution + " \"" + which.name + "\"" +
                       (like ? " like %x0 : (" + typeText(ElementKind::I1, shape) + ")" : " : ()") + " -> " + type +
                       "\n  df.return %y : " + type;
          which.results = {type};
          if (!isDynamic)
            which.rows = {1, 2};
          else if (shape.back() == 5)
            which.rows.push_back(kManyRows);
          cases.push_back(std::move(which));
        }
      }

  OpCase settings;
  settings.ops = {"setting"};
  settings.name = "settings";
  settings.body = "  %a = df.setting \"settings.a\" = 1.0e-01 : f64 -> tensor<f32>\n"
                  "  %b = df.setting \"settings.b\" = 1.0e-01 : f64 -> tensor<f64>\n"
                  "  %c = df.setting \"settings.c\" = -7 : i64 -> tensor<i64>\n"
                  "  df.return %a, %b, %c : tensor<f32>, tensor<f64>, tensor<i64>";
  settings.results = {"tensor<f32>", "tensor<f64>", "tensor<i64>"};
  settings.rows = {0};
  cases.push_back(std::move(settings));
}
