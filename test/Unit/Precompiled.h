// What nearly every unit test of the runtime parses: precompiled once for all of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_UNIT_PRECOMPILED_H
#define MLC_TEST_UNIT_PRECOMPILED_H

#include "runtime/src/Precompiled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#endif // MLC_TEST_UNIT_PRECOMPILED_H
