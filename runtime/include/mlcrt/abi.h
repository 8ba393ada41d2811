/* The border between compiled artifacts and the runtime. -*- C -*-
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Plain C11, no includes beyond stdint and stddef. A compiled artifact exports one symbol,
 *
 *     const mlcrt_artifact *mlc_artifact_query(uint32_t max_version, void *reserved);
 *
 * which returns its table, or null if `max_version` (the newest ABI the caller knows) is older than the artifact's.
 * The artifact imports nothing but memcpy, memmove and memset; everything else reaches it through `mlcrt_services`.
 *
 * Version rule: MLCRT_ABI_MAJOR changes when a struct or a service changes its meaning: both sides refuse another
 * major. MLCRT_ABI_MINOR grows when something is appended (a field at the end of a struct that begins with struct_size,
 * a service at the end of services.def, an enumerator): a reader takes absent tail fields as zero. Version = major <<
 * 16 | minor.
 *
 * Ownership: all pointers in the table are constant and live as long as the artifact is loaded. No exception and no C++
 * type crosses. Codes are int32_t: 0 is success, others are `mlcrt_code`.
 */
#ifndef MLCRT_ABI_H
#define MLCRT_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MLCRT_ABI_MAJOR 2
#define MLCRT_ABI_MINOR 11
#define MLCRT_ABI_VERSION ((MLCRT_ABI_MAJOR << 16) | MLCRT_ABI_MINOR)
#define MLCRT_ARTIFACT_QUERY_SYMBOL "mlc_artifact_query"
#define MLCRT_MAX_RANK 6
/* Alignment of every buffer and of the workspace, in bytes. */
#define MLCRT_ALIGNMENT 64

typedef enum mlcrt_code {
  MLCRT_OK = 0,
  MLCRT_INTERNAL = 1, /* a bug of ours */
  MLCRT_INVALID_ARGUMENT = 2,
  MLCRT_DATA_ERROR = 3,   /* the data read is at fault; `row` tells which */
  MLCRT_OUT_OF_RANGE = 4, /* a closed queue has not what was asked for: the end of a stream */
  MLCRT_CANCELLED = 5,    /* a queue was closed to what should go in */
} mlcrt_code;

typedef enum mlcrt_dtype {
  MLCRT_F32 = 1,
  MLCRT_F64 = 2,
  MLCRT_F16 = 3,
  MLCRT_BF16 = 4,
  MLCRT_I8 = 5,
  MLCRT_I16 = 6,
  MLCRT_I32 = 7,
  MLCRT_I64 = 8,
  MLCRT_U8 = 9,
  MLCRT_U16 = 10,
  MLCRT_U32 = 11,
  MLCRT_U64 = 12,
  MLCRT_BOOL = 13,   /* one byte, 0 or 1 */
  MLCRT_STRING = 14, /* mlcrt_string */
} mlcrt_dtype;

/* Bytes of a string cell: valid for the step, not null-terminated. */
typedef struct mlcrt_string {
  const char *data;
  int64_t size;
} mlcrt_string;

/* What map_strings makes of a string. Letters and blanks are those of ASCII. */
typedef enum mlcrt_string_map {
  MLCRT_STRING_LOWER = 0,
  MLCRT_STRING_UPPER = 1,
  MLCRT_STRING_STRIP = 2, /* without blanks at both ends */
} mlcrt_string_map;

/* A dense row-major tensor. A scalar has rank 0. */
typedef struct mlcrt_buffer {
  void *data;
  int32_t dtype; /* mlcrt_dtype */
  int32_t rank;
  int64_t dims[MLCRT_MAX_RANK];
} mlcrt_buffer;

/* Body of a parallel loop: runs tasks [first, last). Returns a code. */
typedef int32_t (*mlcrt_task_fn)(void *args, int64_t first, int64_t last, int64_t worker);

