// Exports of the hand-written artifact. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_UNIT_RUNTIME_EXPORT_EXPORTFIXTURE_H
#define MLC_TEST_UNIT_RUNTIME_EXPORT_EXPORTFIXTURE_H

#include "FakeArtifact.h"
#include "runtime/src/export/ExportWriter.h"
#include "runtime/src/export/ExportedModel.h"
#include "runtime/src/export/Golden.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace mlcrt {

/// A trained program and a directory for its exports. Its image is the artifact itself as a shared object.
class ExportFixture : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/mlcrt-export-XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
    std::ifstream file(FAKE_ARTIFACT, std::ios::binary);
    image_.assign(std::istreambuf_iterator<char>(file), {});
    table_ = *mlc_artifact_query(MLCRT_ABI_VERSION, nullptr);
    table_.predict_image = image_.data();
    table_.predict_image_bytes = static_cast<int64_t>(image_.size());
    auto artifact = Artifact::fromTable(&table_);
    ASSERT_TRUE(artifact.ok()) << artifact.status();
    artifact_ = *artifact;
    auto program = Program::create(artifact_);
    ASSERT_TRUE(program.ok()) << program.status();
    program_ = *std::move(program);
    ThreadPool pool(1);
    ASSERT_TRUE(program_->initialize(/*seed=*/3, pool).ok());
    auto w = program_->state().read("w");
    ASSERT_TRUE(w.ok()) << w.status();
    for (int64_t i = 0; i < w->elements(); ++i)
      w->as<float>()[i] = 0.5f + static_cast<float>(i);
    ASSERT_TRUE(program_->state().write("w", w->buffer()).ok());
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  /// Exports, with golden rows if there is a text of them.
  std::string exportModel(const std::string &golden = {}, int64_t rows = 0) {
    ExportRequest request;
    request.base = directory_ + "/export";
    request.golden = golden;
    request.signature.goldenRows = rows;
    request.signature.seed = 3;
    auto path = writeExport(*program_, request);
    EXPECT_TRUE(path.ok()) << path.status();
    return path.ok() ? path->path : "";
  }

  std::string directory_, image_;
  mlcrt_artifact table_;
  std::shared_ptr<const Artifact> artifact_;
  std::unique_ptr<Program> program_;
};

} // namespace mlcrt

#endif // MLC_TEST_UNIT_RUNTIME_EXPORT_EXPORTFIXTURE_H
