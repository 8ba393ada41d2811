/* A hand-written artifact with multi-valued features.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Segments check that dims and workspace are those of the call's symbols: 0 rows, 1 tags, 2 counts, 3 rows and tags, 4
 * pairs of a tag and a count of one row.
 */
#include "FakeMultiValue.h"

#define COUNT(list) (int32_t)(sizeof(list) / sizeof((list)[0]))
#define BATCH MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH)
#define TAGS MLCRT_DIM_SYMBOL(1)
#define COUNTS MLCRT_DIM_SYMBOL(2)
#define BOTH MLCRT_DIM_SYMBOL(3)
#define PAIRS MLCRT_DIM_SYMBOL(4)
enum { TERMS = 5 };

static int64_t scalar(const mlcrt_buffer *buffer) { return *(const int64_t *)buffer->data; }

/* One cell for each row, three for each tag, one for each count: a sum that tells wrong symbols apart. */
static int64_t workspace(const int64_t *symbols, int64_t threads) {
  (void)threads;
  return 8 * (symbols[0] + 3 * symbols[1] + symbols[2]);
}

static int32_t internal(mlcrt_frame *frame, const char *what) {
  return frame->services->report_error(frame->env, MLCRT_INTERNAL, -1, what);
}

/* tags -> ids, unique, ends, order, count */
static int32_t run_features(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  const mlcrt_services *s = frame->services;
  const int64_t n = b[0].dims[0];
  for (int i = 1; i < 5; ++i)
    if (b[i].dims[0] != n)
      return internal(frame, "an intermediate has not the dims of the tags");
  int32_t code = s->lookup_strings(frame->env, 0, b[0].data, n, b[1].data);
  if (!code)
    code = s->unique_ids(frame->env, b[1].data, n, b[2].data, b[3].data, b[4].data, b[5].data);
  b[2].dims[0] = scalar(&b[5]);
  return code;
}

/* Predictions of rows. b: ends, weight, counts, counts.ends, ids, emb, bias. */
static void predict(mlcrt_buffer *b, float *out) {
  const int64_t *ends = b[0].data, *counts = b[2].data, *count_ends = b[3].data, *ids = b[4].data;
  const float *weight = b[1].data, *emb = b[5].data, bias = *(const float *)b[6].data;
  for (int64_t r = 0; r < b[0].dims[0]; ++r) {
    out[r] = 0.0f;
    for (int64_t v = r ? ends[r - 1] : 0; v < ends[r]; ++v)
      out[r] += weight[v] * emb[ids[v]];
    for (int64_t v = r ? count_ends[r - 1] : 0; v < count_ends[r]; ++v)
      out[r] += bias * (float)counts[v];
  }
}

typedef struct sums {
  float *loss, *bias;
  int64_t *ids;
  float *rows;
  int64_t *count;
} sums;

/* b: predict's operands, y, unique, ends, order, count. errors: one f32 for each row, tag_errors for each tag. */
static int32_t sum_rows(mlcrt_frame *frame, float *errors, float *tag_errors, sums out) {
  mlcrt_buffer *b = frame->buffers;
  const int64_t n = b[0].dims[0], tags = b[1].dims[0], counts = b[2].dims[0];
  const int64_t *ends = b[0].data, *count = b[2].data, *count_ends = b[3].data;
  if (b[4].dims[0] != tags || b[3].dims[0] != n || frame->workspaces[0].bytes < 8 * (n + 3 * tags + counts))
    return internal(frame, "dims or workspace are not those of the call's symbols");
  if (b[8].dims[0] != scalar(&b[11]))
    return internal(frame, "dims of 'unique' were not passed on");
  predict(b, errors);
  *out.loss = *out.bias = 0.0f;
  for (int64_t r = 0; r < n; ++r) {
    errors[r] -= ((const float *)b[7].data)[r];
    *out.loss += 0.5f * errors[r] * errors[r];
    for (int64_t v = r ? ends[r - 1] : 0; v < ends[r]; ++v)
      tag_errors[v] = errors[r] * ((const float *)b[1].data)[v];
    for (int64_t v = r ? count_ends[r - 1] : 0; v < count_ends[r]; ++v)
      *out.bias += errors[r] * (float)count[v];
  }
  const int64_t *unique = b[8].data, *group_ends = b[9].data, *order = b[10].data;
  *out.count = scalar(&b[11]);
  for (int64_t k = 0; k < *out.count; ++k) {
    out.ids[k] = unique[k];
    out.rows[k] = 0.0f;
    for (int64_t i = k ? group_ends[k - 1] : 0; i < group_ends[k]; ++i)
      out.rows[k] += tag_errors[order[i]];
  }
  return MLCRT_OK;
}

