// Directories of exports: order, names, retention.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/export/ExportDirectory.h"
#include "ExportFixture.h"
#include "runtime/src/export/ExportWriter.h"
#include "runtime/src/export/ExportedModel.h"

#include <fstream>

using namespace mlcrt;
using testing::ElementsAre;
using testing::IsEmpty;
namespace fs = std::filesystem;

class ExportDirectoryTest : public ExportFixture {
protected:
  std::string base() const { return directory_ + "/export"; }
  void make(const std::string &name) const {
    fs::create_directories(base() + "/" + name);
    std::ofstream(base() + "/" + name + "/file") << "x";
  }
  std::vector<int64_t> numbers() const {
    std::vector<int64_t> numbers;
    auto exports = listExports(base());
    EXPECT_TRUE(exports.ok()) << exports.status();
    for (const ExportPath &entry : *exports)
      numbers.push_back(entry.number);
    return numbers;
  }
  absl::StatusOr<WrittenExport> write(int64_t step) const {
    ExportRequest request;
    request.base = base();
    request.signature.step = step;
    request.signature.exporter = ExporterRecord{"best", "BEST", "valid", "auc", "LARGER", 0.1};
    return writeExport(*program_, request);
  }
};

TEST_F(ExportDirectoryTest, ListsByNumber) {
  EXPECT_THAT(numbers(), IsEmpty());
  for (const char *name : {"9", "1700000000", "10", "temp-a1b2c3", "12x", "99999999999999999999", "-1"})
    make(name);
  EXPECT_THAT(numbers(), ElementsAre(9, 10, 1700000000));
}

TEST_F(ExportDirectoryTest, RetiresTheOldest) {
  for (const char *name : {"9", "10", "11", "temp-a1b2c3", "temp-exporter-11"})
    make(name);
  auto removed = retireExports(base(), 0);
  ASSERT_TRUE(removed.ok()) << removed.status();
  EXPECT_THAT(*removed, IsEmpty());
  removed = retireExports(base(), 2);
  ASSERT_TRUE(removed.ok()) << removed.status();
  EXPECT_THAT(*removed, ElementsAre(base() + "/9"));
  EXPECT_THAT(numbers(), ElementsAre(10, 11));
  ASSERT_TRUE(removeLeftExports(base()).ok());
  EXPECT_FALSE(fs::exists(base() + "/temp-exporter-11"));
  EXPECT_TRUE(fs::exists(base() + "/temp-a1b2c3")) << "of the verb export, which may be at work";
}

TEST_F(ExportDirectoryTest, AnExportersExportIsMadeOnce) {
  auto first = write(1);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(first->isNew);
  auto again = write(1);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_FALSE(again->isNew);
  EXPECT_EQ(again->path, first->path);
  auto other = write(2);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_TRUE(other->isNew);
  EXPECT_EQ(numbers().size(), 2u);
  auto signature = readSignature(other->path);
  ASSERT_TRUE(signature.ok()) << signature.status();
  ASSERT_TRUE(signature->exporter);
  EXPECT_EQ(signature->exporter->name, "best");
  EXPECT_EQ(signature->exporter->kind, "BEST");
  EXPECT_EQ(signature->exporter->eval, "valid");
  EXPECT_EQ(signature->exporter->metric, "auc");
  EXPECT_EQ(signature->exporter->better, "LARGER");
  EXPECT_EQ(signature->exporter->value, 0.1);
}

TEST_F(ExportDirectoryTest, NumbersGrowWhateverTheClockSays) {
  make("5000000000");
  auto written = write(1);
  ASSERT_FALSE(written.ok()) << "the newest is no export";
  fs::remove_all(base());
  written = write(1);
  ASSERT_TRUE(written.ok()) << written.status();
  fs::rename(written->path, base() + "/5000000000");
  written = write(2);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_THAT(numbers(), ElementsAre(5000000000, 5000000001));
}
