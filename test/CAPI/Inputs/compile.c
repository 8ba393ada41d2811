/* compile FILE PASSES EMIT OUTPUT [PLUGIN]: reads a module or a spec, runs passes on a module, compiles it. PASSES
 * "print" prints the module, "file" has mlc read the file itself. SPDX-License-Identifier: Apache-2.0 WITH
 * LLVM-exception */
#include "mlc-c/MLC.h"

#include <stdio.h>
#include <string.h>

static void diagnose(const mlc_diagnostic *d, void *user) {
  static const char *const names[] = {"error", "warning", "note"};
  ++*(int *)user;
  printf("%s %s at %s:%d:%d: %s\n%s", names[d->severity], d->code, d->file, (int)d->line, (int)d->column, d->message,
         d->text);
}

static void write(const char *bytes, size_t size, void *user) { fwrite(bytes, 1, size, (FILE *)user); }

static int use(mlc_context *context, char **arguments) {
  mlc_compile_options options = {sizeof(options), NULL, NULL};
  mlc_module *module;
  int code = 0;
  options.emit = arguments[3];
  if (strcmp(arguments[2], "file") == 0)
    return mlc_compile_file(context, arguments[1], &options, arguments[4]);
  module = mlc_module_parse_file(context, arguments[1]);
  if (!module)
    return 2;
  if (strcmp(arguments[2], "print") == 0)
    mlc_module_print(module, write, stdout);
  else if (*arguments[2])
    code = mlc_module_run_passes(module, arguments[2]);
  if (code == 0)
    code = mlc_module_compile(module, &options, arguments[4]);
  mlc_module_destroy(module);
  return code;
}

int main(int argc, char **argv) {
  int told = 0, code = 0;
  mlc_context *context = mlc_context_create(diagnose, &told);
  if (argc > 5)
    code = mlc_context_load_plugin(context, argv[5]);
  if (code == 0)
    code = use(context, argv);
  mlc_context_destroy(context);
  printf("%d told, code %d, of %.4s\n", told, code, mlc_version());
  return code;
}
