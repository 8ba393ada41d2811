// Predicts one row with an exported model: predict DIRECTORY NAME=VALUE ...
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <mlcrt/predictor.h>
#include <string>

int main(int argc, char **argv) {
  mlcrt::Expected<mlcrt::Predictor> model = mlcrt::Predictor::load(argc > 1 ? argv[1] : "");
  if (!model) {
    std::fprintf(stderr, "%s\n", model.status().message().c_str());
    return static_cast<int>(model.status().code());
  }
  mlcrt::Rows rows = model->rows();
  rows.add();
  for (int i = 2; i < argc; ++i) {
    std::string_view word = argv[i];
    size_t equals = word.find('=');
    rows.set(word.substr(0, equals), equals == word.npos ? "" : word.substr(equals + 1));
  }
  mlcrt::Predictions predictions;
  if (mlcrt::Status status = model->predict(rows, predictions); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
    return static_cast<int>(status.code());
  }
  for (float p : predictions.get<float>("probabilities", 0))
    std::printf("%.9g\n", p);
  for (std::string_view name : predictions.get<std::string_view>("classes", 0))
    std::printf("%.*s\n", static_cast<int>(name.size()), name.data());
}