/* Services of the runtime; `env` is mlcrt_frame.env. */
typedef struct mlcrt_services {
  uint32_t struct_size;
  uint32_t version; /* MLCRT_ABI_VERSION of the runtime */
#define MLCRT_UNPAREN(...) __VA_ARGS__
#define MLCRT_SERVICE(name, parameters) int32_t (*name)(void *env, MLCRT_UNPAREN parameters);
#include "mlcrt/services.def"
#undef MLCRT_SERVICE
} mlcrt_services;

/* What one call of a segment works on. */
typedef struct mlcrt_frame {
  uint32_t struct_size;
  uint32_t threads; /* of the pool behind parallel_for, >= 1 */
  const mlcrt_services *services;
  void *env;
  mlcrt_buffer *buffers; /* one for each operand of the segment, in its order */
  void *workspace;       /* MLCRT_ALIGNMENT aligned, workspace_size() bytes */
  int64_t workspace_bytes;
} mlcrt_frame;

/* Runs a segment. It allocates nothing but from the arena, and blocks on nothing but queues and await_operand: a
 * segment that uses a queue has no operand that is a variable, since the runtime holds locks for those. */
typedef int32_t (*mlcrt_segment_fn)(mlcrt_frame *frame);
/* Bytes of workspace for the given values of the artifact's dimension symbols (all of them, mlcrt_value.dims) and
 * thread count. */
typedef int64_t (*mlcrt_workspace_fn)(const int64_t *symbols, int64_t threads);

/* Where the buffer of an operand comes from. */
typedef enum mlcrt_source {
  MLCRT_SOURCE_FEATURE = 1,      /* index into mlcrt_artifact.features: the batch as read */
  MLCRT_SOURCE_VARIABLE = 2,     /* index into variables */
  MLCRT_SOURCE_SETTING = 3,      /* index into settings: the value in force, a scalar */
  MLCRT_SOURCE_CONTEXT = 4,      /* index is a mlcrt_context */
  MLCRT_SOURCE_INTERMEDIATE = 5, /* index into the entry's intermediates: written by one segment, read by later ones */
  MLCRT_SOURCE_OUTPUT = 6,       /* index into the entry's outputs */
  MLCRT_SOURCE_SUM_A = 7,      /* index into mlcrt_artifact.sums: the (left) operand of combine, the operand of apply */
  MLCRT_SOURCE_SUM_B = 8,      /* the right operand of combine */
  MLCRT_SOURCE_SUM_OUT = 9,    /* the result of grad and combine */
  MLCRT_SOURCE_DIMENSION = 10, /* index is a dimension symbol: its value in the call, an i64 scalar */
  MLCRT_SOURCE_SHARED = 11,    /* index into mlcrt_artifact.shared: of train_partial, train_shared and train_update */
} mlcrt_source;

/* Scalars that the runtime gives each call. */
typedef enum mlcrt_context {
  MLCRT_CONTEXT_SEED = 0,      /* i64: the run's seed */
  MLCRT_CONTEXT_STEP = 1,      /* i64: step that keys randomness (the one before the increment) */
  MLCRT_CONTEXT_FIRST_ROW = 2, /* i64: number of the call's first row in the global batch */
  /* Since 2.11, of segments of init that write rows: the bits of FarmHash's Fingerprint64 of the name of the tensor
   * whose rows they are (mlcrt_named_rows), or of the variable's if that is one tensor. */
  MLCRT_CONTEXT_KEY = 3,
} mlcrt_context;

typedef enum mlcrt_access { MLCRT_READ = 1, MLCRT_WRITE = 2, MLCRT_READ_WRITE = 3 } mlcrt_access;

