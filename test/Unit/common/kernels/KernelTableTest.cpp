// Tables of tiles, and candidates.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/kernels/KernelCandidates.h"

#include "gtest/gtest.h"

using namespace mlc::common;

static const std::string kHeader = "mlc-kernel-table 1\n";

/// What is wrong with a table: "LINE:COLUMN what; expected"; empty: nothing.
static std::string problemOf(const std::string &text) {
  KernelTable table;
  MessageList messages;
  if (parseKernelTable("file", text, table, messages))
    return {};
  const Message &first = messages.messages().front();
  EXPECT_EQ(first.code, "E0228");
  EXPECT_EQ(first.place.file, "file");
  return std::to_string(first.place.line) + ":" + std::to_string(first.place.column) + " " + first.what + "; " +
         first.expected;
}

TEST(KernelTable, ReadsWhatItWrites) {
  const std::string text =
      kHeader + "device sm_90 a GPU, measured\n"
                "tile sm_90 f32 m=1..64 n=1..32 blocks=8.. 64x32x16 us=12.25 of=32x16x8x1 next=32x32x16:13.5\n"
                "tile sm_90 f32 form=tn k=9.. batches=2.. 32x32x16\n"
                "tile sm_90 f32 128x128x8\n"
                "tile any f32 64x64x16\n"
                "tile any bf16 k=1024.. splits=8 32x32x32\n"
                "tile any bf16 32x32x32 us=2 of=64x32x2048x1 next=32x64x32/4:2.5\n";
  KernelTable table;
  MessageList messages;
  ASSERT_TRUE(parseKernelTable("file", text, table, messages));
  EXPECT_EQ(kernelTableText(table), text);
  EXPECT_EQ(kernelTableText(table, /*withFigures=*/false).find("us="), std::string::npos);
  EXPECT_EQ(table.linesFor("sm_90", "f32").size(), 3u);
  EXPECT_EQ(table.linesFor("sm_80", "f32").size(), 1u);
  EXPECT_TRUE(table.linesFor("sm_90", "f16").empty());
  EXPECT_EQ(table.linesFor("sm_90", "bf16")[0].splits, 8);
  EXPECT_EQ(table.lines[0].splits, 1);
  // Of the first line, products of 64 x 32 with eight matrices have eight blocks.
  EXPECT_TRUE(table.lines[0].has({64, 32, 1, 8}));
  EXPECT_FALSE(table.lines[0].has({64, 32, 1, 7}));
  EXPECT_FALSE(table.lines[0].has({65, 32, 1, 8}));
  // A line with a form is for products whose factors lie so, one without for all.
  EXPECT_TRUE(table.lines[1].has({64, 32, 9, 2, /*form=*/2}));
  EXPECT_FALSE(table.lines[1].has({64, 32, 9, 2, /*form=*/0}));
  EXPECT_TRUE(table.lines[2].has({64, 32, 9, 2, /*form=*/2}));
}

TEST(KernelTable, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(problemOf(""), "1:0 this is no table of tiles; a first line 'mlc-kernel-table 1'");
  EXPECT_EQ(problemOf("\x7f"
                      "ELF\n"),
            "1:0 this is no table of tiles; a first line 'mlc-kernel-table 1'");
  EXPECT_EQ(problemOf("mlc-kernel-table 2\n"), "1:18 a table of version '2'; version 1");
  EXPECT_EQ(problemOf(kHeader + "tiles\n"), "2:1 a line of 'tiles'; tile, device or a comment");
  EXPECT_EQ(problemOf(kHeader + "tile any f32\n"),
            "2:1 a line of 3 words; tile CHIP KIND [form=..] [m=..] [n=..] [k=..] "
            "[batches=..] [blocks=..] [splits=..] ROWSxCOLUMNSxDEPTH");
  EXPECT_EQ(problemOf(kHeader + "tile h100 f32 1x1x1\n"),
            "2:6 chip 'h100'; a class of chips (sm_80, sm_90, ..), or any");
  EXPECT_EQ(problemOf(kHeader + "tile sm_90a f32 1x1x1\n"),
            "2:6 chip 'sm_90a'; a class of chips (sm_80, sm_90, ..), or any");
  EXPECT_EQ(problemOf(kHeader + "tile any int8 1x1x1\n"), "2:10 kind 'int8'; one of f32, f64, tf32, f16, bf16");
  EXPECT_EQ(problemOf(kHeader + "tile any bf16 splits=65 32x32x32\n"),
            "2:15 field 'splits' is '65'; a whole number from 1 to 64");
  EXPECT_EQ(problemOf(kHeader + "tile any f32 1x1\n"), "2:14 tile '1x1'; ROWSxCOLUMNSxDEPTH");
  EXPECT_EQ(problemOf(kHeader + "tile any f32 1x1x-1\n"), "2:14 tile '1x1x-1'; ROWSxCOLUMNSxDEPTH");
  EXPECT_EQ(problemOf(kHeader + "tile any f32 m=1..\n"), "2:14 a line without a tile; ROWSxCOLUMNSxDEPTH");
  EXPECT_EQ(problemOf(kHeader + "tile any f32 1x1x1 2x2x2\n"), "2:20 a second tile, '2x2x2'; one tile a line");
  const std::string bounds = "; FROM..TO or FROM.., whole numbers from 1 to 1048576";
  EXPECT_EQ(problemOf(kHeader + "tile any f32 m=8..4 1x1x1\n"), "2:14 field 'm' is '8..4'" + bounds);
  EXPECT_EQ(problemOf(kHeader + "tile any f32 n=0.. 1x1x1\n"), "2:14 field 'n' is '0..'" + bounds);
  EXPECT_EQ(problemOf(kHeader + "tile any f32 k=1..99999999999999999999 1x1x1\n"),
            "2:14 field 'k' is '1..99999999999999999999'" + bounds);
  EXPECT_EQ(problemOf(kHeader + "tile any f32 m=1.. m=1.. 1x1x1\n"), "2:20 field 'm' stands twice; each field once");
  EXPECT_EQ(problemOf(kHeader + "tile any f32 rows=1.. 1x1x1\n"),
            "2:14 unknown field 'rows'; form, m, n, k, batches, blocks, splits, us, of or next");
  EXPECT_EQ(problemOf(kHeader + "tile any f32 us=nan 1x1x1\n"), "2:14 field 'us' is 'nan'; microseconds above 0");
  EXPECT_EQ(problemOf(kHeader + "tile any f32 next=1x1x1 1x1x1\n"),
            "2:14 field 'next' is '1x1x1'; TILE:MICROSECONDS or TILE/SPLITS:MICROSECONDS");
  EXPECT_EQ(problemOf(kHeader + "tile any f32 next=1x1x1/a:2 1x1x1\n"),
            "2:14 field 'next' is '1x1x1/a:2'; TILE:MICROSECONDS or TILE/SPLITS:MICROSECONDS");
  EXPECT_EQ(problemOf(kHeader + "tile any f32 form=n 1x1x1\n"), "2:14 field 'form' is 'n'; nn, nt, tn or tt");
}

