// mlc: compiles models, and runs the trainers it makes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/mlc/Program.h"

int main(int argc, char **argv) { return mlc::programMain(argc, argv); }
