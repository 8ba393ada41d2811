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

#define MLCRT_ABI_MAJOR 3
#define MLCRT_ABI_MINOR 5
#define MLCRT_ABI_VERSION ((MLCRT_ABI_MAJOR << 16) | MLCRT_ABI_MINOR)
#define MLCRT_ARTIFACT_QUERY_SYMBOL "mlc_artifact_query"
/* Alignment of every buffer and workspace in host memory, in bytes; other spaces have one of their own
 * (mlcrt_space.alignment). */
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

/* A tensor in memory. Dims and strides belong to who made the buffer and stay until the call is over; the callee may
 * write the dims of what it may write (mlcrt_access), within the memory that is there. A scalar has rank 0 and no dims.
 */
typedef struct mlcrt_buffer {
  void *data;    /* element (0, ..., 0), in memory of the operand's space */
  int32_t dtype; /* mlcrt_dtype */
  int32_t rank;
  int64_t *dims;          /* `rank` of them */
  const int64_t *strides; /* elements from one to the next of each dimension; null: dense, row-major */
} mlcrt_buffer;

/* Bytes of a memory space. */
typedef struct mlcrt_memory {
  void *data;
  int64_t bytes;
} mlcrt_memory;

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
  mlcrt_buffer *buffers;          /* one for each operand of the segment, in its order */
  const mlcrt_memory *workspaces; /* one for each of the segment's, in its order; aligned as their space says */
} mlcrt_frame;

/* Runs a segment, on the host: what it does on a device it asks for by the services of devices. It allocates nothing
 * but from the arena, and blocks on nothing but queues, await_operand and device_wait: a segment that uses a queue has
 * no operand that is a variable, since the runtime holds locks for those. */
typedef int32_t (*mlcrt_segment_fn)(mlcrt_frame *frame);
/* Bytes of workspace for the given values of the artifact's dimension symbols (all of them, mlcrt_value.dims) and
 * thread count. */
typedef int64_t (*mlcrt_workspace_fn)(const int64_t *symbols, int64_t threads);

/* Memory that a segment gets while it runs. What is in it is nobody's; it grows between calls alone. */
typedef struct mlcrt_workspace {
  int32_t space; /* index into spaces, MLCRT_SPACE_HOST for host memory; one workspace for each */
  int32_t reserved;
  mlcrt_workspace_fn size;
} mlcrt_workspace;

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
  MLCRT_SOURCE_MATRIX = 12,    /* index into mlcrt_artifact.matrices: features of the batch side by side */
  MLCRT_SOURCE_STEP = 13,      /* index 0: the step buffer, i64 [cells] */
  MLCRT_SOURCE_ERROR = 14,     /* index 0: the error slot, a scalar u64 that the segment reads and lowers */
} mlcrt_source;

/* The step buffer: every scalar of the call in one block, aligned as a buffer, so that one copy brings them to a device
 * whose code reads them there and is the same for all calls. A cell has 8 bytes and its scalar, of its dtype, at the
 * begin: contexts by mlcrt_context, then settings by index, then the values of the dimension symbols from 0 on.
 * Operands of source CONTEXT, SETTING and DIMENSION are cells of it. Constant while a segment runs. */
#define MLCRT_STEP_SETTINGS 8
#define MLCRT_STEP_SYMBOLS(num_settings) (MLCRT_STEP_SETTINGS + (int64_t)(num_settings))

/* The error slot: MLCRT_NO_ERROR, or the row of the call at fault (MLCRT_NO_ROW: none) and the check that failed, an
 * index into mlcrt_artifact.checks. Who finds an error lowers the slot by an atomic minimum, so that of several the
 * least row stays, of one row the least check, whatever ran first; it goes on with anything that harms no memory. What
 * updates state in a segment with this operand does so only where the slot has no error; the runtime looks at it when
 * the segment has run (on a device: when device_wait returns), and fails the step. The service report_error lowers the
 * call's slot, too: its errors come after the checks of the same row. */
#define MLCRT_NO_ERROR UINT64_MAX
#define MLCRT_NO_ROW (((int64_t)1 << 40) - 1)
#define MLCRT_ERROR(row, check) ((uint64_t)(row) << 24 | (uint64_t)(check))
#define MLCRT_ERROR_CHECK_BITS 24
#define MLCRT_MAX_CHECKS ((1 << MLCRT_ERROR_CHECK_BITS) - 2)

