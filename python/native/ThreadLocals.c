// Code that makes variables of threads, of which gRPC's have none: its archives look for it all the same, weakly, and
// would take that of another module of the process.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
void _ZTHN9grpc_core26ApplicationCallbackExecCtx18callback_exec_ctx_E(void) {}
void _ZTHN9grpc_core7ExecCtx9exec_ctx_E(void) {}
void _ZTHN9grpc_core8Activity19g_current_activity_E(void) {}
