//===- TextReaderTest.cpp - The reader of specs against protobuf's own ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/TextReader.h"
#include "test/Unit/compiler/Frontend/SpecTesting.h"

#include "google/protobuf/text_format.h"
#include "google/protobuf/util/message_differencer.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace mlc;
using namespace mlc::frontend;
using google::protobuf::TextFormat;
using google::protobuf::util::MessageDifferencer;

/// Reads `text` with both readers; they must accept and give the same.
static void expectSame(const std::string &text) {
  SpecDocument document("s.pbtxt", text);
  common::MessageList messages;
  readSpecText(document, messages);
  spec::v1::Estimator expected;
  ASSERT_TRUE(TextFormat::ParseFromString(text, &expected)) << text;
  EXPECT_FALSE(messages.hasErrors()) << text << messages.format();
  MessageDifferencer differencer;
  differencer.set_message_field_comparison(MessageDifferencer::EQUAL);
  auto comparator = std::make_unique<google::protobuf::util::DefaultFieldComparator>();
  comparator->set_treat_nan_as_equal(true);
  differencer.set_field_comparator(comparator.get());
  EXPECT_TRUE(differencer.Compare(document.spec(), expected)) << text;
}

/// Both readers must refuse `text`.
static void expectRefused(const std::string &text) {
  SpecDocument document("s.pbtxt", text);
  common::MessageList messages;
  readSpecText(document, messages);
  EXPECT_TRUE(messages.hasErrors()) << text;
  // TextFormat prints what it finds; that is not our output.
  google::protobuf::LogSilencer silence;
  spec::v1::Estimator other;
  EXPECT_FALSE(TextFormat::ParseFromString(text, &other)) << text;
}

TEST(TextReader, WholeLanguage) {
  expectSame("");
  expectSame("name: 'single' description: \"a\" 'b'\n  \"\\x41\\n\\u00e4\"");
  expectSame("input < csv { header: false, column_names: ['a', \"b\",\"c\"]; } >");
  expectSame("input: { csv: < header: t > column { name: [] dtype: 3 } } head [ {label: 'a'}, <label: 'b'> ]");
  expectSame("model { dnn { dropout: .5 hidden_units: 0x10 hidden_units: 010 hidden_units: [1, 2] } }");
  expectSame(
      "model { dnn { dropout: 1e-1f } } train { shuffle: False drop_remainder: 1 max_steps: -9223372036854775808 }");
  expectSame("feature_column { bucketized { boundaries: [-1, -inf, Infinity, nan, 1.5F, 3] } }");
  expectSame("metadata { key: 'owner' value: 'x' } metadata { key: 'b' } # comment\n");
  expectSame("name: \"crlf\"\r\n\tcompat: TF1\r\n");
  expectSame("train{batch_size:1}eval{}eval{name:'x'}");
}

/// Protobuf's own reader does not take it; editors write it.
TEST(TextReader, ByteOrderMarkIsRead) {
  SpecDocument document("s.pbtxt", "\xEF\xBB\xBFname: 'bom'");
  common::MessageList messages;
  EXPECT_TRUE(readSpecText(document, messages));
  EXPECT_FALSE(messages.hasErrors()) << messages.format();
  EXPECT_EQ(document.spec().name(), "bom");
}

TEST(TextReader, RefusesWhatProtobufRefuses) {
  for (const char *text : {"name",
                           "name:",
                           "name: x",
                           "nam: 'x'",
                           "name: 'a' name: 'b'",
                           "train { batch_size: 1.5 }",
                           "train { batch_size: 9223372036854775808 }",
                           "train {",
                           "train }",
                           "}",
                           "train { > ",
                           "name: 'open",
                           "train { shuffle: yes }",
                           "compat: TF3",
                           "compat: 7",
                           "head [ {label: 'a'} ",
                           "input { csv { column_names: ['a',] } }",
                           "train: 3",
                           "name { }",
                           "name 'x'",
                           "name = 'x'",
                           "model { dnn { dropout: 0x10 } }",
                           "model { linear {} dnn {} }",
                           "train { shuffle: [true] }",
                           "[ext.x]: 3",
                           "name: 'a',, description: 'b'"})
    expectRefused(text);
}

//===----------------------------------------------------------------------===//
// Random specs
//===----------------------------------------------------------------------===//

namespace {
/// Fills messages at random.
class Filler {
public:
  explicit Filler(uint64_t seed) : random_(seed) {}

  void fill(ProtoMessage &message, int depth) {
    const auto *reflection = message.GetReflection();
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const ProtoField &field = *message.GetDescriptor()->field(i);
      if (field.is_map() || pick(3) == 0 || (depth == 0 && field.cpp_type() == ProtoField::CPPTYPE_MESSAGE))
        continue;
      if (field.containing_oneof() && reflection->HasOneof(message, field.containing_oneof()))
        continue;
      for (int n = field.is_repeated() ? pick(4) : 1; n > 0; --n)
        set(message, field, depth);
    }
  }

