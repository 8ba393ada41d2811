// The program of the trainer over the hand-written artifact. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_UNIT_RUNTIME_TRAIN_FAKETRAINER_H
#define MLC_TEST_UNIT_RUNTIME_TRAIN_FAKETRAINER_H

/// What the process of FAKE_TRAINER does, once for each process.
int fakeTrainerMain(int argc, char **argv);

#endif // MLC_TEST_UNIT_RUNTIME_TRAIN_FAKETRAINER_H