/* A dimension >= 0 is static; a dimension -1-k is the value of symbol k in the call. The artifact has symbols 0 to the
 * largest that occurs in it. Symbol 0 is the number of rows; another one is that dimension of the features that have
 * it, which must agree. Symbols of features that an entry does not read are 0. For sums, and in combine and apply,
 * which have no rows of their own, symbols have the values of the global batch: its rows bound those of a merged sparse
 * gradient.
 *
 * A multi-valued feature "tags" (any number of values in each row) is up to three features with a symbol k >= 1 of its
 * own, the number of values in the call's rows:
 *   "tags"         the values of all rows, one behind the other: dims [symbol k] or [symbol k, static ...]
 *   "tags.ends"    i64, dims [symbol 0]: row r has the values [ends[r-1], ends[r]), ends[-1] = 0
 *   "tags.weight"  or any other feature whose first dimension is symbol k: one element for each value, cut alike
 * So features whose first dimension is symbol k >= 1 need the one "<name>.ends", whose <name> is one of them; the
 * runtime checks in every call that ends ascend from >= 0 to the number of values. The runtime cuts rows into virtual
 * shards with their values, and their ends begin at 0 again.
 *
 * A symbol may also follow from others (mlcrt_dimension): it is the dimension of no feature. */
#define MLCRT_DIM_SYMBOL(k) (-1 - (int64_t)(k))
#define MLCRT_ENDS_SUFFIX ".ends"
#define MLCRT_WEIGHT_SUFFIX ".weight"
#define MLCRT_SYMBOL_BATCH 0
/* A dimension of an output that only the call knows. The segment that writes such an output sets data (in its arena)
 * and dims of the buffer, which comes with data null. */
#define MLCRT_DIM_OF_CALL INT64_MIN

typedef enum mlcrt_dimension_kind {
  MLCRT_DIMENSION_SUM = 1,     /* terms[k] is the factor of symbol k: the sum of the products */
  MLCRT_DIMENSION_PRODUCT = 2, /* terms are symbols of multi-valued features: the sum over the rows of the product of
                                  the numbers of values in the row */
} mlcrt_dimension_kind;

/* How the value of a dimension symbol follows from those of symbols below it. */
typedef struct mlcrt_dimension {
  int32_t symbol;
  int32_t kind; /* mlcrt_dimension_kind */
  int64_t num_terms;
  const int64_t *terms;
} mlcrt_dimension;

/* A named, typed place: feature, intermediate, output or sum. */
typedef struct mlcrt_value {
  const char *name;
  int32_t dtype;
  int32_t rank;
  int64_t dims[MLCRT_MAX_RANK];
} mlcrt_value;

typedef enum mlcrt_operand_flags {
  /* Since 2.8, of a step segment of train_grad: a variable that the segment calls the service await_operand for before
   * it reads it, or a sum that it calls operand_done for when it touches it no more. Of others the runtime waits before
   * the segment runs, and knows that they are done when it has run. */
  MLCRT_OPERAND_SIGNALLED = 1,
} mlcrt_operand_flags;

typedef struct mlcrt_operand {
  int32_t source; /* mlcrt_source */
  int32_t index;
  int32_t access; /* mlcrt_access */
  int32_t flags;  /* mlcrt_operand_flags */
} mlcrt_operand;

typedef enum mlcrt_segment_kind {
  MLCRT_SEGMENT_STEP = 0,
  MLCRT_SEGMENT_FEATURES = 1, /* reads no state: input threads may run it ahead of the step */
  MLCRT_SEGMENT_CALLED = 2,   /* runs when a segment of the entry calls it (call_segment), any number of times */
} mlcrt_segment_kind;

typedef struct mlcrt_segment {
  const char *name;
  int32_t kind; /* mlcrt_segment_kind */
  int32_t num_operands;
  const mlcrt_operand *operands;
  mlcrt_segment_fn run;
  mlcrt_workspace_fn workspace_size; /* null: needs none */
} mlcrt_segment;