static void apply_sums(sums in, float *emb, float *bias, float *loss) {
  for (int64_t k = 0; k < *in.count; ++k)
    emb[in.ids[k]] -= in.rows[k] / 64.0f;
  *bias -= *in.bias / 64.0f;
  *loss = *in.loss;
}

static sums sums_at(mlcrt_buffer *b) {
  sums s = {b[0].data, b[1].data, b[2].data, b[3].data, b[4].data};
  return s;
}

/* ... sum_rows' operands, loss */
static int32_t run_train(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  const int64_t n = b[0].dims[0], tags = b[1].dims[0];
  float loss, bias;
  int64_t count, *ids = frame->workspaces[0].data;
  float *rows = (float *)(ids + tags), *tag_errors = rows + 2 * tags, *errors = tag_errors + 2 * tags;
  sums s = {&loss, &bias, ids, rows, &count};
  (void)n;
  int32_t code = sum_rows(frame, errors, tag_errors, s);
  if (!code)
    apply_sums(s, b[5].data, b[6].data, b[12].data);
  return code;
}

/* ... sum_rows' operands, 5 sums */
static int32_t run_grad(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  float *tag_errors = frame->workspaces[0].data, *errors = tag_errors + b[1].dims[0];
  if (b[14].dims[0] < b[1].dims[0])
    return internal(frame, "no room for the sums of a shard");
  int32_t code = sum_rows(frame, errors, tag_errors, sums_at(b + 12));
  if (!code)
    b[14].dims[0] = b[15].dims[0] = scalar(&b[16]);
  return code;
}

/* 5 sums a, 5 sums b, 5 sums out */
static int32_t run_combine(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  sums l = sums_at(b), r = sums_at(b + 5), o = sums_at(b + 10);
  *o.loss = *l.loss + *r.loss;
  *o.bias = *l.bias + *r.bias;
  int32_t code = frame->services->merge_rows_f32(frame->env, l.ids, l.rows, *l.count, r.ids, r.rows, *r.count, 1, o.ids,
                                                 o.rows, o.count);
  b[12].dims[0] = b[13].dims[0] = *o.count;
  return code;
}

/* 5 sums, emb, bias, loss */
static int32_t run_apply(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  apply_sums(sums_at(b), b[5].data, b[6].data, b[7].data);
  return MLCRT_OK;
}

/* emb, bias */
static int32_t run_init(mlcrt_frame *frame) {
  for (int i = 0; i < TERMS; ++i)
    ((float *)frame->buffers[0].data)[i] = (float)(i + 1);
  *(float *)frame->buffers[1].data = 0.5f;
  return MLCRT_OK;
}

/* tags, predict's operands (ids: output), prediction */
static int32_t run_predict(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  int32_t code = frame->services->lookup_strings(frame->env, 0, b[0].data, b[0].dims[0], b[5].data);
  if (!code)
    predict(b + 1, b[8].data);
  return code;
}

/* Reads the values alone; the runtime must still be told where rows end. tags, ids */
static int32_t run_lookup(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  return frame->services->lookup_strings(frame->env, 0, b[0].data, b[0].dims[0], b[1].data);
}

/* ---- the table ---- */

/* ends, counts, counts.ends, number of pairs -> tags, counts, ends, rows and tags */
static int32_t run_pairs(mlcrt_frame *frame) {
  mlcrt_buffer *b = frame->buffers;
  if (b[3].rank != 0 || b[4].dims[0] != scalar(&b[3]) || b[5].dims[0] != scalar(&b[3]))
    return internal(frame, "the pairs have not the value of their symbol");
  for (int64_t i = 0; i < b[7].dims[0]; ++i)
    ((int64_t *)b[7].data)[i] = i;
  return frame->services->segment_product(frame->env, b[0].data, 0, b[2].data, 0, b[0].dims[0], scalar(&b[3]),
                                          b[4].data, b[5].data, b[6].data);
}

#define R MLCRT_READ
#define W MLCRT_WRITE
#define RW MLCRT_READ_WRITE
#define OPERAND(source, index, access) {MLCRT_SOURCE_##source, index, access, 0, MLCRT_SPACE_HOST, 0}

static const mlcrt_value features[] = {
    {"tags", MLCRT_STRING, MLCRT_DIMS(TAGS)},      {"tags.ends", MLCRT_I64, MLCRT_DIMS(BATCH)},
    {"tags.weight", MLCRT_F32, MLCRT_DIMS(TAGS)},  {"counts", MLCRT_I64, MLCRT_DIMS(COUNTS)},
    {"counts.ends", MLCRT_I64, MLCRT_DIMS(BATCH)}, {"y", MLCRT_F32, MLCRT_DIMS(BATCH)}};

