package dev.oxbow.cuda;

import dev.oxbow.tensor.DType;

/** Kernels that follow indices: they take rows from a table, and change rows of it in the order of a list. */
final class IndexText {

    /*
     * Several entries of a list may name one row, which must see them in their order, whatever the card does first. So the
     * entries of each row are linked, in any order; the first of them, in a warp of its own, sorts its few fellows and applies
     * them one after the other, a column a lane. Rows that many entries name are left to blocks of their own, which look through
     * the whole list.
     */

    static final int THREADS = 256;

    /** Entries of a row that one warp sorts. */
    static final int FEW = 48;

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

    static String element(DType t) {
        return switch (t) {
            case F32 -> "float";
            case F64 -> "double";
            case I64 -> "long long";
            default -> "int";
        };
    }

    /** Links the entries of each row: {@code heads} has one more than the last of each, {@code next} one more than that before. */
    static String link(DType index) {
        return FAULT + """
                extern "C" __global__ void __launch_bounds__(256) link(const INDEX* indices, int* heads, int* next, long long n, long long rows, int* word, long long* report, int node) {
                  long long p = (long long)blockIdx.x * 256 + threadIdx.x;
                  if (p >= n) return;
                  long long row = (long long)indices[p];
                  if (outside(row, rows, p, word, report, node)) return;
                  next[p] = atomicExch(heads + row, (int)p + 1);
                }
                """.replace("INDEX", index(index));
    }

    /** Applies the entries of rows that few name; {@code many[0]} counts the others, which follow it. */
    static String apply(DType element, DType index, String combine) {
        return """
                extern "C" __global__ void __launch_bounds__(256) apply(const INDEX* indices, const int* heads, const int* next, const ELEMENT* updates, ELEMENT* table, int* many, long long n, long long inner, const int* word) {
                  if (*word != 0) return;
                  __shared__ int lists[8][FEW];
                  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
                  const long long p = (long long)blockIdx.x * 8 + warp;
                  if (p >= n) return;
                  const long long row = (long long)indices[p];
                  int* list = lists[warp];
                  int count = 0;
                  bool first = true;
                  for (int q = heads[row]; q != 0 && count <= FEW; q = next[q - 1]) {
                    if (q - 1 < p) first = false;
                    if (count < FEW && lane == 0) list[count] = q - 1;
                    count++;
                  }
                  if (count > FEW) {
                    if (lane == 0 && heads[row] == (int)p + 1) many[1 + atomicAdd(many, 1)] = (int)p;
                    return;
                  }
                  if (!first) return;
                  if (lane == 0)
                    for (int i = 1; i < count; i++) {
                      int v = list[i], k = i;
                      for (; k > 0 && list[k - 1] > v; k--) list[k] = list[k - 1];
                      list[k] = v;
                    }
                  __syncwarp();
                  for (long long c = lane; c < inner; c += 32) {
                    ELEMENT y = table[row * inner + c];
                    for (int i = 0; i < count; i++) { const ELEMENT u = updates[list[i] * inner + c]; y = COMBINE; }
                    table[row * inner + c] = y;
                  }
                }
                """.replace("COMBINE", combine)
                .replace("INDEX", index(index))
                .replace("ELEMENT", element(element))
                .replace("FEW", String.valueOf(FEW));
    }

    /** Applies the entries of rows that many name: a block looks through the list from its start. */
    static String applyMany(DType element, DType index, String combine) {
        return """
                extern "C" __global__ void __launch_bounds__(256) apply_many(const INDEX* indices, const ELEMENT* updates, ELEMENT* table, const int* many, long long n, long long inner, const int* word) {
                  if (*word != 0) return;
                  __shared__ int list[256];
                  __shared__ int counts[8];
                  for (int m = blockIdx.x; m < many[0]; m += gridDim.x) {
                    const long long row = (long long)indices[many[1 + m]];
                    for (long long from = 0; from < n; from += 256) {
                      const long long p = from + threadIdx.x;
                      const bool mine = p < n && (long long)indices[p] == row;
                      const unsigned votes = __ballot_sync(0xffffffffu, mine);
                      if (threadIdx.x % 32 == 0) counts[threadIdx.x / 32] = __popc((int)votes);
                      __syncthreads();
                      int before = 0, all = 0;
                      for (int w = 0; w < 8; w++) { if (w < (int)threadIdx.x / 32) before += counts[w]; all += counts[w]; }
                      if (mine) list[before + __popc((int)(votes & ((1u << (threadIdx.x % 32)) - 1u)))] = (int)p;
                      __syncthreads();
                      for (long long c = threadIdx.x; c < inner && all > 0; c += 256) {
                        ELEMENT y = table[row * inner + c];
                        for (int i = 0; i < all; i++) { const ELEMENT u = updates[list[i] * inner + c]; y = COMBINE; }
                        table[row * inner + c] = y;
                      }
                      __syncthreads();
                    }
                  }
                }
                """.replace("COMBINE", combine).replace("INDEX", index(index)).replace("ELEMENT", element(element));
    }
}
