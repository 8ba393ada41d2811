/* A hand-written artifact that the runtime's tests run without a compiler.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * It has what a compiled one has: a features segment, a fused train entry and its three parts, evaluation, prediction,
 * a packed variable, a sparse one, a vocabulary, a setting. Entries of role other misbehave in the ways the runtime
 * must survive.
 */
#include "FakeArtifact.h"

#define COUNT(list) (int32_t)(sizeof(list) / sizeof((list)[0]))
#define BATCH MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH)
enum { WIDTH = 3, ROWS = 5, DIM = 2 };

/* w is stored reversed: w_storage[i] = w[WIDTH - 1 - i]. Both directions are the same copy. */
static void reverse_w(const void *from, void *to, int64_t row0, int64_t row1) {
  for (int64_t i = row0; i < row1; ++i)
    ((float *)to)[WIDTH - 1 - i] = ((const float *)from)[i];
}

static void unreverse_w(const void *from, void *to, int64_t row0, int64_t row1) {
  for (int64_t i = row0; i < row1; ++i)
    ((float *)to)[i] = ((const float *)from)[WIDTH - 1 - i];
}

static int64_t scalar(const mlcrt_buffer *buffer) { return *(const int64_t *)buffer->data; }

/* ---- features: (key, y) -> ids, unique, ends, order, count ---- */

static int32_t run_features(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  const mlcrt_services *s = frame->services;
  int64_t n = b[0].dims[0];
  for (int64_t i = 0; i < n; ++i)
    if (((const float *)b[1].data)[i] != ((const float *)b[1].data)[i])
      return s->report_error(frame->env, MLCRT_DATA_ERROR, i, "label 'y' is not a number");
  int32_t code = s->lookup_strings(frame->env, 0, b[0].data, n, b[2].data);
  if (code)
    return code;
  code = s->unique_ids(frame->env, b[2].data, n, b[3].data, b[4].data, b[5].data, b[6].data);
  b[3].dims[0] = scalar(&b[6]);
  return code;
}

/* ---- one row's error, in parallel ---- */

typedef struct rows_args {
  const float *x, *y, *w, *emb;
  const int64_t *ids;
  float *predictions, *errors;
  int64_t noise;
} rows_args;

static int32_t rows_task(void *raw, int64_t first, int64_t last, int64_t worker) {
  const rows_args *a = raw;
  (void)worker;
  for (int64_t i = first; i < last; ++i) {
    float p = 0.0f;
    for (int j = 0; j < WIDTH; ++j)
      p += a->w[WIDTH - 1 - j] * a->x[i * WIDTH + j];
    p += a->emb[a->ids[i] * DIM] + 0.5f * a->emb[a->ids[i] * DIM + 1];
    p += 0.001f * (float)((a->noise + i) % 5);
    if (a->predictions)
      a->predictions[i] = p;
    if (a->errors)
      a->errors[i] = p - a->y[i];
  }
  return MLCRT_OK;
}

typedef struct sums {
  float *loss, *weight, *w;
  int64_t *ids;
  float *rows;
  int64_t *count;
} sums;

/* b: x, y, ids, unique, ends, order, count, w, emb, seed, step, first_row. errors: one f32 for each row. */
static int32_t sum_rows(mlcrt_frame *frame, float *errors, sums out) {
  mlcrt_buffer *b = frame->buffers;
  const int64_t n = b[0].dims[0], u = scalar(&b[6]);
  if (b[3].dims[0] != u)
    return frame->services->report_error(frame->env, MLCRT_INTERNAL, -1, "dims of 'unique' were not passed on");
  rows_args args = {b[0].data, b[1].data, b[7].data, b[8].data,
                    b[2].data, 0,         errors,    scalar(&b[9]) + 7 * scalar(&b[10]) + scalar(&b[11])};
  int32_t code = frame->services->parallel_for(frame->env, rows_task, &args, n);
  if (code)
    return code;
  const float *x = b[0].data;
  *out.loss = 0.0f;
  *out.weight = (float)n;
  for (int j = 0; j < WIDTH; ++j)
    out.w[j] = 0.0f;
  for (int64_t i = 0; i < n; ++i) {
    *out.loss += 0.5f * errors[i] * errors[i];
    for (int j = 0; j < WIDTH; ++j)
      out.w[j] += errors[i] * x[i * WIDTH + j];
  }
  const int64_t *unique = b[3].data, *ends = b[4].data, *order = b[5].data;
  for (int64_t k = 0; k < u; ++k) {
    out.ids[k] = unique[k];
    float sum = 0.0f;
    for (int64_t i = k ? ends[k - 1] : 0; i < ends[k]; ++i)
      sum += errors[order[i]];
    out.rows[k * DIM] = sum;
    out.rows[k * DIM + 1] = 0.5f * sum;
  }
  *out.count = u;
  return MLCRT_OK;
}