/* A check of compiled code that reports through the error slot. */
typedef struct mlcrt_check {
  int32_t code; /* mlcrt_code, not 0 */
  int32_t reserved;
  const char *message; /* what is wrong, UTF-8 */
} mlcrt_check;

/* Scalars that the runtime gives each call. */
typedef enum mlcrt_context {
  MLCRT_CONTEXT_SEED = 0,      /* i64: the run's seed */
  MLCRT_CONTEXT_STEP = 1,      /* i64: step that keys randomness (the one before the increment) */
  MLCRT_CONTEXT_FIRST_ROW = 2, /* i64: number of the call's first row in the global batch */
  /* Of segments of init that write rows: the bits of FarmHash's Fingerprint64 of the name of the tensor
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
 *   "tags"         the values of all rows, one after the other: dims [symbol k] or [symbol k, static ...]
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
 * and the dims that are not static of the buffer, which comes with data null and static dims. */
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

/* A named, typed place: feature, intermediate, output or sum. Any rank. */
typedef struct mlcrt_value {
  const char *name;
  int32_t dtype;
  int32_t rank;
  const int64_t *dims; /* `rank` of them */
} mlcrt_value;
#ifndef __cplusplus
/* Rank and dims of a mlcrt_value in a table that is written in C: {"x", MLCRT_F32, MLCRT_DIMS(MLCRT_DIM_SYMBOL(0), 3)};
 * of a scalar MLCRT_SCALAR. */
#define MLCRT_DIMS(...)                                                                                                \
  (int32_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]) { __VA_ARGS__ }
#endif
#define MLCRT_SCALAR 0, NULL

/* A column of a matrix: a feature of the rows of the batch (first dimension symbol 0, the others static). */
typedef struct mlcrt_column {
  int32_t feature; /* index into features; of one matrix at most, once */
  int32_t reserved;
  int64_t offset; /* elements from the begin of a row to the feature's first one; they follow one another */
} mlcrt_column;

/* Features of one dtype side by side: element (r, ..., j) of a feature lies at r * width + offset + j, for j the linear
 * index within the row. Who reads the batch may put them there at once, so that no code has to, and a batch goes to a
 * device in one copy; where the batch does not hold them so, the runtime puts them there before the segment runs. An
 * operand of source FEATURE gets a feature that is a column dense all the same, unless it is MLCRT_OPERAND_STRIDED. */
typedef struct mlcrt_matrix {
  mlcrt_value value; /* dims: symbol 0, width */
  int64_t num_columns;
  const mlcrt_column *columns; /* by ascending offset, with nothing between them */
} mlcrt_matrix;

typedef enum mlcrt_operand_flags {
  /* Of a step segment of train_grad: a variable that the segment calls the service await_operand for before
   * it reads it, or a sum that it calls operand_done for when it touches it no more. Of others the runtime waits before
   * the segment runs, and knows that they are done when it has run. */
  MLCRT_OPERAND_SIGNALLED = 1,
  /* Of a feature: its buffer may have strides. Buffers of other operands have none. */
  MLCRT_OPERAND_STRIDED = 2,
} mlcrt_operand_flags;

/* A device that segments work on beside the host. A process may have several of one kind: the name tells which. */
typedef struct mlcrt_device {
  const char *name; /* "/job:ps/task:1/device:CPU:0", or within one process "/device:CUDA:1" */
  const char *kind; /* "cpu": the host itself; "cuda", or another kind that the runtime has been given */
} mlcrt_device;
#define MLCRT_DEVICE_HOST (-1) /* in place of an index into devices */

/* Memory that buffers lie in. Host memory is always there and in no list. */
typedef struct mlcrt_space {
  const char *name;  /* for messages */
  int32_t device;    /* index into devices, whose memory it is */
  int32_t reserved;  /* 0 */
  int64_t alignment; /* of buffers and workspaces in it: a power of two, at least MLCRT_ALIGNMENT */
} mlcrt_space;
#define MLCRT_SPACE_HOST 0 /* space k > 0 is spaces[k - 1] */

