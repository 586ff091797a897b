package dev.oxbow.cuda;

import dev.oxbow.kernels.expr.cuda.CudaText;
import dev.oxbow.kernels.random.Distribution;
import dev.oxbow.kernels.random.PhiloxState;
import dev.oxbow.tensor.DType;

/** Kernels that fill tensors with the numbers of {@link dev.oxbow.kernels.random.Philox}. */
final class RandomText {

    /*
     * A thread makes the elements of one block of the stream, four or, of 64 bits, two; where normal numbers are drawn until they
     * suit, those of as many blocks as belong to them. Uniform numbers are the CPU's bit for bit. Normal ones go through f64,
     * whose functions the card rounds as well as the CPU does, so nearly all of them are.
     */

    static final int THREADS = 256;

    private static final String STREAM = """
            struct Stream { unsigned k0, k1; unsigned long long low, high; };
            static __device__ __forceinline__ void next(Stream& s, unsigned* b) {
              unsigned c0 = (unsigned)s.low, c1 = (unsigned)(s.low >> 32), c2 = (unsigned)s.high, c3 = (unsigned)(s.high >> 32), k0 = s.k0, k1 = s.k1;
              for (int round = 0; round < 10; round++) {
                const unsigned long long x = 0xD2511F53ull * c0, y = 0xCD9E8D57ull * c2;
                c0 = (unsigned)(y >> 32) ^ c1 ^ k0;
                c1 = (unsigned)y;
                c2 = (unsigned)(x >> 32) ^ c3 ^ k1;
                c3 = (unsigned)x;
                k0 += 0x9E3779B9u;
                k1 += 0xBB67AE85u;
              }
              b[0] = c0; b[1] = c1; b[2] = c2; b[3] = c3;
              if (++s.low == 0) s.high++;
            }
            static __device__ __forceinline__ Stream at(const unsigned long long* cell, unsigned long long blocks) {
              const unsigned long long low = cell[1] + blocks;
              return Stream{(unsigned)cell[0], (unsigned)(cell[0] >> 32), low, cell[2] + (low < cell[1] ? 1 : 0)};
            }
            static __device__ __forceinline__ float single(unsigned x) { return __fsub_rn(__int_as_float((int)(127u << 23 | x & 0x7fffffu)), 1.0f); }
            static __device__ __forceinline__ double twice(unsigned x, unsigned y) { return __dsub_rn(__longlong_as_double((long long)(1023ull << 52 | (unsigned long long)(x & 0xfffffu) << 32 | y)), 1.0); }
            static __device__ __forceinline__ void normal(unsigned x, unsigned y, float* f) {
              const float u = single(x), r = (float)sqrt((double)__fmul_rn(-2.0f, (float)log((double)(u > 1.0e-7f ? u : 1.0e-7f))));
              const float v = (float)__dmul_rn(6.283185307179586, (double)single(y));
              f[0] = __fmul_rn((float)sin((double)v), r);
              f[1] = __fmul_rn((float)cos((double)v), r);
            }
            static __device__ __forceinline__ void normal(const unsigned* b, double* d) {
              const double u = twice(b[0], b[1]), v = __dmul_rn(6.283185307179586, twice(b[2], b[3]));
              const double r = sqrt(__dmul_rn(-2.0, log(u > 1.0e-7 ? u : 1.0e-7)));
              d[0] = __dmul_rn(sin(v), r);
              d[1] = __dmul_rn(cos(v), r);
            }
            """;

    private RandomText() {}

    /** Whether there is a kernel for a distribution of these elements. */
    static boolean supports(Distribution d, DType t) {
        if (d == Distribution.FULL_INT) return t == DType.I32 || t == DType.U32 || t == DType.I64 || t == DType.U64;
        return t == DType.F32 || t == DType.F64 || t == DType.F16 || t == DType.BF16;
    }

    /** Elements of one thread. */
    static int group(DType t) {
        return t.size() == 8 ? 2 : 4;
    }

    static String text(Distribution d, DType t) {
        String element = switch (t) {
            case F32 -> "float";
            case F64 -> "double";
            case F16, BF16 -> "unsigned short";
            default -> t.size() == 8 ? "unsigned long long" : "unsigned";
        };
        String head =
                "extern \"C\" __global__ void __launch_bounds__(%d) draw(%s* y, long long n, const unsigned long long* cell) {\n"
                        .formatted(THREADS, element);
        String body = d == Distribution.TRUNCATED_NORMAL ? truncated(t) : plain(d, t);
        return CudaText.prelude() + STREAM + head + body.replace("GROUP", String.valueOf(group(t)));
    }

    private static String plain(Distribution d, DType t) {
        String one = switch (d) {
            case UNIFORM -> uniform(t);
            case NORMAL -> store(t, "f[j]");
            default -> t.size() == 8 ? "b[2 * j] | (unsigned long long)b[2 * j + 1] << 32" : "b[j]";
        };
        String normals = t == DType.F64
                ? "double f[2]; normal(b, f);"
                : "float f[4]; normal(b[0], b[1], f); normal(b[2], b[3], f + 2);";
        return """
                  const long long g = (long long)blockIdx.x * 256 + threadIdx.x, from = g * GROUP;
                  if (from >= n) return;
                  Stream s = at(cell, (unsigned long long)g);
                  unsigned b[4];
                  next(s, b);
                  NORMALS
                  for (int j = 0; j < GROUP; j++) if (from + j < n) y[from + j] = ONE;
                }
                """.replace("NORMALS", d == Distribution.NORMAL ? normals : "").replace("ONE", one);
    }

    private static String uniform(DType t) {
        return switch (t) {
            case F32 -> "single(b[j])";
            case F64 -> "twice(b[2 * j], b[2 * j + 1])";
            case F16 -> "ox_to_f16(__fsub_rn(ox_from_f16((unsigned short)(15u << 10 | b[j] & 0x3ffu)), 1.0f))";
            default -> "ox_to_bf16(__fsub_rn(ox_from_bf16((unsigned short)(127u << 7 | b[j] & 0x7fu)), 1.0f))";
        };
    }

    private static String store(DType t, String value) {
        return switch (t) {
            case F16 -> "ox_to_f16(" + value + ")";
            case BF16 -> "ox_to_bf16(" + value + ")";
            default -> value;
        };
    }

    private static String truncated(DType t) {
        boolean wide = t == DType.F64;
        int blocks = group(t) * PhiloxState.BLOCKS_PER_OUTPUT / 4;
        return """
                  const long long g = (long long)blockIdx.x * 256 + threadIdx.x, end = (g + 1) * GROUP < n ? (g + 1) * GROUP : n;
                  Stream s = at(cell, (unsigned long long)g * BLOCKS);
                  for (long long i = g * GROUP; i < end;) {
                    unsigned b[4];
                    next(s, b);
                    DRAWN
                    for (int j = 0; j < COUNT; j++) if (i < end && fabs(f[j]) < 2) y[i++] = ONE;
                  }
                }
                """.replace("BLOCKS", blocks + "ull")
                .replace(
                        "DRAWN",
                        wide
                                ? "double f[2]; normal(b, f);"
                                : "float f[4]; normal(b[0], b[1], f); normal(b[2], b[3], f + 2);")
                .replace("COUNT", wide ? "2" : "4")
                .replace("ONE", store(t, "f[j]"));
    }
}
