//===- Program.cpp - An artifact with its state: what runners of entries share -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Program.h"

#include "runtime/src/core/EntryRunner.h"

#include "absl/strings/str_cat.h"

namespace mlcrt {

Program::Program(std::shared_ptr<const Artifact> artifact, LookupTables tables, const ProgramOptions &options)
    : artifact_(std::move(artifact)), observation_(options.observation), state_(artifact_, options.held),
      settings_(artifact_), tables_(std::move(tables)), queues_(artifact_->table()),
      devices_(artifact_->table(), options.laterDevices, options.deviceMemory),
      homes_(artifact_->table(), devices_, state_), turns_(artifact_->table().num_entries) {}

absl::StatusOr<std::unique_ptr<Program>> Program::create(std::shared_ptr<const Artifact> artifact,
                                                         const ProgramOptions &options) {
  absl::StatusOr<LookupTables> tables = LookupTables::build(artifact->table());
  if (!tables.ok())
    return absl::Status(tables.status().code(), absl::StrCat(artifact->origin(), ": ", tables.status().message()));
  return std::unique_ptr<Program>(new Program(std::move(artifact), *std::move(tables), options));
}

absl::Status Program::runPlain(mlcrt_role role, int64_t seed, ThreadPool &pool) {
  const mlcrt_entry *entry = artifact_->entry(role);
  if (!entry)
    return absl::OkStatus();
  CallContext context;
  context.seed = seed;
  return EntryRunner(*this, *entry, pool).run(BatchView(), context);
}

absl::Status Program::initialize(int64_t seed, ThreadPool &pool) {
  state().useLargePages(); // all of it is filled
  return runPlain(MLCRT_ROLE_INIT, seed, pool);
}

absl::Status Program::resetEval(ThreadPool &pool) { return runPlain(MLCRT_ROLE_EVAL_RESET, /*seed=*/0, pool); }

} // namespace mlcrt