static void apply_sums(sums in, float rate, float *w, float *emb, int64_t *global_step, float *loss, float *weight) {
  float scale = rate / *in.weight;
  for (int j = 0; j < WIDTH; ++j)
    w[WIDTH - 1 - j] -= scale * in.w[j];
  for (int64_t k = 0; k < *in.count; ++k)
    for (int d = 0; d < DIM; ++d)
      emb[in.ids[k] * DIM + d] -= scale * in.rows[k * DIM + d];
  *global_step += 1;
  *loss = *in.loss / *in.weight;
  *weight = *in.weight;
}

static int64_t train_workspace(const int64_t *symbols, int64_t threads) {
  (void)threads;
  return 64 + symbols[0] * (int64_t)(sizeof(float) + sizeof(int64_t) + DIM * sizeof(float));
}

static int64_t grad_workspace(const int64_t *symbols, int64_t threads) {
  (void)threads;
  return symbols[0] * (int64_t)sizeof(float);
}

/* ... sum_rows' operands, learning_rate, global_step, loss, weight */
static int32_t run_train(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  const int64_t n = b[0].dims[0];
  float *head = frame->workspaces[0].data;
  int64_t *count = (int64_t *)(head + 6);
  int64_t *ids = (int64_t *)(head + 16);
  float *rows = (float *)(ids + n);
  float *errors = rows + n * DIM;
  sums s = {head, head + 1, head + 2, ids, rows, count};
  int32_t code = sum_rows(frame, errors, s);
  if (code)
    return code;
  apply_sums(s, *(const float *)b[12].data, b[7].data, b[8].data, b[13].data, b[14].data, b[15].data);
  return MLCRT_OK;
}

static sums sums_at(mlcrt_buffer *b) {
  sums s = {b[0].data, b[1].data, b[2].data, b[3].data, b[4].data, b[5].data};
  return s;
}

/* ... sum_rows' operands, 6 sums; says nothing */
static int32_t run_quiet_grad(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  if (b[15].dims[0] < b[0].dims[0])
    return frame->services->report_error(frame->env, MLCRT_INTERNAL, -1, "no room for the sums of a shard");
  int32_t code = sum_rows(frame, frame->workspaces[0].data, sums_at(b + 12));
  if (code == MLCRT_OK)
    b[15].dims[0] = b[16].dims[0] = scalar(&b[17]);
  return code;
}

/* The same with signals, of sums from the last to the first. */
static int32_t run_grad(mlcrt_frame *frame) {
  for (int64_t operand = 7; operand <= 8; ++operand) {
    int32_t code = frame->services->await_operand(frame->env, operand);
    if (code)
      return code;
  }
  int32_t code = run_quiet_grad(frame);
  for (int64_t operand = 17; code == MLCRT_OK && operand >= 12; --operand)
    code = frame->services->operand_done(frame->env, operand);
  return code;
}

/* 6 sums a, 6 sums b, 6 sums out */
static int32_t run_combine(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  sums l = sums_at(b), r = sums_at(b + 6), o = sums_at(b + 12);
  *o.loss = *l.loss + *r.loss;
  *o.weight = *l.weight + *r.weight;
  for (int j = 0; j < WIDTH; ++j)
    o.w[j] = l.w[j] + r.w[j];
  int32_t code = frame->services->merge_rows_f32(frame->env, l.ids, l.rows, *l.count, r.ids, r.rows, *r.count, DIM,
                                                 o.ids, o.rows, o.count);
  b[15].dims[0] = b[16].dims[0] = *o.count;
  return code;
}