static const mlcrt_variable variables[] = {
    {{"emb", MLCRT_F32, MLCRT_DIMS(TERMS)}, MLCRT_VARIABLE_TRAINABLE | MLCRT_VARIABLE_SPARSE, -1, 0, 0, 0, 0},
    {{"bias", MLCRT_F32, MLCRT_SCALAR}, MLCRT_VARIABLE_TRAINABLE, -1, 0, 0, 0, 0}};

static const int64_t offsets[] = {0, 1, 2, 3};
static const mlcrt_table tables[] = {{"tags", MLCRT_STRING, 0, 3, "abc", offsets, 0, 2, -1}};

static const mlcrt_value sum_values[] = {{"loss", MLCRT_F32, MLCRT_SCALAR},
                                         {"bias", MLCRT_F32, MLCRT_SCALAR},
                                         {"emb.ids", MLCRT_I64, MLCRT_DIMS(TAGS)},
                                         {"emb.rows", MLCRT_F32, MLCRT_DIMS(TAGS, 1)},
                                         {"emb.count", MLCRT_I64, MLCRT_SCALAR}};
static const mlcrt_value intermediates[] = {{"ids", MLCRT_I64, MLCRT_DIMS(TAGS)},
                                            {"unique", MLCRT_I64, MLCRT_DIMS(TAGS)},
                                            {"ends", MLCRT_I64, MLCRT_DIMS(TAGS)},
                                            {"order", MLCRT_I64, MLCRT_DIMS(TAGS)},
                                            {"count", MLCRT_I64, MLCRT_SCALAR}};
static const mlcrt_value train_outputs[] = {{"loss", MLCRT_F32, MLCRT_SCALAR}};
static const mlcrt_value predict_outputs[] = {{"prediction", MLCRT_F32, MLCRT_DIMS(BATCH)},
                                              {"ids", MLCRT_I64, MLCRT_DIMS(TAGS)}};
static const mlcrt_value lookup_outputs[] = {{"ids", MLCRT_I64, MLCRT_DIMS(TAGS)}};

static const mlcrt_value pairs_outputs[] = {{"tags", MLCRT_I64, MLCRT_DIMS(PAIRS)},
                                            {"counts", MLCRT_I64, MLCRT_DIMS(PAIRS)},
                                            {"ends", MLCRT_I64, MLCRT_DIMS(BATCH)},
                                            {"both", MLCRT_I64, MLCRT_DIMS(BOTH)}};
static const int64_t both_terms[] = {1, 1}, pairs_terms[] = {1, 2};
static const mlcrt_dimension dimensions[] = {{3, MLCRT_DIMENSION_SUM, 2, both_terms},
                                             {4, MLCRT_DIMENSION_PRODUCT, 2, pairs_terms}};

static const mlcrt_operand init_operands[] = {OPERAND(VARIABLE, MULTI_EMB, W), OPERAND(VARIABLE, MULTI_BIAS, W)};
static const mlcrt_operand feature_operands[] = {OPERAND(FEATURE, MULTI_TAGS, R), OPERAND(INTERMEDIATE, 0, W),
                                                 OPERAND(INTERMEDIATE, 1, W),     OPERAND(INTERMEDIATE, 2, W),
                                                 OPERAND(INTERMEDIATE, 3, W),     OPERAND(INTERMEDIATE, 4, W)};
#define PREDICT_OPERANDS(ids, access)                                                                                  \
  OPERAND(FEATURE, MULTI_ENDS, R), OPERAND(FEATURE, MULTI_WEIGHT, R), OPERAND(FEATURE, MULTI_COUNTS, R),               \
      OPERAND(FEATURE, MULTI_COUNTS_ENDS, R), ids, OPERAND(VARIABLE, MULTI_EMB, access),                               \
      OPERAND(VARIABLE, MULTI_BIAS, access)
#define SUM_ROWS_OPERANDS(access)                                                                                      \
  PREDICT_OPERANDS(OPERAND(INTERMEDIATE, 0, R), access), OPERAND(FEATURE, MULTI_Y, R), OPERAND(INTERMEDIATE, 1, R),    \
      OPERAND(INTERMEDIATE, 2, R), OPERAND(INTERMEDIATE, 3, R), OPERAND(INTERMEDIATE, 4, R)
#define SUMS(side, access)                                                                                             \
  OPERAND(side, 0, access), OPERAND(side, 1, access), OPERAND(side, 2, access), OPERAND(side, 3, access),              \
      OPERAND(side, 4, access)