  int pick(int limit) { return static_cast<int>(random_() % limit); }

private:
  void set(ProtoMessage &message, const ProtoField &field, int depth) {
    const auto *reflection = message.GetReflection();
    bool list = field.is_repeated();
    switch (field.cpp_type()) {
    case ProtoField::CPPTYPE_MESSAGE:
      fill(list ? *reflection->AddMessage(&message, &field) : *reflection->MutableMessage(&message, &field), depth - 1);
      break;
    case ProtoField::CPPTYPE_INT64: {
      auto value = static_cast<int64_t>(random_() >> pick(64));
      list ? reflection->AddInt64(&message, &field, value) : reflection->SetInt64(&message, &field, value);
      break;
    }
    case ProtoField::CPPTYPE_DOUBLE: {
      const double special[] = {0.0, -0.0, 1e-310, std::numeric_limits<double>::infinity(), -1.5e300, std::nan("")};
      double value = pick(2) ? special[pick(6)] : std::ldexp(static_cast<double>(random_()), -pick(80));
      list ? reflection->AddDouble(&message, &field, value) : reflection->SetDouble(&message, &field, value);
      break;
    }
    case ProtoField::CPPTYPE_BOOL:
      reflection->SetBool(&message, &field, pick(2) == 0);
      break;
    case ProtoField::CPPTYPE_ENUM:
      reflection->SetEnum(&message, &field, field.enum_type()->value(pick(field.enum_type()->value_count())));
      break;
    default: {
      std::string value;
      for (int n = pick(8); n > 0; --n)
        value += static_cast<char>(pick(256));
      list ? reflection->AddString(&message, &field, value) : reflection->SetString(&message, &field, value);
    }
    }
  }

  std::mt19937_64 random_;
};
} // namespace

TEST(TextReader, RandomSpecsAsProtobufReadsThem) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Filler filler(seed);
    spec::v1::Estimator message;
    filler.fill(message, 6);
    TextFormat::Printer printer;
    printer.SetSingleLineMode(filler.pick(2) == 0);
    printer.SetUseShortRepeatedPrimitives(filler.pick(2) == 0);
    printer.SetUseUtf8StringEscaping(false);
    std::string text;
    ASSERT_TRUE(printer.PrintToString(message, &text));
    expectSame(text);
    if (testing::Test::HasFailure())
      return;
  }
}

/// Damaged specs: whatever protobuf refuses, we refuse, and the other way round; nothing crashes.
TEST(TextReader, DamagedSpecsAreRefusedAlike) {
  google::protobuf::LogSilencer silence;
  auto buffer = llvm::MemoryBuffer::getFile(sourceDirectory() + "/examples/census/wide_deep.pbtxt");
  ASSERT_TRUE(buffer);
  const std::string whole = (*buffer)->getBuffer().str();
  int refused = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    Filler filler(seed);
    std::string text = whole;
    for (int n = 1 + filler.pick(3); n > 0; --n) {
      size_t place = filler.pick(static_cast<int>(text.size()));
      if (filler.pick(3) == 0)
        text.erase(place, 1 + filler.pick(3));
      else if (filler.pick(2) == 0)
        text.insert(place, 1, "{}[]<>:,;\"'#-x1. \n"[filler.pick(18)]);
      else
        text[place] = "{}[]<>:,;\"'#-x1. \n"[filler.pick(18)];
    }
    SpecDocument document("s.pbtxt", text);
    common::MessageList messages;
    readSpecText(document, messages);
    spec::v1::Estimator expected;
    bool accepted = TextFormat::ParseFromString(text, &expected);
    refused += !accepted;
    ASSERT_EQ(accepted, !messages.hasErrors()) << "seed " << seed << "\n" << messages.format();
  }
  EXPECT_GT(refused, 300);
  EXPECT_LT(refused, 1500);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

TEST(TextReader, EveryValueHasItsPlace) {
  SpecDocument document("s.pbtxt", "name: 'n'\n\ttrain { files: [\"a\",\n  \"b\" 'c'] batch_size: 7 }\n");
  common::MessageList messages;
  ASSERT_TRUE(readSpecText(document, messages));
  const auto &train = document.spec().train();
  Span batch = document.spans(train, "batch_size").value;
  EXPECT_EQ(std::make_tuple(batch.line, batch.column, batch.endColumn), std::make_tuple(3, 24, 25));
  Span second = document.spans(train, "files", 1).value;
  EXPECT_EQ(std::make_tuple(second.line, second.column, second.endColumn), std::make_tuple(3, 3, 10));
  Span start = document.start(train);
  EXPECT_EQ(std::make_tuple(start.line, start.column, start.endColumn), std::make_tuple(2, 2, 7));
  EXPECT_EQ(document.path(train, "files", 1), "train.files[1]");
}
