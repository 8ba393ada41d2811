/* A hand-written artifact with multi-valued features.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef MLCRT_TEST_FAKEMULTIVALUE_H
#define MLCRT_TEST_FAKEMULTIVALUE_H

#include "mlcrt/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* prediction of a row = sum of weight[v] * emb[id[v]] over its tags + bias * sum of its counts; loss = sum of squared
 * differences / 2, not divided. Tags are strings of the vocabulary a, b, c and 2 OOV buckets; emb begins as 1, 2, 3, 4,
 * 5, bias as 0.5; the learning rate is 1/64. On small integers every result is exact, so that any order of additions
 * gives the same bits. */
const mlcrt_artifact *fake_multi_value(void);

enum { MULTI_TAGS, MULTI_ENDS, MULTI_WEIGHT, MULTI_COUNTS, MULTI_COUNTS_ENDS, MULTI_Y };
enum { MULTI_EMB, MULTI_BIAS };

#ifdef __cplusplus
}
#endif

#endif
