//===- SpecReaderFuzzer.cpp - Any text as a spec --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader accepts what protobuf's parser accepts, and numbers for texts, and reads the same; `spec fmt` of what can
// be read keeps its meaning and is a fixed point; import either gives a module that verifies or says why not.
//
//===----------------------------------------------------------------------===//
#include "dialects/Est/IR/Est.h"
#include "lib/Frontend/EstimatorSpec/TextReader.h"
#include "mlc/Frontend/EstimatorSpec/Import.h"
#include "mlc/Frontend/EstimatorSpec/SpecTools.h"

#include "google/protobuf/text_format.h"
#include "google/protobuf/util/message_differencer.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <cstdlib>

using namespace mlc;
using namespace mlc::frontend;
using google::protobuf::util::MessageDifferencer;

static void require(bool fact) {
  if (!fact)
    std::abort();
}

static bool same(const spec::v1::Estimator &a, const spec::v1::Estimator &b) {
  MessageDifferencer differencer;
  google::protobuf::util::DefaultFieldComparator comparator;
  comparator.set_treat_nan_as_equal(true);
  differencer.set_field_comparator(&comparator);
  return differencer.Compare(a, b);
}

/// Whether the text may name files outside: those are not read here.
static bool namesFiles(const spec::v1::Estimator &spec) {
  for (const auto &column : spec.feature_column())
    if (column.has_categorical_with_vocabulary_file())
      return true;
  return spec.include_size() > 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  google::protobuf::LogSilencer silence;
  const std::string text(reinterpret_cast<const char *>(data), size);
  SpecDocument document("fuzz.pbtxt", text);
  common::MessageList messages;
  readSpecText(document, messages);
  spec::v1::Estimator expected;
  // Unlike protobuf's, our reader skips a byte order mark.
  const std::string plain = text.compare(0, 3, "\xEF\xBB\xBF") == 0 ? text.substr(3) : text;
  // And it takes a number where a text belongs.
  const bool isText = google::protobuf::TextFormat::ParseFromString(plain, &expected);
  require(!isText || !messages.hasErrors());
  (void)messages.format();
  if (messages.hasErrors())
    return 0;
  if (!isText)
    expected = document.spec();
  require(same(document.spec(), expected));

  std::string once, twice;
  common::MessageList quiet;
  require(formatSpec("fuzz.pbtxt", text, quiet, once));
  require(formatSpec("fuzz.pbtxt", once, quiet, twice) && once == twice);
  spec::v1::Estimator formatted;
  require(!isText || (google::protobuf::TextFormat::ParseFromString(once, &formatted) && same(formatted, expected)));

  if (namesFiles(expected))
    return 0;
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<est::EstDialect>();
  SpecOptions options;
  options.file = "fuzz.pbtxt";
  common::MessageList meaning;
  auto module = importEstimatorSpec(text, &context, options, meaning);
  require(!module == meaning.hasErrors());
  (void)meaning.format();
  return 0;
}