typedef enum mlcrt_role {
  MLCRT_ROLE_OTHER = 0,
  /* Writes every variable of lifetime train. Since 2.10 a segment with the context's first_row writes one variable: the
   * rows that its buffer has, from that row of the variable on; symbol 0 is their number. Of a variable that is several
   * tensors (mlcrt_named_rows) it is called for each of them, and first_row counts within the tensor. */
  MLCRT_ROLE_INIT = 1,
  MLCRT_ROLE_TRAIN = 2,         /* the fused step: output "loss" and others */
  MLCRT_ROLE_TRAIN_GRAD = 3,    /* rows of a virtual shard -> sums */
  MLCRT_ROLE_TRAIN_COMBINE = 4, /* sums a, b -> sums */
  MLCRT_ROLE_TRAIN_APPLY = 5,   /* sums -> state, the outputs of train */
  MLCRT_ROLE_EVAL_RESET = 6,    /* writes every variable of lifetime eval */
  MLCRT_ROLE_EVAL_UPDATE = 7,
  MLCRT_ROLE_EVAL_RESULT = 8, /* outputs: the metrics under their names */
  MLCRT_ROLE_PREDICT = 9,     /* outputs: the prediction keys, first dimension = rows */
  MLCRT_ROLE_SUMMARY = 10,    /* outputs: what a summary of training shows beside the step's, by tag */
  /* What train_apply does as functions over ranges of rows (mlcrt_update); of each any number. */
  MLCRT_ROLE_TRAIN_PARTIAL = 11, /* rows of variables and sums -> shared values of the rows */
  MLCRT_ROLE_TRAIN_SHARED = 12,  /* sums, shared values of all rows -> shared values; outputs, state that stays whole */
  MLCRT_ROLE_TRAIN_UPDATE = 13,  /* rows of variables and sums, shared values -> the rows of the variables */
} mlcrt_role;

typedef struct mlcrt_entry {
  const char *name;
  int32_t role; /* mlcrt_role */
  int32_t num_segments;
  const mlcrt_segment *segments; /* run in this order, but for called ones */
  int32_t num_intermediates;
  int32_t num_outputs;
  const mlcrt_value *intermediates;
  const mlcrt_value *outputs;
} mlcrt_entry;

/* One function of the update over ranges of rows, an entry of one segment without intermediates. They run in the order
 * of the table; all ranges of a function before the next one, if that reads what they write.
 *
 * train_shared runs once, on whole variables and sums; the entries of a sparse sum that it reads are those of all
 * ranges. train_partial and train_update run for ranges [begin, end) of `rows` rows that are not empty and cover them,
 * each on rows [begin, end) of its variables and of its dense sums. Of a sparse sum "t" they get the entries whose ids
 * lie in the range: "t.ids" less begin, "t.rows", "t.count". Where its parts are [rows, k, ...], so are these, with
 * rows for at least that many entries.
 *
 * operands[i] is operand i of the segment as the call has it. The symbol `rows_symbol` is the number of rows of the
 * range, another one the number of rows of the buffers of a sparse sum's entries, in train_shared of those of all
 * ranges. What train_partial writes is of dimension `rows_symbol`, one number for each row, or has a sum's symbol, one
 * for each entry: those of all ranges, one behind the other without what lies behind the entries that count, are what
 * train_shared reads. */
typedef struct mlcrt_update {
  int32_t entry;       /* index into entries */
  int32_t rows_symbol; /* 0 if no operand has rows of the range: of train_shared, and of sparse sums alone */
  int64_t rows;        /* of the whole variables; 0 of train_shared */
  int64_t num_operands;
  const mlcrt_value *operands;
} mlcrt_update;

typedef enum mlcrt_pull_flags {
  /* Since 2.9: the step segments use the intermediate as numbers of rows of variables that have a pull of it, and for
   * nothing else. Where that holds for all pulls of a variable, its rows may be given other numbers, below the number
   * of its rows: in the intermediate, and in the memory that a segment gets for the variable. */
  MLCRT_PULL_NAMES_ROWS = 1,
} mlcrt_pull_flags;

/* Rows of a variable that the step segments of train_grad or summary, since 2.10 also eval_update or predict, read:
 * those whose numbers are elements of an intermediate, i64, that a features segment of the entry writes, so that they
 * are known ahead of the step. Elements that number no row count for nothing. A variable has one for each such
 * intermediate; of one that has any, the entry reads no other row. It is stored row-major. */
