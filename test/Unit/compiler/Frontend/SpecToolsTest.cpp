//===- SpecToolsTest.cpp - The schema's documentation, fmt, upgrade, codes ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "mlc/Frontend/EstimatorSpec/SpecTools.h"
#include "common/cli/ErrorCodes.h"
#include "lib/Frontend/EstimatorSpec/SchemaDocs.h"
#include "lib/Frontend/EstimatorSpec/TextReader.h"
#include "test/Unit/compiler/Frontend/SpecTesting.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <set>

using namespace mlc;
using namespace mlc::frontend;
using testing::HasSubstr;

/// Every field that takes a value says what it is for, and its example can be read.
TEST(SpecTools, EveryFieldIsDocumented) {
  std::vector<std::string> paths = schemaPaths();
  ASSERT_GT(paths.size(), 100u);
  for (const std::string &path : paths) {
    const ProtoField *field = fieldAt(path);
    ASSERT_NE(field, nullptr) << path;
    if (field->is_map() || field->message_type())
      continue;
    EXPECT_NE(docOf(*field), "") << path;
    std::unique_ptr<ProtoMessage> message(
        google::protobuf::MessageFactory::generated_factory()->GetPrototype(field->containing_type())->New());
    SpecDocument document("example", exampleText(*field));
    common::MessageList messages;
    EXPECT_TRUE(readSourceText(document, 0, *message, messages) && messages.empty()) << path << messages.format();
  }
}

/// A path goes through names of elements, which may have dots, and indices.
TEST(SpecTools, FieldAt) {
  EXPECT_EQ(fieldAt("feature_column.a.b.embedding.dimension")->name(), "dimension");
  EXPECT_EQ(fieldAt("head.label")->name(), "label");
  EXPECT_EQ(fieldAt("eval.valid.files[2]")->name(), "files");
  EXPECT_EQ(fieldAt("model.x.hidden_units"), nullptr);
}

/// The table has each code that the sources use, and no other.
TEST(SpecTools, ErrorCodes) {
  std::set<std::string> known, used;
  std::string last;
  for (const common::ErrorCode &code : common::errorCodes()) {
    EXPECT_LT(last, code.code);
    last = code.code;
    known.insert(last);
    EXPECT_FALSE(code.title.empty() || code.text.empty()) << last;
  }
  for (const char *root : {"common", "lib", "runtime/src", "tools"}) {
    std::error_code failure;
    for (llvm::sys::fs::recursive_directory_iterator it(sourceDirectory() + "/" + root, failure), end;
         it != end && !failure; it.increment(failure)) {
      llvm::StringRef path = it->path();
      if ((!path.ends_with(".cpp") && !path.ends_with(".h")) || path.contains("ErrorCodes"))
        continue;
      auto buffer = llvm::MemoryBuffer::getFile(path);
      ASSERT_TRUE(buffer) << path.str();
      llvm::StringRef rest = (*buffer)->getBuffer();
      llvm::SmallVector<llvm::StringRef> found;
      while (llvm::Regex("\"(E0[0-9][0-9][0-9])\"").match(rest, &found)) {
        used.insert(found[1].str());
        rest = rest.drop_front(found[1].end() - rest.begin());
      }
    }
    ASSERT_FALSE(failure) << root;
  }
  EXPECT_EQ(used, known);
}

/// fmt keeps what a text means, and its own result as it is.
TEST(SpecTools, FormatKeepsMeaning) {
  for (const char *example : {"census/wide_deep", "iris/dnn", "mnist/dnn", "california_housing/dnn"}) {
    auto buffer = llvm::MemoryBuffer::getFile(sourceDirectory() + "/examples/" + example + ".pbtxt");
    ASSERT_TRUE(buffer);
    // The same on one line less each, with other blanks.
    std::string text;
    for (char c : (*buffer)->getBuffer())
      text += c == ' ' && !text.empty() && text.back() == ' ' ? std::string("\t") : std::string(1, c);
    std::string once, twice;
    common::MessageList messages;
    ASSERT_TRUE(formatSpec("s", text, messages, once)) << messages.format();
    ASSERT_TRUE(formatSpec("s", once, messages, twice));
    EXPECT_EQ(once, twice);
    SpecDocument before("s", text), after("s", once);
    ASSERT_TRUE(readSpecText(before, messages) && readSpecText(after, messages));
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(before.spec(), after.spec())) << once;
  }
}