typedef enum mlcrt_image_kind {
  MLCRT_IMAGE_PTX = 1,    /* a text that ends in a null byte (which counts), for `chip` and later ones */
  MLCRT_IMAGE_CUBIN = 2,  /* for `chip` alone */
  MLCRT_IMAGE_OBJECT = 3, /* what a device of another kind makes kernels of */
} mlcrt_image_kind;

typedef enum mlcrt_image_flags {
  MLCRT_IMAGE_CHIP_SUMS = 1, /* some kernels add in an order of the chip's: on other chips results differ */
} mlcrt_image_flags;

/* Kernels as a kind of device loads them. Of those of its kind a device takes code for exactly its chip, else PTX for
 * the latest chip that is none later than its own ("sm_90a": for this chip alone, "sm_100f": for later ones of its
 * family). A kernel that this image does not have is that of the next best one; together they have all that segments
 * launch on devices of the kind. */
typedef struct mlcrt_image {
  const char *device_kind; /* as mlcrt_device.kind */
  const char *chip;        /* "sm_80", "sm_90a" */
  int32_t kind;            /* mlcrt_image_kind */
  int32_t flags;           /* mlcrt_image_flags */
  const void *data;
  int64_t bytes;
} mlcrt_image;

typedef struct mlcrt_operand {
  int32_t source; /* mlcrt_source */
  int32_t index;
  int32_t access; /* mlcrt_access */
  int32_t flags;  /* mlcrt_operand_flags */
  int32_t space;  /* where the segment gets its buffer: MLCRT_SPACE_HOST, or k > 0 for spaces[k - 1] */
  int32_t reserved;
} mlcrt_operand;

typedef enum mlcrt_segment_kind {
  MLCRT_SEGMENT_STEP = 0,
  MLCRT_SEGMENT_FEATURES = 1, /* reads no state: input threads may run it ahead of the step */
  MLCRT_SEGMENT_CALLED = 2,   /* runs when a segment of the entry calls it (call_segment), any number of times */
} mlcrt_segment_kind;

typedef enum mlcrt_segment_flags {
  /* Of a segment with a device: what it asks of the device depends on the dims of its buffers and on the addresses of
   * buffers and workspaces in the device's spaces alone. It asks for launches and for copies within these spaces, takes
   * no memory, waits for nothing, and writes nothing in host memory but dims of buffers. So it may run once for many
   * calls: what it asked for is done again (a captured graph), and what differs between calls is read on the device,
   * from the step buffer. */
  MLCRT_SEGMENT_CAPTURABLE = 1,
} mlcrt_segment_flags;

/* Buffers in the spaces of a device are ready for what the segment asks that device for, in order, and for no other.
 * What the runtime brings there, and takes back when the segment has run: features, intermediates, outputs, sums, and
 * variables between their homes. */
typedef struct mlcrt_segment {
  const char *name;
  int32_t kind;   /* mlcrt_segment_kind */
  int32_t device; /* MLCRT_DEVICE_HOST, or an index into devices: which the services of devices mean */
  int32_t flags;  /* mlcrt_segment_flags */
  int32_t num_operands;
  const mlcrt_operand *operands;
  mlcrt_segment_fn run;
  int64_t num_workspaces;
  const mlcrt_workspace *workspaces;
} mlcrt_segment;

typedef enum mlcrt_role {
  MLCRT_ROLE_OTHER = 0,
  /* Writes every variable of lifetime train. A segment with the context's first_row writes one variable: the
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
 * for each entry: those of all ranges, one after the other without what lies after the entries that count, are what
 * train_shared reads. */
typedef struct mlcrt_update {
  int32_t entry;       /* index into entries */
  int32_t rows_symbol; /* 0 if no operand has rows of the range: of train_shared, and of sparse sums alone */
  int64_t rows;        /* of the whole variables; 0 of train_shared */
  int64_t num_operands;
  const mlcrt_value *operands;
} mlcrt_update;

typedef enum mlcrt_pull_flags {
  /* The step segments use the intermediate as numbers of rows of variables that have a pull of it, and for
   * nothing else. Where that holds for all pulls of a variable, its rows may be given other numbers, below the number
   * of its rows: in the intermediate, and in the memory that a segment gets for the variable. */
  MLCRT_PULL_NAMES_ROWS = 1,
} mlcrt_pull_flags;

/* Rows of a variable that the step segments of train_grad, summary, eval_update or predict read:
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

typedef enum mlcrt_home_flags {
  /* The home has the rows alone that pulls of the entry name, of a table that is too large for it: the entry's segments
   * get those, one after the other, and the intermediates of the pulls number them so (MLCRT_PULL_NAMES_ROWS). */
  MLCRT_HOME_ROWS = 1,
} mlcrt_home_flags;

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

