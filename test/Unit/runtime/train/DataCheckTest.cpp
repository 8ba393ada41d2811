// Data beside what a spec says of them: shares, moments, errors that do not stop the reading.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/DataCheck.h"
#include "test/Unit/runtime/input/InputTestSupport.h"

#include <cmath>

namespace mlcrt {
namespace {

using mlc::common::ColumnCheck;
using test::column;
using test::TemporaryDirectory;

ColumnCheck check(std::string name, ColumnCheck::Kind kind) {
  ColumnCheck result;
  result.name = result.column = std::move(name);
  result.use = "feature";
  result.kind = kind;
  return result;
}

TEST(DataCheck, CountsEachColumnBesideErrors) {
  TemporaryDirectory directory;
  const std::string path = directory.write("a.csv", "x,word,label\n"
                                                    "1,a,0\n"
                                                    "2,,1\n"
                                                    "oops,b,7\n"
                                                    "6,c,7\n"
                                                    "ragged\n");
  InputFormat format;
  format.columns = {column("x", MLCRT_F32), column("word", MLCRT_STRING, true), column("label", MLCRT_I64)};
  format.columns[2].role = ColumnRole::Label;
  std::vector<ColumnCheck> checks = {check("x", ColumnCheck::Kind::Numbers), check("word", ColumnCheck::Kind::Terms),
                                     check("label", ColumnCheck::Kind::Ids)};
  checks[1].terms = {"a", "b"};
  checks[2].size = 2;
  checks[2].required = true;
  DataFindings findings;
  DataErrors errors;
  ASSERT_TRUE(checkData({path}, format, checks, 0, findings, errors).ok());

  EXPECT_EQ(findings.rows, 5);
  EXPECT_EQ(findings.files, 1);
  EXPECT_EQ(findings.bad, 3);
  ASSERT_EQ(findings.columns.size(), 3u);
  const ColumnFindings &x = findings.columns[0], &word = findings.columns[1], &label = findings.columns[2];
  EXPECT_EQ(x.rows, 4); // the ragged row has no cells
  EXPECT_EQ(x.values, 3);
  EXPECT_EQ(x.min, 1);
  EXPECT_EQ(x.max, 6);
  EXPECT_DOUBLE_EQ(x.mean, 3);
  EXPECT_DOUBLE_EQ(x.stddev, std::sqrt(7.0));
  EXPECT_EQ(word.missing, 1);
  EXPECT_EQ(word.values, 3);
  EXPECT_EQ(word.unknown, 1); // no error: a vocabulary may lack words
  EXPECT_EQ(label.unknown, 2);

  ASSERT_EQ(errors.messages.size(), 3u);
  EXPECT_EQ(errors.further, 0);
  EXPECT_EQ(errors.messages[0].code, "E0315");
  EXPECT_EQ(errors.messages[0].place.line, 4);
  EXPECT_EQ(errors.messages[0].place.column, 1);
  EXPECT_EQ(errors.messages[1].code, "E0302");
  EXPECT_EQ(errors.messages[1].place.column, 3);
  EXPECT_EQ(errors.messages[1].count, 2);
  EXPECT_EQ(errors.messages[2].code, "E0314");
}

TEST(DataCheck, SkippedRowsAndDefaultsOfMissingCells) {
  TemporaryDirectory directory;
  const std::string path = directory.write("a.csv", "x,tags\n"
                                                    ",bad\n"
                                                    "1,a|z|z\n"
                                                    "2,\n");
  InputFormat format;
  format.columns = {column("x", MLCRT_F32), column("tags", MLCRT_STRING, true)};
  format.columns[0].onMissing = OnMissing::SkipRow;
  format.columns[1].multiValue.emplace();
  format.columns[1].defaultValue = "z";
  std::vector<ColumnCheck> checks = {check("x", ColumnCheck::Kind::Numbers), check("tags", ColumnCheck::Kind::Terms)};
  checks[1].terms = {"a"};
  DataFindings findings;
  DataErrors errors;
  ASSERT_TRUE(checkData({path}, format, checks, 0, findings, errors).ok());
  EXPECT_TRUE(errors.messages.empty());
  EXPECT_EQ(findings.skipped, 1);
  EXPECT_EQ(findings.bad, 0);
  EXPECT_EQ(findings.columns[0].missing, 1);
  EXPECT_EQ(findings.columns[1].missing, 1);
  EXPECT_EQ(findings.columns[1].values, 3); // neither the skipped row's nor the default
  EXPECT_EQ(findings.columns[1].unknown, 2);
}

TEST(DataCheck, KeepsSomeErrorsAndCountsTheOthers) {
  TemporaryDirectory directory;
  const std::string path = directory.write("a.csv", "x\nbad\nbad\nbad\n1\n"),
                    other = directory.write("b.csv", "y\n1\n");
  InputFormat format;
  format.columns = {column("x", MLCRT_F64)};
  DataFindings findings;
  DataErrors errors;
  errors.most = 2;
  ASSERT_TRUE(checkData({path, other}, format, {check("x", ColumnCheck::Kind::Numbers)}, 0, findings, errors).ok());
  EXPECT_EQ(errors.messages.size(), 2u);
  EXPECT_EQ(errors.further, 2); // the third row, and the file that lacks the column
  EXPECT_EQ(findings.files, 2);
  EXPECT_EQ(findings.columns[0].values, 1);

  DataFindings fewer;
  ASSERT_TRUE(checkData({path}, format, {check("x", ColumnCheck::Kind::Numbers)}, 2, fewer, errors).ok());
  EXPECT_EQ(fewer.rows, 2);
  EXPECT_EQ(errors.further, 4);
  EXPECT_FALSE(checkData({path}, format, {check("z", ColumnCheck::Kind::Any)}, 0, fewer, errors).ok());
}

} // namespace
} // namespace mlcrt
