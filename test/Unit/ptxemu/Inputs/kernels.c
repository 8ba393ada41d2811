// Kernels that clang compiles to PTX (clang --target=nvptx64-nvidia-cuda -march=sm_80 -O2 -S): kernels.ptx is what it
// gave. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define KERNEL __attribute__((nvptx_kernel))
#define SHARED __attribute__((address_space(3)))

static inline int thread(void) { return __nvvm_read_ptx_sreg_tid_x(); }
static inline int block(void) { return __nvvm_read_ptx_sreg_ctaid_x(); }
static inline int threads(void) { return __nvvm_read_ptx_sreg_ntid_x(); }

static SHARED float partial[256];

// out[block] = the sum of its part of x.
KERNEL void sum(const float *x, float *out, long n) {
  float mine = 0;
  for (long i = block() * threads() + thread(); i < n; i += threads() * __nvvm_read_ptx_sreg_nctaid_x())
    mine += x[i];
  partial[thread()] = mine;
  __syncthreads();
  for (int width = threads() / 2; width > 0; width /= 2) {
    if (thread() < width)
      partial[thread()] += partial[thread() + width];
    __syncthreads();
  }
  if (thread() == 0)
    out[block()] = partial[0];
}

// Something of everything: a switch, a call that stays one, an array that is indexed, division of integers.
static __attribute__((noinline)) long power(long base, int exponent) {
  long result = 1;
  while (exponent-- > 0)
    result *= base;
  return result;
}

KERNEL void mixed(const int *x, long *out, long n) {
  const int i = block() * threads() + thread();
  if (i >= n)
    return;
  int digits[12];
  int count = 0;
  for (unsigned value = (unsigned)x[i]; value; value /= 10)
    digits[count++] = value % 10;
  long result = 0;
  for (int k = 0; k < count; ++k)
    switch (digits[k] % 6) {
    case 0:
      result += power(digits[k], k);
      break;
    case 1:
      result ^= digits[count - 1 - k] << 3;
      break;
    case 2:
      result *= 3;
      break;
    case 3:
      result -= power(digits[count - 1], 3);
      break;
    case 4:
      result = result / 7 + 1;
      break;
    default:
      result = ~result;
    }
  out[i] = result;
}

// Numbers of several types.
KERNEL void numbers(const double *x, float *out, long n) {
  const int i = block() * threads() + thread();
  if (i >= n)
    return;
  const double a = x[i];
  const float b = (float)a;
  const _Float16 c = (_Float16)b;
  out[4 * i] = b / 3.0f + __builtin_sqrtf(__builtin_fabsf(b));
  out[4 * i + 1] = (float)(c * c + (_Float16)1.5);
  out[4 * i + 2] = (float)__builtin_floor(a * 0.7) - (float)(int)a;
  out[4 * i + 3] = __builtin_fmaxf(b, 0.5f) * (float)(unsigned long)__builtin_fabs(a);
}
