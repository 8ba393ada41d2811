// Which image of an artifact a chip takes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/CudaImage.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <deque>

using namespace mlcrt;
using testing::ElementsAre;

namespace {

class CudaImageTest : public testing::Test {
protected:
  void add(const char *chip, mlcrt_image_kind kind, const char *text = ".version 8.0\n") {
    images.push_back({"cuda", chip, kind, 0, text, static_cast<int64_t>(std::strlen(text) + 1)});
  }
  absl::StatusOr<std::vector<const mlcrt_image *>> choose(int chip, int driver = 12040) const {
    std::vector<const mlcrt_image *> all;
    for (const mlcrt_image &image : images)
      all.push_back(&image);
    return imagesFor(chip, driver, all);
  }
  std::vector<std::string> names(int chip) const {
    std::vector<std::string> said;
    for (const mlcrt_image *image : choose(chip).value_or(std::vector<const mlcrt_image *>()))
      said.push_back(describeImage(*image));
    return said;
  }
  std::deque<mlcrt_image> images;
};

TEST_F(CudaImageTest, CubinsOfExactlyTheChipThenPtxOfTheLatest) {
  add("sm_80", MLCRT_IMAGE_PTX);
  add("sm_90a", MLCRT_IMAGE_PTX);
  add("sm_86", MLCRT_IMAGE_PTX);
  add("sm_86", MLCRT_IMAGE_CUBIN);
  add("sm_90", MLCRT_IMAGE_CUBIN);
  EXPECT_THAT(names(80), ElementsAre("PTX for sm_80"));
  EXPECT_THAT(names(86), ElementsAre("cubin for sm_86", "PTX for sm_86", "PTX for sm_80"));
  EXPECT_THAT(names(89), ElementsAre("PTX for sm_86", "PTX for sm_80"));
  EXPECT_THAT(names(90), ElementsAre("cubin for sm_90", "PTX for sm_90a", "PTX for sm_86", "PTX for sm_80"));
  EXPECT_THAT(names(100), ElementsAre("PTX for sm_86", "PTX for sm_80")) << "sm_90a is of 9.0 alone";
}

TEST_F(CudaImageTest, FeaturesOfOneChipComeFirst) {
  add("sm_90", MLCRT_IMAGE_PTX);
  add("sm_90a", MLCRT_IMAGE_PTX);
  add("sm_100f", MLCRT_IMAGE_PTX);
  EXPECT_THAT(names(90), ElementsAre("PTX for sm_90a", "PTX for sm_90"));
  EXPECT_THAT(names(103), ElementsAre("PTX for sm_100f", "PTX for sm_90"));
  EXPECT_THAT(names(120), ElementsAre("PTX for sm_90"));
}

TEST_F(CudaImageTest, NoneForALaterChipThanIsAskedFor) {
  add("sm_80", MLCRT_IMAGE_PTX);
  add("sm_90a", MLCRT_IMAGE_PTX);
  const auto chosen = [&](const char *latest) {
    return (*imagesFor(90, 12040, {&images[0], &images[1]}, latest)).front()->chip;
  };
  EXPECT_STREQ(chosen(""), "sm_90a");
  EXPECT_STREQ(chosen("sm_100"), "sm_90a");
  EXPECT_STREQ(chosen("sm_90a"), "sm_90a");
  EXPECT_STREQ(chosen("sm_90"), "sm_80") << "what sm_90a has is not asked for";
  EXPECT_STREQ(chosen("sm_80"), "sm_80");
  EXPECT_EQ(imagesFor(90, 12040, {&images[1]}, "sm_80").status().message(),
            "no image runs on the chip sm_90; found: PTX for sm_90a; expected: a cubin for it, or PTX for it or an "
            "earlier chip, none later than sm_80");
}

TEST_F(CudaImageTest, NoneFits) {
  EXPECT_EQ(choose(80).status().message(), "no image runs on the chip sm_80; found: none; expected: a cubin for it, or "
                                           "PTX for it or an earlier chip");
  add("sm_90a", MLCRT_IMAGE_PTX);
  add("sm_86", MLCRT_IMAGE_CUBIN);
  add("gfx90a", MLCRT_IMAGE_OBJECT);
  const absl::Status status = choose(89).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "no image runs on the chip sm_89; found: PTX for sm_90a, cubin for sm_86, object for "
                              "gfx90a; expected: a cubin for it, or PTX for it or an earlier chip");
}

TEST_F(CudaImageTest, PtxOfANewerDriver) {
  add("sm_80", MLCRT_IMAGE_PTX, "//\n// Generated\n//\n\n.version 8.4\n.target sm_80\n");
  const absl::Status status = choose(80, 12020).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "the driver is for CUDA 12.2, too old for the PTX for sm_80 of version 8.4; expected: a "
                              "driver for CUDA 12.4 or later");
  EXPECT_TRUE(choose(80, 12040).ok());
  add("sm_75", MLCRT_IMAGE_PTX, ".version 7.0\n");
  EXPECT_EQ((*choose(80, 12020))[0]->chip, std::string("sm_75")) << "an earlier one that it knows";
}

TEST_F(CudaImageTest, VersionsOfPtxAndTheirDrivers) {
  const auto version = [](const char *text) {
    return ptxVersion({"cuda", "sm_80", MLCRT_IMAGE_PTX, 0, text, static_cast<int64_t>(std::strlen(text) + 1)});
  };
  EXPECT_EQ(version(".version 7.8\n"), 78);
  EXPECT_EQ(version("// no .version 1.0\n.version\t9.0"), 90);
  EXPECT_EQ(version("cubin"), 0);
  EXPECT_EQ(version(".version"), 0);
  for (auto [ptx, driver] : {std::pair{70, 11000},
                             {78, 11080},
                             {80, 12000},
                             {82, 12020},
                             {84, 12040},
                             {86, 12070},
                             {87, 12080},
                             {88, 12090},
                             {90, 13000},
                             {0, 0},
                             {91, 0}})
    EXPECT_EQ(leastDriverOf(ptx), driver) << ptx;
}

TEST_F(CudaImageTest, NamesOfChips) {
  EXPECT_EQ(CudaChip::parse("sm_90a")->number, 90);
  EXPECT_EQ(CudaChip::parse("sm_90a")->feature, 'a');
  EXPECT_EQ(CudaChip::parse("sm_120")->number, 120);
  for (const char *wrong : {"", "sm_", "sm_a", "sm_9x", "SM_80", "compute_80", "sm_-80", "sm_80aa", "sm_99999999999"})
    EXPECT_FALSE(CudaChip::parse(wrong)) << wrong;
}

} // namespace
