// Tests of the first rows of CSV files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/FirstRows.h"
#include "InputTestSupport.h"
#include "Packed.h"

using namespace mlcrt;
using namespace mlcrt::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FirstRowsTest : public testing::Test {
protected:
  std::string error(std::string_view text, const CsvFormat &format = {}, int64_t count = 100) {
    return std::string(readFirstRows({dir.write("f.csv", text)}, format, count).status().message());
  }

  TemporaryDirectory dir;
};

TEST_F(FirstRowsTest, NamesAndRows) {
  const auto found = readFirstRows({dir.write("f.csv", " a ,b\n1,\"x\"\"y\"\n2,\n3,z\n")}, {}, 2);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(found->names, ElementsAre("a", "b"));
  EXPECT_THAT(found->rows, ElementsAre(ElementsAre("1", "x\"y"), ElementsAre("2", "")));
  CsvFormat format;
  format.header = false;
  format.columnNames = {"x", "y"};
  const auto headless = readFirstRows({dir.file("f.csv")}, format, 1);
  ASSERT_TRUE(headless.ok()) << headless.status();
  EXPECT_THAT(headless->names, ElementsAre("x", "y"));
  EXPECT_THAT(headless->rows, ElementsAre(ElementsAre(" a ", "b")));
}

TEST_F(FirstRowsTest, FilesInTheirOrder) {
  dir.write("part-1.csv", "a\n3\n");
  dir.write("part-0.csv", "a\n1\n2\n");
  const auto all = readFirstRows({dir.file("part-*.csv")}, {}, 100);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_THAT(all->rows, ElementsAre(ElementsAre("1"), ElementsAre("2"), ElementsAre("3")));
  // What is not needed is not read.
  dir.write("part-2.csv", "b\n\"open");
  EXPECT_TRUE(readFirstRows({dir.file("part-*.csv")}, {}, 3).ok());
  EXPECT_THAT(readFirstRows({dir.file("part-*.csv")}, {}, 4).status().message(),
              HasSubstr("part-2.csv:1: the header is b, expected a, as in the file before"));
  // Without a row a header is.
  const auto none = readFirstRows({dir.file("part-*.csv")}, {}, 0);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_THAT(none->names, ElementsAre("a"));
  EXPECT_THAT(none->rows, IsEmpty());
}

TEST_F(FirstRowsTest, PackedFiles) {
  // More than is unpacked first, and a record that ends after it.
  std::string text = "a,b\n";
  for (int i = 0; i < 20000; ++i)
    text += std::to_string(i) + ",\"" + std::string(17, 'x') + "\n\"\n";
  for (const std::string &packed : {gzip(text), zstd(text)}) {
    const std::string path = dir.write("f.packed", packed);
    for (const int64_t count : {3, 15000, 30000}) {
      const auto found = readFirstRows({path}, {}, count);
      ASSERT_TRUE(found.ok()) << found.status();
      ASSERT_EQ(found->rows.size(), static_cast<size_t>(std::min<int64_t>(count, 20000)));
      EXPECT_THAT(found->rows.back(), ElementsAre(std::to_string(found->rows.size() - 1), std::string(17, 'x') + "\n"));
    }
  }
  // Damage after what is needed is nothing.
  const std::string packed = gzip(text);
  const std::string path = dir.write("f.gz", packed.substr(0, packed.size() - 100));
  EXPECT_TRUE(readFirstRows({path}, {}, 3).ok());
  EXPECT_THAT(readFirstRows({path}, {}, 30000).status().message(), HasSubstr("f.gz"));
  CsvFormat format;
  format.compression = Compression::Zstd;
  EXPECT_THAT(readFirstRows({path}, format, 3).status().message(), HasSubstr("expected zstd"));
}

TEST_F(FirstRowsTest, Errors) {
  EXPECT_THAT(error(""), HasSubstr("f.csv: the file is empty, expected a header"));
  EXPECT_THAT(error("a,b\n1,2\n3\n"), HasSubstr("f.csv:3:2: ragged row: found 1 field, expected 2"));
  EXPECT_THAT(error("a,b\n1,2\n3\n", {}, 1), IsEmpty());
  EXPECT_THAT(error("a,b\n1,\"2\n"), HasSubstr("f.csv:2:2: a quote that is not closed"));
  EXPECT_THAT(error("a,b\n1,\"2\"x\n"), HasSubstr("f.csv:2:2: text after a closing quote"));
  EXPECT_THAT(readFirstRows({dir.file("none*")}, {}, 1).status().message(), HasSubstr("none*"));
  EXPECT_THAT(readFirstRows({dir.path()}, {}, 1).status().message(), HasSubstr("expected a regular file"));
}