/* 6 sums, learning_rate, w, emb, global_step, loss, weight */
static int32_t run_apply(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  apply_sums(sums_at(b), *(const float *)b[6].data, b[7].data, b[8].data, b[9].data, b[10].data, b[11].data);
  return MLCRT_OK;
}

/* ---- the same over ranges of the rows of emb ---- */

/* emb.ids, emb.rows, emb.count, emb, first: the first number of each entry */
static int32_t run_partial(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  if (b[4].dims[0] != scalar(&b[2]) || b[0].dims[0] != scalar(&b[2]))
    return frame->services->report_error(frame->env, MLCRT_INTERNAL, -1, "a partial value of another size");
  for (int64_t k = 0; k < scalar(&b[2]); ++k) {
    if (((const int64_t *)b[0].data)[k] >= b[3].dims[0])
      return frame->services->report_error(frame->env, MLCRT_INTERNAL, -1, "an id that is not of the range");
    ((float *)b[4].data)[k] = ((const float *)b[1].data)[k * DIM];
  }
  return MLCRT_OK;
}

/* loss, weight, w (sums), emb.count, learning_rate, w, global_step, first, scale, loss, weight */
static int32_t run_shared(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  if (b[7].dims[0] != scalar(&b[3]))
    return frame->services->report_error(frame->env, MLCRT_INTERNAL, -1, "partial values of not all entries");
  int64_t none = 0;
  sums in = {b[0].data, b[1].data, b[2].data, 0, 0, &none};
  apply_sums(in, *(const float *)b[4].data, b[5].data, 0, b[6].data, b[9].data, b[10].data);
  *(float *)b[8].data = *(const float *)b[4].data / *in.weight;
  return MLCRT_OK;
}

/* emb.ids, emb.rows, emb.count, emb, scale */
static int32_t run_update(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  for (int64_t k = 0; k < scalar(&b[2]); ++k)
    for (int d = 0; d < DIM; ++d)
      ((float *)b[3].data)[((const int64_t *)b[0].data)[k] * DIM + d] -=
          *(const float *)b[4].data * ((const float *)b[1].data)[k * DIM + d];
  return MLCRT_OK;
}

/* w, emb, global_step, seed */
static int32_t run_init(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  for (int j = 0; j < WIDTH; ++j)
    ((float *)b[0].data)[WIDTH - 1 - j] = (float)(j + 1);
  for (int i = 0; i < ROWS * DIM; ++i)
    ((float *)b[1].data)[i] = 0.125f * (float)((scalar(&b[3]) + i) % 7);
  *(int64_t *)b[2].data = 0;
  return MLCRT_OK;
}

/* eval_count, eval_sum */
static int32_t run_eval_reset(mlcrt_frame *frame) {
  *(int64_t *)frame->buffers[0].data = 0;
  *(double *)frame->buffers[1].data = 0.0;
  return MLCRT_OK;
}

/* y, eval_count, eval_sum */
static int32_t run_eval_update(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  for (int64_t i = 0; i < b[0].dims[0]; ++i)
    *(double *)b[2].data += ((const float *)b[0].data)[i];
  *(int64_t *)b[1].data += b[0].dims[0];
  return MLCRT_OK;
}

/* eval_count, eval_sum, label/mean, examples */
static int32_t run_eval_result(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  *(double *)b[2].data = *(const double *)b[1].data / (double)scalar(&b[0]);
  *(int64_t *)b[3].data = scalar(&b[0]);
  return MLCRT_OK;
}

/* key, x, w, emb, prediction, id */
static int32_t run_predict(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  int64_t n = b[1].dims[0];
  int32_t code = frame->services->lookup_strings(frame->env, 0, b[0].data, n, b[5].data);
  if (code)
    return code;
  rows_args args = {b[1].data, 0, b[2].data, b[3].data, b[5].data, b[4].data, 0, 0};
  return frame->services->parallel_for(frame->env, rows_task, &args, n);
}

/* ---- entries that misbehave ---- */

static int32_t run_silent(mlcrt_frame *frame) {
  (void)frame;
  return MLCRT_INVALID_ARGUMENT;
}

static int32_t run_grows(mlcrt_frame *frame) {
  frame->buffers[0].dims[0] = 1000000;
  return MLCRT_OK;
}

