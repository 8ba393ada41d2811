// main() of a trainer: the artifact is the one linked in.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/trainer/Trainer.h"

extern "C" const mlcrt_artifact *mlc_artifact_query(uint32_t max_version, void *reserved);

int main(int argc, char **argv) {
  return mlcrt::trainerMain(argc, argv, mlc_artifact_query(MLCRT_ABI_VERSION, nullptr));
}
