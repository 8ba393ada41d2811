// Cases of random numbers and settings: the same bits, whatever the shape, the row and the step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;

using Shape = std::vector<int64_t>;

static void addDistributions(std::vector<OpCase> &cases) {
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64}) {
    std::string suffix = interp::kindName(kind).str();
    Argument x = {kind, {kRows, 5}, between(-2, 2)}, p = {kind, {kRows, 5}, between(0, 1)};
    std::string type = typeText(kind, x.shape), fixed = typeText(kind, {7, 3});
    std::string truths = typeText(ElementKind::I1, x.shape);
    for (const char *op : {"random_exponential", "random_gumbel"}) {
      cases.push_back(caseOfOp(op, suffix, {x}, "\"n\" like %x0", {type}));
      cases.push_back(caseOfOp(op, "each_step_" + suffix, {}, "\"n\" each_step", {fixed}));
    }
    cases.push_back(caseOfOp("random", "each_step_" + suffix, {}, "uniform \"n\" each_step", {fixed}));
    cases.push_back(caseOfOp("random", "each_step_like_" + suffix, {x}, "normal \"n\" each_step like %x0", {type}));
    cases.push_back(caseOfOp("random_integers", suffix, {x}, "\"n\" like %x0 {low = -3 : i64, high = 1000 : i64}",
                             {typeText(ElementKind::I64, x.shape)}));
    cases.push_back(caseOfOp("random_bernoulli", suffix, {p}, "\"n\" %x0", {truths}));
    cases.push_back(caseOfOp("random_categorical", suffix, {x}, "\"n\" %x0", {typeText(ElementKind::I64, {kRows, 3})}));
    for (auto [op, use] :
         {std::pair("random_gamma", "\"n\" %x1"), std::pair("random_gamma", "\"n\" each_step %x1"),
          std::pair("dropout", "\"n\" %x0 {rate = 0.3 : f64}"), std::pair("random_shuffle", "\"n\" %x0")}) {
      Argument concentration = {kind, {kRows, 5}, between(0.01, 3)};
      const bool eachStep = std::string(use).find("each_step") != std::string::npos;
      OpCase which = caseOfOp(op, (eachStep ? "each_step_" : "") + suffix, {x, concentration}, use, {type});
      which.body = "  %y = df." + std::string(op) + " " + use + " : " + type + "\n  df.return %y : " + type;
      cases.push_back(std::move(which));
    }
  }
}

/// Each iteration draws anew, in loops of loops, too.
static void addLoops(std::vector<OpCase> &cases) {
  OpCase which;
  which.ops = {"random"};
  which.name = "random_in_loops";
  which.arguments = {{ElementKind::F32, {kRows, 3}, between(-2, 2)}};
  which.body = R"(  %zero = df.constant dense<0> : tensor<i64>
  %one = df.constant dense<1> : tensor<i64>
  %two = df.constant dense<2> : tensor<i64>
  %three = df.constant dense<3> : tensor<i64>
  %y, %all = df.scan (%x0) count %three : (tensor<?x3xf32>, tensor<i64>) -> (tensor<?x3xf32>, tensor<?x4xf32>) {
  ^bb0(%c: tensor<?x3xf32>):
    %i, %d = df.while (%zero, %c) : (tensor<i64>, tensor<?x3xf32>) -> (tensor<i64>, tensor<?x3xf32>) {
    ^bb0(%k: tensor<i64>, %a: tensor<?x3xf32>):
      %go = df.compare lt, %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>
      df.condition %go : tensor<i1>
    } do {
    ^bb0(%k: tensor<i64>, %a: tensor<?x3xf32>):
      %u = df.random normal "inner" like %a : (tensor<?x3xf32>) -> tensor<?x3xf32>
      %b = df.add %a, %u : tensor<?x3xf32>
      %j = df.add %k, %one : tensor<i64>
      df.yield %j, %b : tensor<i64>, tensor<?x3xf32>
    }
    %v = df.random uniform "outer" each_step : () -> tensor<4xf32>
    df.yield %d, %v : tensor<?x3xf32>, tensor<4xf32>
  }
  df.return %y : tensor<?x3xf32>)";
  which.results = {"tensor<?x3xf32>"};
  cases.push_back(std::move(which));
}