static int32_t bad_row_task(void *raw, int64_t first, int64_t last, int64_t worker) {
  mlcrt_frame *frame = raw;
  (void)worker;
  for (int64_t i = first; i < last; ++i)
    if (i % 10 == 7)
      return frame->services->report_error(frame->env, MLCRT_DATA_ERROR, i, "a row that ends in 7");
  return MLCRT_OK;
}

static int32_t run_bad_rows(mlcrt_frame *frame) {
  return frame->services->parallel_for(frame->env, bad_row_task, frame, 1000);
}

/* An error that compiled code reports but does not pass on. */
static int32_t run_swallows(mlcrt_frame *frame) {
  frame->services->report_error(frame->env, MLCRT_INVALID_ARGUMENT, -1, "swallowed");
  return MLCRT_OK;
}

static int64_t negative_workspace(const int64_t *symbols, int64_t threads) { return -symbols[0] - threads; }

static int32_t run_nothing(mlcrt_frame *frame) {
  (void)frame;
  return MLCRT_OK;
}

/* ---- the table ---- */

#define R MLCRT_READ
#define W MLCRT_WRITE
#define RW MLCRT_READ_WRITE
#define OPERAND(source, index, access) {MLCRT_SOURCE_##source, index, access, 0, MLCRT_SPACE_HOST, 0}

static const mlcrt_value features[] = {{"x", MLCRT_F32, MLCRT_DIMS(BATCH, WIDTH)},
                                       {"key", MLCRT_STRING, MLCRT_DIMS(BATCH)},
                                       {"y", MLCRT_F32, MLCRT_DIMS(BATCH)}};

static const mlcrt_variable variables[] = {
    {{"w", MLCRT_F32, MLCRT_DIMS(WIDTH)}, MLCRT_VARIABLE_TRAINABLE, -1, 0, 64, reverse_w, unreverse_w},
    {{"emb", MLCRT_F32, MLCRT_DIMS(ROWS, DIM)}, MLCRT_VARIABLE_TRAINABLE | MLCRT_VARIABLE_SPARSE, -1, 0, 0, 0, 0},
    {{"global_step", MLCRT_I64, MLCRT_SCALAR}, 0, -1, 0, 0, 0, 0},
    {{"eval/count", MLCRT_I64, MLCRT_SCALAR}, MLCRT_VARIABLE_EVAL, -1, 0, 0, 0, 0},
    {{"eval/sum", MLCRT_F64, MLCRT_SCALAR}, MLCRT_VARIABLE_EVAL, -1, 0, 0, 0, 0}};

static const mlcrt_setting settings[] = {{"optimizer.learning_rate", MLCRT_F32, 0, 0.1, 0},
                                         {"model.width", MLCRT_I32, 0, 0.0, 3},
                                         {"model.flag", MLCRT_BOOL, 0, 0.0, 1}};

static const int64_t offsets[] = {0, 1, 2, 3};
static const int64_t codes[] = {40, -7};
static const mlcrt_table tables[] = {{"keys", MLCRT_STRING, 0, 3, "abc", offsets, 0, 2, -1},
                                     {"codes", MLCRT_I64, 0, 2, 0, 0, codes, 0, -1}};

static const mlcrt_value sum_values[] = {{"loss", MLCRT_F32, MLCRT_SCALAR},
                                         {"weight", MLCRT_F32, MLCRT_SCALAR},
                                         {"w", MLCRT_F32, MLCRT_DIMS(WIDTH)},
                                         {"emb.ids", MLCRT_I64, MLCRT_DIMS(BATCH)},
                                         {"emb.rows", MLCRT_F32, MLCRT_DIMS(BATCH, DIM)},
                                         {"emb.count", MLCRT_I64, MLCRT_SCALAR}};

static const mlcrt_value intermediates[] = {{"ids", MLCRT_I64, MLCRT_DIMS(BATCH)},
                                            {"unique", MLCRT_I64, MLCRT_DIMS(BATCH)},
                                            {"ends", MLCRT_I64, MLCRT_DIMS(BATCH)},
                                            {"order", MLCRT_I64, MLCRT_DIMS(BATCH)},
                                            {"count", MLCRT_I64, MLCRT_SCALAR}};