static const mlcrt_operand train_operands[] = {SUM_ROWS_OPERANDS(RW), OPERAND(OUTPUT, 0, W)};
static const mlcrt_operand grad_operands[] = {SUM_ROWS_OPERANDS(R), SUMS(SUM_OUT, W)};
static const mlcrt_operand combine_operands[] = {SUMS(SUM_A, R), SUMS(SUM_B, R), SUMS(SUM_OUT, W)};
static const mlcrt_operand apply_operands[] = {SUMS(SUM_A, R), OPERAND(VARIABLE, MULTI_EMB, RW),
                                               OPERAND(VARIABLE, MULTI_BIAS, RW), OPERAND(OUTPUT, 0, W)};
static const mlcrt_operand predict_operands[] = {OPERAND(FEATURE, MULTI_TAGS, R),
                                                 PREDICT_OPERANDS(OPERAND(OUTPUT, 1, W), R), OPERAND(OUTPUT, 0, W)};
static const mlcrt_operand lookup_operands[] = {OPERAND(FEATURE, MULTI_TAGS, R), OPERAND(OUTPUT, 0, W)};

static const mlcrt_operand pairs_operands[] = {OPERAND(FEATURE, MULTI_ENDS, R),
                                               OPERAND(FEATURE, MULTI_COUNTS, R),
                                               OPERAND(FEATURE, MULTI_COUNTS_ENDS, R),
                                               OPERAND(DIMENSION, 4, R),
                                               OPERAND(OUTPUT, 0, W),
                                               OPERAND(OUTPUT, 1, W),
                                               OPERAND(OUTPUT, 2, W),
                                               OPERAND(OUTPUT, 3, W),
                                               OPERAND(FEATURE, MULTI_TAGS, R)};

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
    SEGMENT("step", STEP, train_operands, run_train, WORKSPACE(workspace))};
static const mlcrt_segment grad_segments[] = {
    SEGMENT("features", FEATURES, feature_operands, run_features, NO_WORKSPACE),
    SEGMENT("grad", STEP, grad_operands, run_grad, WORKSPACE(workspace))};
static const mlcrt_segment combine_segments[] = {SEGMENT("combine", STEP, combine_operands, run_combine, NO_WORKSPACE)};
static const mlcrt_segment apply_segments[] = {SEGMENT("apply", STEP, apply_operands, run_apply, NO_WORKSPACE)};
static const mlcrt_segment predict_segments[] = {SEGMENT("predict", STEP, predict_operands, run_predict, NO_WORKSPACE)};
static const mlcrt_segment lookup_segments[] = {SEGMENT("lookup", STEP, lookup_operands, run_lookup, NO_WORKSPACE)};
static const mlcrt_segment pairs_segments[] = {SEGMENT("pairs", STEP, pairs_operands, run_pairs, NO_WORKSPACE)};

#define ENTRY(name, role, segments, num_intermediates, intermediates, num_outputs, outputs)                            \
  {name, MLCRT_ROLE_##role, COUNT(segments), segments, num_intermediates, num_outputs, intermediates, outputs}
static const mlcrt_entry entries[] = {
    ENTRY("init", INIT, init_segments, 0, 0, 0, 0),
    ENTRY("train", TRAIN, train_segments, COUNT(intermediates), intermediates, COUNT(train_outputs), train_outputs),
    ENTRY("train_grad", TRAIN_GRAD, grad_segments, COUNT(intermediates), intermediates, 0, 0),
    ENTRY("train_combine", TRAIN_COMBINE, combine_segments, 0, 0, 0, 0),
    ENTRY("train_apply", TRAIN_APPLY, apply_segments, 0, 0, COUNT(train_outputs), train_outputs),
    ENTRY("predict", PREDICT, predict_segments, 0, 0, COUNT(predict_outputs), predict_outputs),
    ENTRY("lookup", OTHER, lookup_segments, 0, 0, COUNT(lookup_outputs), lookup_outputs),
    ENTRY("pairs", OTHER, pairs_segments, 0, 0, COUNT(pairs_outputs), pairs_outputs),
};

static const mlcrt_artifact artifact = {sizeof(mlcrt_artifact),
                                        MLCRT_ABI_VERSION,
                                        "fake_multi_value",
                                        "00",
                                        "00",
                                        "",
                                        "{}",
                                        COUNT(features),
                                        COUNT(variables),
                                        0,
                                        COUNT(tables),
                                        COUNT(sum_values),
                                        COUNT(entries),
                                        features,
                                        variables,
                                        0,
                                        tables,
                                        sum_values,
                                        entries,
                                        0,
                                        0,
                                        dimensions,
                                        COUNT(dimensions)};

const mlcrt_artifact *fake_multi_value(void) { return &artifact; }
