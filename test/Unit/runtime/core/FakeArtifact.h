/* A hand-written artifact that the runtime's tests run without a compiler.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef MLCRT_TEST_FAKEARTIFACT_H
#define MLCRT_TEST_FAKEARTIFACT_H

#include "mlcrt/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* prediction = w . x + emb[id][0] + emb[id][1] / 2 + noise(seed, step, row); loss = mean of squared differences / 2.
 * Features x f32[n,3], key string[n] (vocabulary a, b, c and 2 OOV buckets), y f32[n]; w is stored reversed. */
const mlcrt_artifact *mlc_artifact_query(uint32_t max_version, void *reserved);

enum { FAKE_FEATURE_X, FAKE_FEATURE_KEY, FAKE_FEATURE_Y };
enum { FAKE_W, FAKE_EMB, FAKE_GLOBAL_STEP, FAKE_EVAL_COUNT, FAKE_EVAL_SUM };
/* The entry train_grad, and one that does the same without signals. */
enum { FAKE_GRAD = 2 };
extern const mlcrt_entry fake_quiet_grad;
/* The last entries: the update over ranges of the rows of emb. */
enum { FAKE_UPDATE_ENTRIES = 3 };

#ifdef __cplusplus
}
#endif

#endif