typedef struct mlcrt_pull {
  int32_t entry;        /* index into entries */
  int32_t intermediate; /* index into the entry's intermediates */
  int32_t variable;     /* index into variables */
  int32_t flags;        /* mlcrt_pull_flags */
} mlcrt_pull;

typedef enum mlcrt_variable_flags {
  MLCRT_VARIABLE_TRAINABLE = 1,
  MLCRT_VARIABLE_EVAL = 2,   /* lifetime eval: not in checkpoints */
  MLCRT_VARIABLE_SPARSE = 4, /* only gathered: its gradient is rows */
  MLCRT_VARIABLE_RACY = 8,   /* segments take no lock for it */
} mlcrt_variable_flags;

/* Converts rows [row0, row1) between logical row-major and storage layout. */
typedef void (*mlcrt_repack_fn)(const void *from, void *to, int64_t row0, int64_t row1);

typedef struct mlcrt_variable {
  mlcrt_value value;      /* logical shape, static */
  int32_t flags;          /* mlcrt_variable_flags */
  int32_t slot_of;        /* index of the variable this is an optimizer slot of, or -1 */
  const char *slot;       /* name of the slot ("accumulator"), or null */
  int64_t storage_bytes;  /* 0: logical row-major, no padding */
  mlcrt_repack_fn pack;   /* logical -> storage; null: the same */
  mlcrt_repack_fn unpack; /* storage -> logical; null: the same */
} mlcrt_variable;

/* Since 2.11. A variable may be several tensors of one dtype and one shape of rows, stored row-major one after another:
 * segments, sums, pulls and ranges of rows see the variable; checkpoints, exports and messages see the tensors by their
 * names, and the variable's own name is in none of them. A slot of such a variable is several tensors of the same
 * numbers of rows: tensor i of the slot is the slot of tensor i of the variable. */
typedef struct mlcrt_named_rows {
  const char *name; /* no other tensor or variable has it */
  int32_t variable; /* index into variables */
  int32_t reserved; /* 0 */
  int64_t rows;     /* > 0 */
} mlcrt_named_rows;

/* A vocabulary: term i stands at data[offsets[i] .. offsets[i+1]) (strings) or at ints[i]. */
typedef struct mlcrt_table {
  const char *name;
  int32_t dtype; /* MLCRT_STRING or MLCRT_I64 */
  int32_t reserved;
  int64_t num_terms;
  const char *data;
  const int64_t *offsets; /* num_terms + 1 */
  const int64_t *ints;
  int64_t num_oov;
  int64_t default_value;
} mlcrt_table;

typedef enum mlcrt_queue_kind {
  MLCRT_QUEUE_FIFO = 0,
  MLCRT_QUEUE_RANDOM_SHUFFLE = 1,
  MLCRT_QUEUE_PADDING_FIFO = 2,
  MLCRT_QUEUE_PRIORITY = 3, /* the first component is a scalar i64; the least leaves first */
} mlcrt_queue_kind;

/* A bounded queue of elements, each a tensor for each component. A dimension < 0 of a component (of a padding queue
 * alone) is each element's own. */
typedef struct mlcrt_queue {
  const char *name;
  int32_t kind; /* mlcrt_queue_kind */
  int32_t num_components;
  int64_t capacity;
  int64_t min_after_dequeue; /* what stays behind in an open random-shuffle queue */
  int64_t seed;
  const mlcrt_value *components; /* a queue holds copies of strings */
} mlcrt_queue;

/* A part of an entry that is placed on several devices: an entry itself. All parts of an entry run at once, each on the
 * features of the batch, with one context and the symbols of all features that any of them reads; the first has the
 * role, the name and the outputs, the others are of role OTHER. They are done when all are. */
typedef struct mlcrt_part {
  int32_t part;   /* index into entries; equal to `entry` for the first one */
  int32_t entry;  /* index into entries */
  int32_t device; /* index into mlcrt_artifact.devices */
  int32_t reserved;
} mlcrt_part;