static const mlcrt_value train_outputs[] = {{"loss", MLCRT_F32, MLCRT_SCALAR}, {"weight", MLCRT_F32, MLCRT_SCALAR}};
static const mlcrt_value result_outputs[] = {{"label/mean", MLCRT_F64, MLCRT_SCALAR},
                                             {"examples", MLCRT_I64, MLCRT_SCALAR}};
static const mlcrt_value predict_outputs[] = {{"prediction", MLCRT_F32, MLCRT_DIMS(BATCH)},
                                              {"id", MLCRT_I64, MLCRT_DIMS(BATCH)}};
static const mlcrt_value rows_output[] = {{"rows", MLCRT_F32, MLCRT_DIMS(4)}};

static const mlcrt_operand init_operands[] = {OPERAND(VARIABLE, FAKE_W, W), OPERAND(VARIABLE, FAKE_EMB, W),
                                              OPERAND(VARIABLE, FAKE_GLOBAL_STEP, W),
                                              OPERAND(CONTEXT, MLCRT_CONTEXT_SEED, R)};
static const mlcrt_operand feature_operands[] = {OPERAND(FEATURE, FAKE_FEATURE_KEY, R),
                                                 OPERAND(FEATURE, FAKE_FEATURE_Y, R),
                                                 OPERAND(INTERMEDIATE, 0, W),
                                                 OPERAND(INTERMEDIATE, 1, W),
                                                 OPERAND(INTERMEDIATE, 2, W),
                                                 OPERAND(INTERMEDIATE, 3, W),
                                                 OPERAND(INTERMEDIATE, 4, W)};