TEST(KernelTable, HasALineForEachShapeAndAShapeForEachLine) {
  EXPECT_EQ(problemOf(kHeader + "tile any f32 m=1..8 1x1x1\ntile any f32 m=10.. 1x1x1\n"),
            "3:0 no line of any f32 has m=9 n=1 k=1 batches=1, whatever its blocks are; a line for each shape");
  EXPECT_EQ(problemOf(kHeader + "tile any f32 blocks=2.. 1x1x1\n"),
            "2:0 no line of any f32 has m=1 n=1 k=1 batches=1, whatever its blocks are; a line for each shape");
  EXPECT_EQ(problemOf(kHeader + "tile any f32 m=1..8 1x1x1\ntile any f32 m=9.. 1x1x1\ntile any f32 n=3.. 1x1x1\n"),
            "4:0 no shape has this line: lines before it have all of its; lines for shapes of their own");
  EXPECT_EQ(problemOf(kHeader + "tile any f32 m=4..8 1x1x1\ntile any f32 m=2..9 1x1x1\ntile any f32 1x1x1\n"), "");
  EXPECT_EQ(problemOf(kHeader + "tile any f32 form=tn 1x1x1\ntile any f32 form=nt 1x1x1\ntile any f32 1x1x1\n"), "");
  EXPECT_EQ(problemOf(kHeader + "tile any f32 form=tn 1x1x1\ntile any f32 form=nt 1x1x1\n"),
            "3:0 no line of any f32 has form=nn m=1 n=1 k=1 batches=1, whatever its blocks are; a line for each shape");
  EXPECT_EQ(problemOf(kHeader + "tile any f32 1x1x1\ntile any f32 form=nt 1x1x1\n"),
            "3:0 no shape has this line: lines before it have all of its; lines for shapes of their own");
  std::string many = kHeader;
  for (int i = 1; i <= 40; ++i)
    many += "tile any f32 m=" + std::to_string(i) + "..99 n=" + std::to_string(i) + "..99 k=" + std::to_string(i) +
            "..99 1x1x1\n";
  EXPECT_EQ(problemOf(many), "2:0 bounds of any f32 make more than 16384 classes of shapes; fewer bounds");
}

TEST(KernelTable, ChipsHaveClasses) {
  EXPECT_EQ(chipClass("sm_90a"), "sm_90");
  EXPECT_EQ(chipClass("sm_100f"), "sm_100");
  for (const char *text : {"", "sm_", "sm_a", "sm_9x", "sm_90aa", "any"})
    EXPECT_EQ(chipClass(text), "") << text;
}

TEST(KernelCandidates, AreReadAsTheyWereWritten) {
  KernelCandidates candidates;
  candidates.madeBy = "a compiler";
  candidates.others.lines.push_back({1, "any", "f32", {}, {}, {}, {}, {}, {}, {32, 32, 16}, 1, 0, 0, {}, {}, 1});
  candidates.modules.push_back({"f32", {{"sm_80", "text\nof PTX"}}, {}});
  candidates.modules[0].candidates.push_back(
      {{32, 32, 16},
       2,
       {64, 16, 8, 1, 2},
       {4096, 64},
       {{"kernel_0", 2, 256, {{true, 1}, {false, 7}, {true, 0}}}, {"kernel_1", 1, 256, {{true, 1}}}}});
  const std::string bytes = writeCandidates(candidates);
  KernelCandidates read;
  EXPECT_EQ(readCandidates(bytes, read), "");
  EXPECT_EQ(writeCandidates(read), bytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    KernelCandidates cut;
    EXPECT_NE(readCandidates(bytes.substr(0, size), cut), "") << size;
  }
}