/* A queue over which two parts of an entry talk: empty before and behind each run. */
typedef struct mlcrt_channel {
  int32_t queue;    /* index into queues */
  int32_t entry;    /* whose parts: index into entries, of the first one */
  int32_t from, to; /* indices into devices: who puts in, who takes out */
} mlcrt_channel;

/* A setting that may change at start (stage START): scalar, f64 or i64 in settings, as `dtype` in the buffer. */
typedef struct mlcrt_setting {
  const char *path; /* "model.dnn.optimizer.adagrad.learning_rate" */
  int32_t dtype;
  int32_t reserved;
  double f64;
  int64_t i64;
} mlcrt_setting;

typedef struct mlcrt_artifact {
  uint32_t struct_size;
  uint32_t version; /* MLCRT_ABI_VERSION of the compiler */
  const char *name;
  const char *state_fingerprint; /* hex; guards checkpoints */
  const char *plan_fingerprint;  /* hex; guards peers */
  const char *cpu_features;      /* comma-separated LLVM names that the code needs: "avx2,fma" */
  const char *manifest;          /* JSON: settings table, input format, columns, head, provenance (docs/manifest.md) */
  int32_t num_features, num_variables, num_settings, num_tables, num_sums, num_entries;
  const mlcrt_value *features;
  const mlcrt_variable *variables;
  const mlcrt_setting *settings;
  const mlcrt_table *tables;
  const mlcrt_value *sums;
  const mlcrt_entry *entries;
  const void *ptx_blobs; /* reserved for device code: null */
  int64_t num_ptx_blobs;
  /* Since 2.2. */
  const mlcrt_dimension *dimensions; /* by ascending symbol */
  int64_t num_dimensions;
  /* A shared object with the predict entry alone, for exports; null: none. Its table has the name, the fingerprints and
   * the manifest of this one. */
  const void *predict_image;
  int64_t predict_image_bytes;
  /* Since 2.4. */
  const mlcrt_queue *queues;
  int64_t num_queues;
  /* Since 2.6. The update of the state by ranges of rows; none: by train_apply alone. */
  const mlcrt_update *updates; /* in the order they run */
  int64_t num_updates;
  const mlcrt_value *shared; /* values that its functions exchange, of all rows */
  int64_t num_shared;
  /* Since 2.7. */
  const mlcrt_pull *pulls; /* by entry and variable */
  int64_t num_pulls;
  /* Since 2.8. Of a program that is placed: entries that are not among the parts run as one, anywhere. */
  const char *const *devices; /* "/job:ps/task:1/device:CPU:0", or within one process "/device:CPU:1" */
  int64_t num_devices;        /* 0: not placed */
  const mlcrt_part *parts;    /* those of an entry in a row, the first one first */
  int64_t num_parts;
  const mlcrt_channel *channels;
  int64_t num_channels;
  /* Since 2.11. By variable, those of one in the order of its rows and together all of its rows; a variable without any
   * is one tensor. */
  const mlcrt_named_rows *named_rows;
  int64_t num_named_rows;
} mlcrt_artifact;

typedef const mlcrt_artifact *(*mlcrt_artifact_query_fn)(uint32_t max_version, void *reserved);

#ifdef __cplusplus
#define MLCRT_STATIC_ASSERT static_assert
#else
#define MLCRT_STATIC_ASSERT _Static_assert
#endif
MLCRT_STATIC_ASSERT(sizeof(mlcrt_string) == 16, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_buffer) == 64, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_frame) == 48, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_value) == 64, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_operand) == 16, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_segment) == 40, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_entry) == 48, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_variable) == 104, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_named_rows) == 24, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_table) == 64, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_setting) == 32, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_dimension) == 24, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_queue) == 48, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_update) == 32, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_pull) == 16, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_part) == 16, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_channel) == 16, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_artifact) == 296, "abi");

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MLCRT_ABI_H */
