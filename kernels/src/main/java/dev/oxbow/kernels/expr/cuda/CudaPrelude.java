package dev.oxbow.kernels.expr.cuda;

/** Functions that generated lines call. */
final class CudaPrelude {

    /*
     * Assembly where the language has no word for it: minimum and maximum that keep NaN and order zeros by their sign, and
     * halves, whose header NVRTC does not bring along. The nearest bf16 is made of bits as Half makes it.
     */

    static final String TEXT = """
            static __device__ __forceinline__ float ox_min_f32(float a, float b) { float r; asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
            static __device__ __forceinline__ float ox_max_f32(float a, float b) { float r; asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
            static __device__ __forceinline__ float ox_from_f16(unsigned short h) { float r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(h)); return r; }
            static __device__ __forceinline__ unsigned short ox_to_f16(float x) { unsigned short r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x)); return r; }
            static __device__ __forceinline__ double ox_min_f64(double a, double b) { return a != a ? a : b != b ? b : a < b ? a : b < a ? b : __longlong_as_double(__double_as_longlong(a) | __double_as_longlong(b)); }
            static __device__ __forceinline__ double ox_max_f64(double a, double b) { return a != a ? a : b != b ? b : a < b ? b : b < a ? a : __longlong_as_double(__double_as_longlong(a) & __double_as_longlong(b)); }
            static __device__ __forceinline__ float ox_from_bf16(unsigned short h) { return __int_as_float((int)((unsigned)h << 16)); }
            static __device__ __forceinline__ unsigned short ox_to_bf16(float x) { unsigned r; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(0.0f), "f"(x)); return (unsigned short)r; }
            static __device__ __forceinline__ int ox_div_i32(int a, int b) { return b == -1 ? (int)(0u - (unsigned)a) : a / b; }
            static __device__ __forceinline__ int ox_rem_i32(int a, int b) { return b == -1 ? 0 : a % b; }
            static __device__ __forceinline__ long long ox_div_i64(long long a, long long b) { return b == -1ll ? (long long)(0ull - (unsigned long long)a) : a / b; }
            static __device__ __forceinline__ long long ox_rem_i64(long long a, long long b) { return b == -1ll ? 0ll : a % b; }
            static __device__ __forceinline__ int ox_abs_i32(int a) { return a < 0 ? (int)(0u - (unsigned)a) : a; }
            static __device__ __forceinline__ long long ox_abs_i64(long long a) { return a < 0ll ? (long long)(0ull - (unsigned long long)a) : a; }
            """;

    private CudaPrelude() {}
}
