// What nearly every file of the emulator parses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_PRECOMPILED_H
#define MLC_TEST_LIB_PTXEMU_PRECOMPILED_H

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#endif // MLC_TEST_LIB_PTXEMU_PRECOMPILED_H