static void addSamplers(std::vector<OpCase> &cases) {
  Argument classes = {ElementKind::I64, {kRows, 2}, between(0, 50)};
  Argument weights = {ElementKind::F32, {50}, between(0.1, 3)};
  auto counts = [](std::vector<int64_t> shape) { return typeText(ElementKind::F32, shape); };
  for (const char *unique : {"", ", unique"})
    for (const char *sampler : {"uniform", "log_uniform", "unigram", "all"}) {
      bool isUnigram = std::string(sampler) == "unigram", isAll = std::string(sampler) == "all";
      std::vector<Argument> arguments = {classes};
      if (isUnigram)
        arguments.push_back(weights);
      int64_t samples = isAll ? 50 : 20;
      OpCase which =
          caseOfOp("candidate_sampler", std::string(sampler) + (*unique ? "_unique" : ""), arguments,
                   std::string(sampler) + " \"n\" %x0" + (isUnigram ? " weights %x1" : "") +
                       " {num_classes = 50 : i64" + (isUnigram ? ", distortion = 0.75 : f64" : "") + unique + "}",
                   {typeText(ElementKind::I64, {samples}), counts({kRows, 2}), counts({samples})});
      which.rows = {0, 1, 7, 33};
      cases.push_back(std::move(which));
    }
}

static void addLearnedSampler(std::vector<OpCase> &cases) {
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64})
    for (const char *unique : {"", " {unique}"}) {
      Argument classes = {ElementKind::I64, {kRows, 2}, between(0, 50)}, seen = {kind, {50}, between(1, 9)};
      OpCase which = caseOfOp("learned_unigram_sampler", interp::kindName(kind).str() + (*unique ? "_unique" : ""),
                              {classes, seen}, std::string("\"n\" %x0, %x1") + unique,
                              {typeText(ElementKind::I64, {20}), typeText(ElementKind::F32, {kRows, 2}),
                               typeText(ElementKind::F32, {20}), typeText(kind, {50})});
      which.rows = {0, 1, 7, 33};
      cases.push_back(std::move(which));
    }
}

static void addSampledLosses(std::vector<OpCase> &cases) {
  for (ElementKind kind : {ElementKind::F16, ElementKind::BF16, ElementKind::F32, ElementKind::F64})
    for (const char *op : {"sampled_softmax_loss", "nce_loss"})
      for (const char *hits : {"", " {remove_accidental_hits}"}) {
        Fill classes = between(0, 9), counts = between(0.1, 2), numbers = between(-1, 1);
        std::vector<Argument> arguments = {{kind, {kRows, 8}, numbers},      {ElementKind::I64, {kRows, 2}, classes},
                                           {kind, {kRows, 2, 8}, numbers},   {kind, {kRows, 2}, numbers},
                                           {kind, {6, 8}, numbers},          {kind, {6}, numbers},
                                           {ElementKind::I64, {6}, classes}, {ElementKind::F32, {kRows, 2}, counts},
                                           {ElementKind::F32, {6}, counts}};
        OpCase which =
            caseOfOp(op, interp::kindName(kind).str() + (*hits ? "_hits" : ""), arguments,
                     std::string("%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8") + hits, {typeText(kind, {kRows})});
        // Products of 8 terms and sums of 8 exponentials, results up to about 10.
        which.bound.absolute = 256;
        cases.push_back(std::move(which));
      }
}

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

  addDistributions(cases);
  addLoops(cases);
  addSamplers(cases);
  addLearnedSampler(cases);
  addSampledLosses(cases);

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
