package dev.oxbow.cuda;

import dev.oxbow.tensor.DType;

/** Kernels that follow indices: they take rows from a table, and link the entries of a list that name one row. */
final class IndexText {

    static final int THREADS = 256;

    private static final String FAULT = """
            static __device__ __forceinline__ bool outside(long long index, long long bound, long long position, int* word, long long* report, int node) {
              if (index >= 0 && index < bound) return false;
              if (atomicCAS(word, 0, node) == 0) {
                report[1] = position; report[2] = index; report[3] = bound;
                __threadfence_system();
                report[0] = node;
              }
              return true;
            }
            """;

    private IndexText() {}

    /** {@code y[o, i, k] = x[o, indices[i], k]} on pieces of {@code width} bytes; a bad index leaves its row as it was. */
    static String gather(int width, DType index) {
        return FAULT + """
                extern "C" __global__ void __launch_bounds__(256) gather(const PIECE* x, const INDEX* indices, PIECE* y, long long outer, long long rows, long long count, long long inner, int* word, long long* report, int node) {
                  long long at = (long long)blockIdx.x * 256 + threadIdx.x;
                  if (at >= outer * count * inner) return;
                  long long k = at % inner, r = at / inner, i = r % count, o = r / count;
                  long long from = (long long)indices[i];
                  if (outside(from, rows, i, word, report, node)) return;
                  y[at] = x[(o * rows + from) * inner + k];
                }
                """.replace("PIECE", piece(width)).replace("INDEX", index(index));
    }

    private static String piece(int width) {
        return switch (width) {
            case 1 -> "unsigned char";
            case 2 -> "unsigned short";
            case 4 -> "unsigned";
            case 8 -> "unsigned long long";
            default -> "ulonglong2";
        };
    }

    private static String index(DType t) {
        return t == DType.I64 ? "long long" : "int";
    }

    /**
     * Links the entries of each row: {@code heads} has one more than the last of each, {@code next} one more than that before.
     * Those below 0 are left out where that {@code skips}.
     */
    static String link(DType index, boolean skips) {
        return FAULT + """
                extern "C" __global__ void __launch_bounds__(256) link(const INDEX* indices, int* heads, int* next, long long n, long long rows, int* word, long long* report, int node) {
                  long long p = (long long)blockIdx.x * 256 + threadIdx.x;
                  if (p >= n) return;
                  long long row = (long long)indices[p];
                  SKIP
                  if (outside(row, rows, p, word, report, node)) return;
                  next[p] = atomicExch(heads + row, (int)p + 1);
                }
                """.replace("INDEX", index(index)).replace("SKIP", skips ? "if (row < 0) return;" : "");
    }
}
