/* The compiler from C, and so from other languages: read modules, run passes, compile. Link libMLC.so.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions that can fail return 0 for success, or what the program mlc would exit with (docs/command-line.md); why,
 * the context's callback is told before. Texts are UTF-8 and end with a 0; those that a callback gets live as long as
 * the call. A context, with its modules, is used by one thread at a time; several contexts may be used at once. The
 * library prints nothing, ends no process and changes no handler of a signal: what a signal leaves of a file that is
 * being written has ".tmp-" in its name, and where SIGXFSZ is ignored a limit on the size of files is an error. */
#ifndef MLC_C_MLC_H
#define MLC_C_MLC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface: functions are added within a major version, and never change. */
#define MLC_C_API_MAJOR 1
#define MLC_C_API_MINOR 0

/* The versions of the library, its build, LLVM and the ABI of artifacts, a line each. */
const char *mlc_version(void);

typedef enum mlc_severity { MLC_SEVERITY_ERROR = 0, MLC_SEVERITY_WARNING = 1, MLC_SEVERITY_NOTE = 2 } mlc_severity;

/* What is wrong, and where. Parts that are not known are empty, or 0. */
typedef struct mlc_diagnostic {
  mlc_severity severity;
  const char *code; /* "E0701"; 'mlc spec explain CODE' tells of it */
  const char *file;
  int64_t line, column; /* from 1 on, columns in bytes */
  const char *message;  /* one line */
  const char *text;     /* all of it, as mlc prints it: lines with the excerpt, notes, and what helps */
} mlc_diagnostic;

typedef void (*mlc_diagnostic_fn)(const mlc_diagnostic *diagnostic, void *user);

/* What modules are made in: dialects, and who is told what is wrong. */
typedef struct mlc_context mlc_context;
/* `diagnose` may be null. */
mlc_context *mlc_context_create(mlc_diagnostic_fn diagnose, void *user);
/* After its modules are destroyed. */
void mlc_context_destroy(mlc_context *context);
/* Adds the dialects of a plug-in (docs/plugins.md) to the context, and its passes to those that all contexts know. */
int mlc_context_load_plugin(mlc_context *context, const char *path);

typedef struct mlc_module mlc_module;
/* A module of MLIR, as text or bytecode, `size` bytes; `name` is what diagnostics call it. Null if it is not valid. */
mlc_module *mlc_module_parse(mlc_context *context, const char *content, size_t size, const char *name);
/* The same of a file. */
mlc_module *mlc_module_parse_file(mlc_context *context, const char *path);
void mlc_module_destroy(mlc_module *module);

/* Runs a pipeline, written as for mlc-opt --pass-pipeline: "builtin.module(df-simplify,cse)". After a failure the
 * module is what the passes left of it: destroy it. */
int mlc_module_run_passes(mlc_module *module, const char *pipeline);

typedef void (*mlc_write_fn)(const char *bytes, size_t size, void *user);
/* Writes the module as text, in one or more pieces. */
void mlc_module_print(const mlc_module *module, mlc_write_fn write, void *user);

/* What is compiled, to what, and for what. Set `size` to sizeof(mlc_compile_options), and the rest to 0 or null for
 * the defaults. */
typedef struct mlc_compile_options {
  size_t size;
  const char *emit; /* as mlc compile --emit: "exe" (the default), "so", "obj", "asm", "llvm", "linalg", "df", "est" */
  const char *cpu;  /* "x86-64-v3" (the default), "native", or a name of LLVM */
} mlc_compile_options;

/* Compiles a copy of the module, which must be of a stage that --emit prints, to the file `output`. `options` may be
 * null. */
int mlc_module_compile(const mlc_module *module, const mlc_compile_options *options, const char *output);
/* Compiles a file, a spec or a module. */
int mlc_compile_file(mlc_context *context, const char *input, const mlc_compile_options *options, const char *output);

#ifdef __cplusplus
}
#endif

#endif /* MLC_C_MLC_H */
