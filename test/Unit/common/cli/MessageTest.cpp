// The text and JSON forms of messages.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cli/Message.h"

#include <gtest/gtest.h>

using namespace mlc::common;

static Message unknownField() {
  Message message = makeError("E0101", "unknown field 'drop_out' in Dnn", "did you mean 'dropout'?");
  message.place = {"census.pbtxt", 31, 12, 20, ""};
  message.sourceLine = "  dnn    { drop_out: 0.1";
  message.field = "model.dnn_linear_combined.dnn";
  message.replacement = "dropout";
  return message;
}

TEST(Message, SourceLineWithCaretAndDetails) {
  EXPECT_EQ(
      formatMessage(unknownField()),
      "error[E0101] census.pbtxt:31:12: unknown field 'drop_out' in Dnn\n"
      "    31 |   dnn    { drop_out: 0.1\n"
      "       |            ^^^^^^^^      field: model.dnn_linear_combined.dnn      help: did you mean 'dropout'?\n");
}

TEST(Message, LongDetailsWrap) {
  Message message = makeError("E0110", "'occupation' is categorical; a dnn takes dense columns",
                              "use \"occupation_embedding\" (line 24), or add an indicator column to the spec");
  message.place = {"census.pbtxt", 30, 28, 0, ""};
  message.field = "model.dnn.feature_columns[3]";
  message.expected = "numeric, bucketized, indicator or embedding";
  EXPECT_EQ(formatMessage(message),
            "error[E0110] census.pbtxt:30:28: 'occupation' is categorical; a dnn takes dense columns\n"
            "    field: model.dnn.feature_columns[3]      expected: numeric, bucketized, indicator or embedding\n"
            "    help: use \"occupation_embedding\" (line 24), or add an indicator column to the spec\n");
}

TEST(Message, WithoutPlaceAndWithCount) {
  Message message = makeError("E0302", "label '>50K.' is unknown");
  message.count = 3846;
  EXPECT_EQ(formatMessage(message), "error[E0302]: label '>50K.' is unknown\n    (found 3846 times)\n");
  message.severity = Severity::Warning;
  message.code.clear();
  EXPECT_EQ(formatMessage(message), "warning: label '>50K.' is unknown\n    (found 3846 times)\n");
}

TEST(Message, CaretStandsUnderTabsAndMultibyteText) {
  Message message = makeError("E0103", "typographic quote");
  message.sourceLine = "\tn\xC3\xA4me: \xE2\x80\x9Cx";
  message.place = {"a.pbtxt", 2, 9, 12, "opened here"};
  EXPECT_EQ(formatMessage(message), "error[E0103] a.pbtxt:2:9: typographic quote\n"
                                    "     2 | \tn\xC3\xA4me: \xE2\x80\x9Cx\n"
                                    "       | \t      ^ opened here\n");
  message.place.column = 500; // beyond the line: the caret stands after its end
  message.place.endColumn = 0;
  EXPECT_NE(formatMessage(message).find("        ^"), std::string::npos);
}

TEST(Message, RelatedPlacesAndColor) {
  Message message = makeError("E0131", "both set");
  message.related.push_back({"base.pbtxt", 4, 0, 0, "secs"});
  MessageStyle style;
  style.color = true;
  EXPECT_EQ(formatMessage(message, style), "\033[1;31merror[E0131]\033[0m: both set\n    note: base.pbtxt:4: secs\n");
}

TEST(Message, JsonRoundTrip) {
  Message message = unknownField();
  message.expected = "a \"number\"\n";
  message.related.push_back({"base.pbtxt", 4, 2, 3, "secs"});
  message.count = 2;
  std::string json = messageToJson(message);
  EXPECT_EQ(json.find('\n'), std::string::npos);
  EXPECT_NE(json.find("{\"severity\":\"error\",\"code\":\"E0101\",\"file\":\"census.pbtxt\",\"line\":31,\"column\":12,"
                      "\"end_column\":20,\"path\":\"model.dnn_linear_combined.dnn\",\"message\":"),
            std::string::npos)
      << json;
  Message read;
  ASSERT_TRUE(messageFromJson(json, read));
  EXPECT_EQ(messageToJson(read), json);
  EXPECT_FALSE(messageFromJson("[]", read));
  EXPECT_FALSE(messageFromJson("{\"severity\":\"fatal\"}", read));
  EXPECT_FALSE(messageFromJson("{", read));
}

TEST(MessageList, SortsByPlaceAndCounts) {
  MessageList list;
  auto add = [&](const char *file, int64_t line, const char *what) {
    Message message = makeError("E0101", what);
    message.place = {file, line, 1, 0, ""};
    list.add(message);
  };
  add("b", 9, "third");
  add("b", 2, "second");
  list.add(makeError("E0101", "last"));
  add("a", 1, "of the other file");
  Message note = makeError("", "just so");
  note.severity = Severity::Note;
  list.add(note);
  EXPECT_EQ(list.format(), "error[E0101] b:2:1: second\nerror[E0101] b:9:1: third\nerror[E0101] a:1:1: of the other "
                           "file\nerror[E0101]: last\nnote: just so\n4 errors\n");
  EXPECT_EQ(list.errorCount(), 4u);
  EXPECT_NE(list.format({}, 2).find("4 errors, the first 2 shown"), std::string::npos);
  EXPECT_EQ(list.format({}, 2).find("of the other"), std::string::npos);
}

TEST(Message, LongLinesAreCutAroundThePlace) {
  Message message = makeError("E0101", "wrong");
  message.place = {"f", 1, 501, 504, ""};
  message.sourceLine = std::string(500, 'a') + "xyz" + std::string(500, 'b');
  EXPECT_EQ(formatMessage(message), "error[E0101] f:1:501: wrong\n     1 | ..." + std::string(53, 'a') + "xyz" +
                                        std::string(104, 'b') + "...\n       | " + std::string(56, ' ') + "^^^\n");
  // At the ends nothing is cut off that is not there.
  message.place = {"f", 1, 1, 2, ""};
  EXPECT_EQ(formatMessage(message),
            "error[E0101] f:1:1: wrong\n     1 | " + std::string(160, 'a') + "...\n       | ^\n");
  message.place = {"f", 1, 1003, 1004, ""};
  EXPECT_EQ(formatMessage(message), "error[E0101] f:1:1003: wrong\n     1 | ..." + std::string(160, 'b') +
                                        "\n       | " + std::string(162, ' ') + "^\n");
  // What is marked may be longer than what is shown; characters are not cut in two.
  message.sourceLine.clear();
  for (int i = 0; i < 300; ++i)
    message.sourceLine += "\u00e4";
  message.place = {"f", 1, 1, 601, ""};
  EXPECT_EQ(formatMessage(message).find("\xa4..."), std::string("error[E0101] f:1:1: wrong\n     1 | ").size() + 159);
  // Lines of 160 bytes stand whole, and JSON never cuts.
  message.sourceLine = std::string(160, 'c');
  message.place = {"f", 1, 80, 81, ""};
  EXPECT_NE(formatMessage(message).find(" | " + std::string(160, 'c') + "\n"), std::string::npos);
}
