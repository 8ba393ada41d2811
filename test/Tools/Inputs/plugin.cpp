// Plug-ins without dialects and passes, as MLIR's loader sees them; some are wrong.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

struct Info {
  uint32_t apiVersion;
  const char *name, *version;
  void (*registerAll)(void *);
};

#ifdef MISSING
int missing();
int number = missing();
#endif

#ifdef BUILD
#define TEXT_OF(text) #text
#define TEXT(macro) TEXT_OF(macro)
extern "C" const char *mlcGetPluginBuild() { return TEXT(BUILD); }
#endif

static void registerNothing(void *) {}
#ifndef NO_DIALECTS
extern "C" Info mlirGetDialectPluginInfo() { return {VERSION, "test", "1", registerNothing}; }
#endif
extern "C" Info mlirGetPassPluginInfo() { return {VERSION, "test", "1", registerNothing}; }