#define SIGNALLED(source, index, access)                                                                               \
  {MLCRT_SOURCE_##source, index, access, MLCRT_OPERAND_SIGNALLED, MLCRT_SPACE_HOST, 0}
#define SUM_ROWS_OPERANDS(variable, access)                                                                            \
  OPERAND(FEATURE, FAKE_FEATURE_X, R), OPERAND(FEATURE, FAKE_FEATURE_Y, R), OPERAND(INTERMEDIATE, 0, R),               \
      OPERAND(INTERMEDIATE, 1, R), OPERAND(INTERMEDIATE, 2, R), OPERAND(INTERMEDIATE, 3, R),                           \
      OPERAND(INTERMEDIATE, 4, R), variable(VARIABLE, FAKE_W, access), variable(VARIABLE, FAKE_EMB, access),           \
      OPERAND(CONTEXT, MLCRT_CONTEXT_SEED, R), OPERAND(CONTEXT, MLCRT_CONTEXT_STEP, R),                                \
      OPERAND(CONTEXT, MLCRT_CONTEXT_FIRST_ROW, R)
#define SUMS(side, access)                                                                                             \
  OPERAND(side, 0, access), OPERAND(side, 1, access), OPERAND(side, 2, access), OPERAND(side, 3, access),              \
      OPERAND(side, 4, access), OPERAND(side, 5, access)
static const mlcrt_operand train_operands[] = {SUM_ROWS_OPERANDS(OPERAND, RW), OPERAND(SETTING, 0, R),
                                               OPERAND(VARIABLE, FAKE_GLOBAL_STEP, RW), OPERAND(OUTPUT, 0, W),
                                               OPERAND(OUTPUT, 1, W)};
static const mlcrt_operand quiet_grad_operands[] = {SUM_ROWS_OPERANDS(OPERAND, R), SUMS(SUM_OUT, W)};
static const mlcrt_operand grad_operands[] = {
    SUM_ROWS_OPERANDS(SIGNALLED, R), SIGNALLED(SUM_OUT, 0, W), SIGNALLED(SUM_OUT, 1, W), SIGNALLED(SUM_OUT, 2, W),
    SIGNALLED(SUM_OUT, 3, W),        SIGNALLED(SUM_OUT, 4, W), SIGNALLED(SUM_OUT, 5, W)};
static const mlcrt_operand combine_operands[] = {SUMS(SUM_A, R), SUMS(SUM_B, R), SUMS(SUM_OUT, W)};
static const mlcrt_operand apply_operands[] = {SUMS(SUM_A, R),
                                               OPERAND(SETTING, 0, R),
                                               OPERAND(VARIABLE, FAKE_W, RW),
                                               OPERAND(VARIABLE, FAKE_EMB, RW),
                                               OPERAND(VARIABLE, FAKE_GLOBAL_STEP, RW),
                                               OPERAND(OUTPUT, 0, W),
                                               OPERAND(OUTPUT, 1, W)};
#define EMB_SUMS OPERAND(SUM_A, 3, R), OPERAND(SUM_A, 4, R), OPERAND(SUM_A, 5, R)
static const mlcrt_operand partial_operands[] = {EMB_SUMS, OPERAND(VARIABLE, FAKE_EMB, R), OPERAND(SHARED, 0, W)};
static const mlcrt_operand shared_operands[] = {OPERAND(SUM_A, 0, R),
                                                OPERAND(SUM_A, 1, R),
                                                OPERAND(SUM_A, 2, R),
                                                OPERAND(SUM_A, 5, R),
                                                OPERAND(SETTING, 0, R),
                                                OPERAND(VARIABLE, FAKE_W, RW),
                                                OPERAND(VARIABLE, FAKE_GLOBAL_STEP, RW),
                                                OPERAND(SHARED, 0, R),
                                                OPERAND(SHARED, 1, W),
                                                OPERAND(OUTPUT, 0, W),
                                                OPERAND(OUTPUT, 1, W)};
static const mlcrt_operand range_operands[] = {EMB_SUMS, OPERAND(VARIABLE, FAKE_EMB, RW), OPERAND(SHARED, 1, R)};
static const mlcrt_operand reset_operands[] = {OPERAND(VARIABLE, FAKE_EVAL_COUNT, W),
                                               OPERAND(VARIABLE, FAKE_EVAL_SUM, W)};
static const mlcrt_operand update_operands[] = {
    OPERAND(FEATURE, FAKE_FEATURE_Y, R), OPERAND(VARIABLE, FAKE_EVAL_COUNT, RW), OPERAND(VARIABLE, FAKE_EVAL_SUM, RW)};
static const mlcrt_operand result_operands[] = {OPERAND(VARIABLE, FAKE_EVAL_COUNT, R),
                                                OPERAND(VARIABLE, FAKE_EVAL_SUM, R), OPERAND(OUTPUT, 0, W),
                                                OPERAND(OUTPUT, 1, W)};
static const mlcrt_operand predict_operands[] = {OPERAND(FEATURE, FAKE_FEATURE_KEY, R),
                                                 OPERAND(FEATURE, FAKE_FEATURE_X, R),
                                                 OPERAND(VARIABLE, FAKE_W, R),
                                                 OPERAND(VARIABLE, FAKE_EMB, R),
                                                 OPERAND(OUTPUT, 0, W),
                                                 OPERAND(OUTPUT, 1, W)};
static const mlcrt_operand grows_operands[] = {OPERAND(OUTPUT, 0, W)};

#define NO_WORKSPACE 0, NULL
#define WORKSPACE(size)                                                                                                \
  1, (const mlcrt_workspace[]) {                                                                                       \
    {                                                                                                                  \
      MLCRT_SPACE_HOST, 0, size                                                                                        \
    }                                                                                                                  \
  }
#define SEGMENT(name, kind, operands, run, workspace)                                                                  \
  {name, MLCRT_SEGMENT_##kind, MLCRT_DEVICE_HOST, 0, COUNT(operands), operands, run, workspace}
static const mlcrt_segment init_segments[] = {SEGMENT("init", STEP, init_operands, run_init, NO_WORKSPACE)};
static const mlcrt_segment train_segments[] = {
    SEGMENT("features", FEATURES, feature_operands, run_features, NO_WORKSPACE),
    SEGMENT("step", STEP, train_operands, run_train, WORKSPACE(train_workspace))};
static const mlcrt_segment grad_segments[] = {
    SEGMENT("features", FEATURES, feature_operands, run_features, NO_WORKSPACE),
    SEGMENT("grad", STEP, grad_operands, run_grad, WORKSPACE(grad_workspace))};
static const mlcrt_segment quiet_grad_segments[] = {
    SEGMENT("features", FEATURES, feature_operands, run_features, NO_WORKSPACE),
    SEGMENT("grad", STEP, quiet_grad_operands, run_quiet_grad, WORKSPACE(grad_workspace))};
static const mlcrt_segment combine_segments[] = {SEGMENT("combine", STEP, combine_operands, run_combine, NO_WORKSPACE)};
static const mlcrt_segment apply_segments[] = {SEGMENT("apply", STEP, apply_operands, run_apply, NO_WORKSPACE)};
static const mlcrt_segment partial_segments[] = {SEGMENT("partial", STEP, partial_operands, run_partial, NO_WORKSPACE)};
static const mlcrt_segment shared_segments[] = {SEGMENT("shared", STEP, shared_operands, run_shared, NO_WORKSPACE)};
static const mlcrt_segment range_segments[] = {SEGMENT("range", STEP, range_operands, run_update, NO_WORKSPACE)};
static const mlcrt_segment reset_segments[] = {SEGMENT("reset", STEP, reset_operands, run_eval_reset, NO_WORKSPACE)};
static const mlcrt_segment update_segments[] = {
    SEGMENT("update", STEP, update_operands, run_eval_update, NO_WORKSPACE)};
static const mlcrt_segment result_segments[] = {
    SEGMENT("result", STEP, result_operands, run_eval_result, NO_WORKSPACE)};
static const mlcrt_segment predict_segments[] = {SEGMENT("predict", STEP, predict_operands, run_predict, NO_WORKSPACE)};
static const mlcrt_segment silent_segments[] = {
    {"silent", MLCRT_SEGMENT_STEP, MLCRT_DEVICE_HOST, 0, 0, 0, run_silent, NO_WORKSPACE}};
static const mlcrt_segment grows_segments[] = {SEGMENT("grows", STEP, grows_operands, run_grows, NO_WORKSPACE)};
static const mlcrt_segment bad_rows_segments[] = {
    {"bad_rows", MLCRT_SEGMENT_STEP, MLCRT_DEVICE_HOST, 0, 0, 0, run_bad_rows, NO_WORKSPACE}};
static const mlcrt_segment swallows_segments[] = {
    {"swallows", MLCRT_SEGMENT_STEP, MLCRT_DEVICE_HOST, 0, 0, 0, run_swallows, NO_WORKSPACE}};
static const mlcrt_segment negative_segments[] = {
    {"negative", MLCRT_SEGMENT_STEP, MLCRT_DEVICE_HOST, 0, 0, 0, run_nothing, WORKSPACE(negative_workspace)}};

#define ENTRY(name, role, segments, num_intermediates, intermediates, num_outputs, outputs)                            \
  {name, MLCRT_ROLE_##role, COUNT(segments), segments, num_intermediates, num_outputs, intermediates, outputs}
static const mlcrt_entry entries[] = {
    ENTRY("init", INIT, init_segments, 0, 0, 0, 0),
    ENTRY("train", TRAIN, train_segments, COUNT(intermediates), intermediates, COUNT(train_outputs), train_outputs),
    ENTRY("train_grad", TRAIN_GRAD, grad_segments, COUNT(intermediates), intermediates, 0, 0),
    ENTRY("train_combine", TRAIN_COMBINE, combine_segments, 0, 0, 0, 0),
    ENTRY("train_apply", TRAIN_APPLY, apply_segments, 0, 0, COUNT(train_outputs), train_outputs),
    ENTRY("eval_reset", EVAL_RESET, reset_segments, 0, 0, 0, 0),
    ENTRY("eval_update", EVAL_UPDATE, update_segments, 0, 0, 0, 0),
    ENTRY("eval_result", EVAL_RESULT, result_segments, 0, 0, COUNT(result_outputs), result_outputs),
    ENTRY("predict", PREDICT, predict_segments, 0, 0, COUNT(predict_outputs), predict_outputs),
    ENTRY("silent", OTHER, silent_segments, 0, 0, 0, 0),
    ENTRY("grows", OTHER, grows_segments, 0, 0, 1, rows_output),
    ENTRY("bad_rows", OTHER, bad_rows_segments, 0, 0, 0, 0),
    ENTRY("swallows", OTHER, swallows_segments, 0, 0, 0, 0),
    ENTRY("negative", OTHER, negative_segments, 0, 0, 0, 0),
    ENTRY("train_partial", TRAIN_PARTIAL, partial_segments, 0, 0, 0, 0),
    ENTRY("train_shared", TRAIN_SHARED, shared_segments, 0, 0, COUNT(train_outputs), train_outputs),
    ENTRY("train_update", TRAIN_UPDATE, range_segments, 0, 0, 0, 0),
};

const mlcrt_entry fake_quiet_grad =
    ENTRY("train_grad", TRAIN_GRAD, quiet_grad_segments, COUNT(intermediates), intermediates, 0, 0);

#define RANGE MLCRT_DIM_SYMBOL(1)
#define ENTRIES MLCRT_DIM_SYMBOL(2)
#define EMB_SUM_VALUES                                                                                                 \
  {"emb.ids", MLCRT_I64, MLCRT_DIMS(ENTRIES)}, {"emb.rows", MLCRT_F32, MLCRT_DIMS(ENTRIES, DIM)}, {                    \
    "emb.count", MLCRT_I64, MLCRT_SCALAR                                                                               \
  }
static const mlcrt_value shared[] = {{"first", MLCRT_F32, MLCRT_DIMS(ENTRIES)}, {"scale", MLCRT_F32, MLCRT_SCALAR}};
static const mlcrt_value partial_values[] = {
    EMB_SUM_VALUES, {"emb", MLCRT_F32, MLCRT_DIMS(RANGE, DIM)}, {"first", MLCRT_F32, MLCRT_DIMS(ENTRIES)}};
static const mlcrt_value shared_values[] = {
    {"loss", MLCRT_F32, MLCRT_SCALAR},          {"weight", MLCRT_F32, MLCRT_SCALAR},
    {"w", MLCRT_F32, MLCRT_DIMS(WIDTH)},        {"emb.count", MLCRT_I64, MLCRT_SCALAR},
    {"learning_rate", MLCRT_F32, MLCRT_SCALAR}, {"w", MLCRT_F32, MLCRT_DIMS(WIDTH)},
    {"global_step", MLCRT_I64, MLCRT_SCALAR},   {"first", MLCRT_F32, MLCRT_DIMS(ENTRIES)},
    {"scale", MLCRT_F32, MLCRT_SCALAR},         {"loss", MLCRT_F32, MLCRT_SCALAR},
    {"weight", MLCRT_F32, MLCRT_SCALAR}};
static const mlcrt_value range_values[] = {
    EMB_SUM_VALUES, {"emb", MLCRT_F32, MLCRT_DIMS(RANGE, DIM)}, {"scale", MLCRT_F32, MLCRT_SCALAR}};
static const mlcrt_update updates[] = {
    {COUNT(entries) - FAKE_UPDATE_ENTRIES, 1, ROWS, COUNT(partial_values), partial_values},
    {COUNT(entries) - 2, 0, 0, COUNT(shared_values), shared_values},
    {COUNT(entries) - 1, 1, ROWS, COUNT(range_values), range_values}};

/* train_grad reads emb by "ids" alone. */
static const mlcrt_pull pulls[] = {{2, 0, FAKE_EMB, 0}};

#ifdef FAKE_FROM_THE_FUTURE
#define FAKE_VERSION (MLCRT_ABI_VERSION + 1) /* of the next minor version */
#else
#define FAKE_VERSION MLCRT_ABI_VERSION
#endif
static const mlcrt_artifact artifact = {sizeof(mlcrt_artifact),
                                        FAKE_VERSION,
                                        "fake",
                                        "00",
                                        "00",
                                        "",
                                        "{}",
                                        COUNT(features),
                                        COUNT(variables),
                                        COUNT(settings),
                                        COUNT(tables),
                                        COUNT(sum_values),
                                        COUNT(entries),
                                        features,
                                        variables,
                                        settings,
                                        tables,
                                        sum_values,
                                        entries,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        updates,
                                        COUNT(updates),
                                        shared,
                                        COUNT(shared),
                                        pulls,
                                        COUNT(pulls)};

const mlcrt_artifact *mlc_artifact_query(uint32_t max_version, void *reserved) {
  (void)reserved;
  return max_version < artifact.version ? 0 : &artifact;
}