/* A place that keeps the value of a variable beside host memory. A segment gets the variable where its operand says: in
 * host memory, or in a space of its homes. The runtime copies between them what has changed elsewhere, before a segment
 * reads it. */
typedef struct mlcrt_home {
  int32_t variable; /* index into variables; stored row-major */
  int32_t space;    /* k > 0 for spaces[k - 1] */
  int32_t flags;    /* mlcrt_home_flags */
  int32_t reserved;
} mlcrt_home;

/* A variable may be several tensors of one dtype and one shape of rows, stored row-major one after another:
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
  int32_t device; /* index into devices */
  int32_t reserved;
} mlcrt_part;

/* A queue over which two parts of an entry talk: empty before and after each run. */
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
  const mlcrt_image *images;
  int64_t num_images;
  const mlcrt_dimension *dimensions; /* by ascending symbol */
  int64_t num_dimensions;
  /* A shared object with the predict entry alone, for exports; null: none. Its table has the name, the fingerprints and
   * the manifest of this one. */
  const void *predict_image;
  int64_t predict_image_bytes;
  const mlcrt_queue *queues;
  int64_t num_queues;
  /* The update of the state by ranges of rows; none: by train_apply alone. */
  const mlcrt_update *updates; /* in the order they run */
  int64_t num_updates;
  const mlcrt_value *shared; /* values that its functions exchange, of all rows */
  int64_t num_shared;
  const mlcrt_pull *pulls; /* by entry and variable */
  int64_t num_pulls;
  const mlcrt_device *devices;
  int64_t num_devices;
  /* Of a program that is placed: entries that are not among the parts run as one, anywhere. */
  const mlcrt_part *parts; /* those of an entry in a row, the first one first */
  int64_t num_parts;
  const mlcrt_channel *channels;
  int64_t num_channels;
  /* By variable, those of one in the order of its rows and together all of its rows; a variable without any
   * is one tensor. */
  const mlcrt_named_rows *named_rows;
  int64_t num_named_rows;
  const mlcrt_space *spaces; /* beside host memory */
  int64_t num_spaces;
  const mlcrt_home *homes; /* by variable and space; a variable without any is in host memory alone */
  int64_t num_homes;
  const mlcrt_matrix *matrices;
  int64_t num_matrices;
  const mlcrt_check *checks; /* what numbers in the error slot mean */
  int64_t num_checks;
  /* The same model for a process that has no devices: name, manifest, fingerprints, state and entries are this one's.
   * Null: there is no such code. */
  const struct mlcrt_artifact *on_host;
} mlcrt_artifact;

typedef const mlcrt_artifact *(*mlcrt_artifact_query_fn)(uint32_t max_version, void *reserved);

#ifdef __cplusplus
#define MLCRT_STATIC_ASSERT static_assert
#else
#define MLCRT_STATIC_ASSERT _Static_assert
#endif
MLCRT_STATIC_ASSERT(sizeof(mlcrt_string) == 16, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_buffer) == 32, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_memory) == 16, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_frame) == 40, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_workspace) == 16, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_value) == 24, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_column) == 16, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_matrix) == 40, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_check) == 16, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_device) == 16, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_space) == 24, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_image) == 40, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_operand) == 24, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_segment) == 56, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_entry) == 48, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_variable) == 64, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_home) == 16, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_named_rows) == 24, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_table) == 64, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_setting) == 32, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_dimension) == 24, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_queue) == 48, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_update) == 32, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_pull) == 16, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_part) == 16, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_channel) == 16, "abi");
MLCRT_STATIC_ASSERT(sizeof(mlcrt_artifact) == 368, "abi");

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MLCRT_ABI_H */
