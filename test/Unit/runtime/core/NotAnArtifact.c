/* A shared object that is no artifact: it exports something else.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
int not_an_artifact(void);
int not_an_artifact(void) { return 0; }