TEST(SpecTools, FormatRefusesBrokenText) {
  std::string result;
  common::MessageList messages;
  EXPECT_FALSE(formatSpec("s", "model { dnn {", messages, result));
  EXPECT_TRUE(messages.hasErrors());
}

/// An old name is read as the new one, with a warning that says where it stands.
TEST(SpecTools, OldNames) {
  std::vector<Rename> table = {{"Dnn", "drop_rate", "dropout", "0.2"}};
  SpecDocument document("s.pbtxt", "model { dnn { drop_rate: 0.5 } }");
  document.setRenamed(table);
  common::MessageList messages;
  EXPECT_TRUE(readSpecText(document, messages));
  EXPECT_EQ(document.spec().model().dnn().dropout(), 0.5);
  EXPECT_FALSE(messages.hasErrors());
  EXPECT_THAT(messages.format(),
              HasSubstr("warning[E0117] s.pbtxt:1:15: 'drop_rate' is called 'dropout' since mlc 0.2"));
  std::string text;
  common::MessageList none;
  EXPECT_TRUE(upgradeSpec("s.pbtxt", "# c\nmodel { dnn { drop_rate: 0.5 } }  # d\n", none, text, table));
  EXPECT_EQ(text, "# c\nmodel { dnn { dropout: 0.5 } }  # d\n");
}

//===----------------------------------------------------------------------===//
// The messages that the reference promises, as far as this version has their fields (3 is in SpecSyntaxErrors as
// MissingBrace; labels of data and checkpoints are the trainer's)
//===----------------------------------------------------------------------===//

TEST(PromisedMessages, UnknownField) {
  EXPECT_EQ(messagesOf(changedSpec("hidden_units: [3]", "hidden_units: [3] drop_out: 0.1")),
            R"(error[E0101] s.pbtxt:11:74: unknown field 'drop_out' in Dnn
    11 | model { dnn { feature_columns: ["x", "job_embedding"]  hidden_units: [3] drop_out: 0.1 } }
       |                                                                          ^^^^^^^^      field: model.dnn
    help: did you mean 'dropout'?
)");
}

TEST(PromisedMessages, UndeclaredColumn) {
  EXPECT_EQ(messagesOf(changedSpec("key: \"x\" }", "key: \"zz\" } } feature_column { numeric { key: \"x\" }")),
            R"(error[E0102] s.pbtxt:8:33: feature column needs the input column 'zz', which is not declared
     8 | feature_column { numeric { key: "zz" } } feature_column { numeric { key: "x" } }
       |                                 ^^^^      field: feature_column.zz.numeric.key[0]
    help: did you mean 'z' (s.pbtxt:4)?
)");
}

TEST(PromisedMessages, KindOfColumn) {
  EXPECT_THAT(messagesOf(changedSpec("\"job_embedding\"]", "\"job\"]")),
              HasSubstr("use \"job_embedding\" (line 10), or add  feature_column { indicator { categorical_column: "
                        "\"job\" } }"));
}

TEST(PromisedMessages, Boundaries) {
  EXPECT_THAT(messagesOf(changedSpec("feature_column { embedding",
                                     "feature_column { bucketized { source_column: \"x\" boundaries: [18, 30, 25] } }\n"
                                     "feature_column { embedding")),
              HasSubstr("E0120] s.pbtxt:10:71: boundaries must grow; 30 is followed by 25"));
}
