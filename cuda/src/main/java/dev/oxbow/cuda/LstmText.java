package dev.oxbow.cuda;

import dev.oxbow.kernels.expr.Assembler;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.cuda.CudaText;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * The kernels of a layer of LSTM cells over time. Each block has some of the cells for the whole of the time: their weights
 * lie in its shared memory, and blocks meet once a step. Launched for one step at a time, blocks need not meet.
 */
final class LstmText {

    /*
     * Forward, a block reads all of the last state and gives its cells' part of the next. Backward the state's gradient is a sum
     * over all gates, and passing on what each block adds to it moves half of what passing on all gates would: a block writes
     * its part for every other one and then adds what the others wrote for it, in their order, so results repeat. Two sets of
     * such parts take turns, since a block may be a step ahead of another that still reads.
     */

    static final int THREADS = 256;
    static final String FORWARD = "lstm";
    static final String GRADIENT = "lstm_gradient";

    /** Rows of a batch that are taken at once, one by each thread of a warp. */
    private static final int ROWS = 32;

    /** Of the state that a block looks at once, in shared memory. */
    private static final int CHUNK = 256;

    /** A block has at most so many cells, for whose gates each thread has sums. */
    static final int MOST_CELLS = 8;

    /** Bytes of weights that fit into shared memory beside the rest; others are read through the cache. */
    private static final int MOST_SHARED = 12 << 10;

    /** Cells, their number in each block, and rows of a batch. */
    record Form(int cells, int each, int batch) {
        int blocks() {
            return (cells + each - 1) / each;
        }

        /** Rows of weights, with some of zeros: all cells of all blocks, and a multiple of four. */
        private int rows() {
            return Math.max(each * blocks(), (cells + 3) / 4 * 4);
        }

        /** Whether all weights of a block lie in its shared memory. */
        boolean shares() {
            return 16L * each * rows() <= MOST_SHARED;
        }

        /** Bytes in which blocks leave what they add to the gradients of others, twice. */
        long parts() {
            return 8L * blocks() * blocks() * batch * each;
        }
    }

    private LstmText() {}

    /** The form for a card of so many multiprocessors; null where it has too few of them. */
    static Form form(long cells, long batch, int multiprocessors) {
        long each = (cells + multiprocessors - 1) / multiprocessors;
        if (each > MOST_CELLS || batch > 1 << 16) return null;
        Form f = new Form((int) cells, (int) each, (int) batch);
        return f.shares() || cells % 4 == 0 ? f : null;
    }

    /** How a step goes on from the four sums of its gates (i, ci, f, o) and the last cs: i, cs, f, o, ci, co and h. */
    static List<Expr> cell(float forgetBias, float clip) {
        Expr[] z = new Expr[4];
        for (int i = 0; i < 4; i++) z[i] = Expr.input(i, DType.F32);
        Expr in = z[0].sigmoid(),
                ci = z[1].tanh(),
                f = z[2].plus(z[2].literal(forgetBias)).sigmoid(),
                o = z[3].sigmoid();
        Expr cs = ci.times(in).plus(Expr.input(4, DType.F32).times(f));
        if (clip > 0) cs = cs.min(cs.literal(clip)).max(cs.literal(-clip));
        Expr co = cs.tanh();
        return List.of(in, cs, f, o, ci, co, co.times(o));
    }

    /** The gradients of i, ci, f and o before their functions and of the last cs, from i, f, o, ci, co, the last cs, and those of cs and h. */
    static List<Expr> gradient() {
        Expr[] v = new Expr[8];
        for (int i = 0; i < 8; i++) v[i] = Expr.input(i, DType.F32);
        Expr in = v[0],
                f = v[1],
                o = v[2],
                ci = v[3],
                co = v[4],
                last = v[5],
                dCs = v[6],
                dH = v[7],
                one = in.literal(1);
        Expr d = one.minus(co.times(co)).times(dH).times(o).plus(dCs);
        return List.of(
                in.times(one.minus(in)).times(d).times(ci),
                one.minus(ci.times(ci)).times(d).times(in),
                f.times(one.minus(f)).times(d).times(last),
                o.times(one.minus(o)).times(dH).times(co),
                d.times(f));
    }

    /** A function with a parameter for each input and then for each output, in their order. */
    private static String function(String name, List<Expr> formulas, int inputs) {
        Program p = Assembler.assemble(formulas);
        StringBuilder s = new StringBuilder(CudaText.function(name + "_lines", p));
        List<String> parameters = new ArrayList<>(), arguments = new ArrayList<>();
        for (int i = 0; i < inputs; i++) parameters.add("float x" + i);
        for (int i = 0; i < formulas.size(); i++) parameters.add("float& y" + i);
        for (Program.Load l : p.loads) arguments.add("x" + l.index());
        for (Program.Store st : p.stores) arguments.add("y" + st.index());
        return s.append("static __device__ __forceinline__ void %s(%s) { %s_lines(%s); }\n"
                        .formatted(name, String.join(", ", parameters), name, String.join(", ", arguments)))
                .toString();
    }

    private static String filled(String text, Form f, int[] columns) {
        String w = f.shares()
                ? "weights[(k) * GATES + (j)]"
                : "((k) < H && u0 + (j) % U < H ? __ldg(w + (size_t)(k) * 4 * H + column((j) / U) + u0 + (j) % U) : 0.0f)";
        String constants = """
                #define H %d
                #define U %d
                #define B %d
                #define G %d
                #define R %d
                #define GATES (4 * U)
                #define W(k, j) %s
                """.formatted(f.cells, f.each, f.batch, f.blocks(), f.rows(), w);
        String staged = f.shares() ? """
                  alignas(16) __shared__ float weights[R * GATES];
                  for (int i = threadIdx.x; i < R * GATES; i += 256) {
                    const int k = i / GATES, j = i % GATES, u = u0 + j % U;
                    weights[i] = k < H && u < H ? w[(size_t)k * 4 * H + column(j / U) + u] : 0.0f;
                  }
                """ : "";
        String column =
                "static __device__ __forceinline__ int column(int gate) { return gate == 0 ? %d : gate == 1 ? %d : gate == 2 ? %d : %d; }\n"
                        .formatted(columns[0], columns[1], columns[2], columns[3]);
        return CudaText.prelude() + constants + column + MEET + text.replace("STAGED\n", staged);
    }

    private static final String MEET = """
            static __device__ __forceinline__ void meet(unsigned* counter, unsigned until) {
              __syncthreads();
              if (threadIdx.x == 0) {
                __threadfence();
                atomicAdd(counter, 1u);
                while (*(volatile unsigned*)counter < until) {}
                __threadfence();
              }
              __syncthreads();
            }
            static __device__ __forceinline__ void part(unsigned* counter, unsigned all) {
              __syncthreads();
              if (threadIdx.x == 0 && all > G && atomicAdd(counter, 1u) == all - 1) *(volatile unsigned*)counter = 0;
            }
            """;

    /** Steps {@code from} to {@code to} of the layer; gates of the inputs are in {@code xp}, gates i, ci, f and o at these columns. */
    static String forward(Form f, int[] columns, float forgetBias, float clip) {
        String tile = f.cells % 4 == 0 ? """
                      for (int i = threadIdx.x; i < 32 * 64; i += 256) {
                        const int r = i / 64, k = k0 + i % 64 * 4;
                        float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
                        if (b0 + r < B && k < H) v = __ldcg((const float4*)(last + (size_t)(b0 + r) * H + k));
                        *(float4*)&tile[r][i % 64 * 4] = v;
                      }
                """ : """
                      for (int i = threadIdx.x; i < 32 * 256; i += 256) {
                        const int r = i / 256, k = k0 + i % 256;
                        tile[r][i % 256] = b0 + r < B && k < H ? __ldcg(last + (size_t)(b0 + r) * H + k) : 0.0f;
                      }
                """;
        return filled(function("cell", cell(forgetBias, clip), 5) + FORWARD_TEXT.replace("TILE\n", tile), f, columns);
    }

    private static final String FORWARD_TEXT = """
            extern "C" __global__ void __launch_bounds__(256) lstm(const float* xp, const float* w, const float* cs0, const float* h0, float* in, float* cs, float* fo, float* out, float* ci, float* co, float* h, unsigned* counter, int from, int to) {
              alignas(16) __shared__ float tile[32][260];
              const int u0 = blockIdx.x * U, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
              const int row = threadIdx.x / U, u = threadIdx.x % U;
            STAGED
              for (int t = from; t < to; t++) {
                const float* last = t == 0 ? h0 : h + (size_t)(t - 1) * B * H;
                const float* carried = t == 0 ? cs0 : cs + (size_t)(t - 1) * B * H;
                for (int b0 = 0; b0 < B; b0 += 32) {
                  const bool mine = threadIdx.x < 32 * U && b0 + row < B && u0 + u < H;
                  const size_t at = (size_t)(b0 + row) * H + u0 + u, to_at = (size_t)t * B * H + at;
                  float z[4] = {0.0f, 0.0f, 0.0f, 0.0f}, before = 0.0f;
                  if (mine) {
                    const float* x = xp + ((size_t)t * B + b0 + row) * 4 * H + u0 + u;
                    for (int g = 0; g < 4; g++) z[g] = x[column(g)];
                    before = carried[at];
                  }
                  float sum[GATES];
                  #pragma unroll
                  for (int j = 0; j < GATES; j++) sum[j] = 0.0f;
                  for (int k0 = 0; k0 < H; k0 += 256) {
                    __syncthreads();
            TILE
                    __syncthreads();
                    #pragma unroll 2
                    for (int k = warp * 32; k < warp * 32 + 32; k += 4) {
                      if (k0 + k >= H) break;
                      const float4 x = *(const float4*)&tile[lane][k];
                      #pragma unroll
                      for (int j = 0; j < GATES; j++) {
                        sum[j] = __fmaf_rn(x.x, W(k0 + k, j), sum[j]);
                        sum[j] = __fmaf_rn(x.y, W(k0 + k + 1, j), sum[j]);
                        sum[j] = __fmaf_rn(x.z, W(k0 + k + 2, j), sum[j]);
                        sum[j] = __fmaf_rn(x.w, W(k0 + k + 3, j), sum[j]);
                      }
                    }
                  }
                  __syncthreads();
                  float* sums = &tile[0][0];
                  #pragma unroll
                  for (int j = 0; j < GATES; j++) sums[(warp * GATES + j) * 32 + lane] = sum[j];
                  __syncthreads();
                  if (mine) {
                    for (int g = 0; g < 4; g++) {
                      float s = 0.0f;
                      #pragma unroll
                      for (int p = 0; p < 8; p++) s += sums[(p * GATES + g * U + u) * 32 + row];
                      z[g] += s;
                    }
                    cell(z[0], z[1], z[2], z[3], before, in[to_at], cs[to_at], fo[to_at], out[to_at], ci[to_at], co[to_at], h[to_at]);
                  }
                }
                if (t + 1 < to) meet(counter, (unsigned)(t + 1 - from) * G);
              }
              part(counter, (unsigned)(to - from) * G);
            }
            """;

    /**
     * Steps back in time, the {@code from}-th to the {@code to}-th of {@code time}, and the one after them, which gives the
     * gradient of the first h. Leaves gradients of all gates in {@code gates}, of cs in {@code dcs}.
     */
    static String gradient(Form f, int[] columns) {
        return filled(function("cell", gradient(), 8) + GRADIENT_TEXT, f, columns);
    }

    private static final String GRADIENT_TEXT = """
            extern "C" __global__ void __launch_bounds__(256) lstm_gradient(const float* w, const float* cs0, const float* in, const float* cs, const float* fo, const float* out, const float* ci, const float* co, const float* dcs_all, const float* dh_all, float* gates, float* dcs, float* dh0, float* parts, unsigned* counter, int from, int to, int time) {
              __shared__ float sums[256];
              __shared__ float gate[GATES][33];
              const int u0 = blockIdx.x * U, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
              const int row = threadIdx.x / U, u = threadIdx.x % U;
              const int slices = 256 / (32 * U), one = threadIdx.x % (32 * U), slice = threadIdx.x / (32 * U);
            STAGED
              for (int n = from; n < to; n++) {
                const int t = time - 1 - n;
                const float* read = parts + (size_t)((n + 1) & 1) * G * G * B * U;
                float* written = parts + (size_t)(n & 1) * G * G * B * U;
                for (int b0 = 0; b0 < B; b0 += 32) {
                  const bool mine = threadIdx.x < 32 * U && b0 + row < B && u0 + u < H;
                  const size_t at = (size_t)(b0 + row) * H + u0 + u, at_t = (size_t)t * B * H + at;
                  float dh = 0.0f;
                  if (n > 0) {
                    __syncthreads();
                    float s = 0.0f;
                    if (slice < slices && b0 + one / U < B) {
                      const float* p = read + (size_t)blockIdx.x * G * B * U + (size_t)b0 * U + one;
                      #pragma unroll 8
                      for (int k = slice; k < G; k += slices) s += __ldcg(p + (size_t)k * B * U);
                    }
                    sums[threadIdx.x] = s;
                    __syncthreads();
                    if (mine) for (int k = 0; k < slices; k++) dh += sums[k * 32 * U + threadIdx.x];
                  }
                  if (n == time) {
                    if (mine) dh0[at] = dh;
                    continue;
                  }
                  float d[4] = {0.0f, 0.0f, 0.0f, 0.0f};
                  if (mine) {
                    const float last = t == 0 ? cs0[at] : cs[at_t - (size_t)B * H];
                    const float carried = n == 0 ? dcs_all[at_t] : dcs_all[at_t] + dcs[at];
                    cell(in[at_t], fo[at_t], out[at_t], ci[at_t], co[at_t], last, carried, dh + dh_all[at_t], d[0], d[1], d[2], d[3], dcs[at]);
                    float* y = gates + ((size_t)t * B + b0 + row) * 4 * H + u0 + u;
                    for (int g = 0; g < 4; g++) y[column(g)] = d[g];
                  }
                  __syncthreads();
                  if (threadIdx.x < 32 * U) for (int g = 0; g < 4; g++) gate[g * U + u][row] = d[g];
                  __syncthreads();
                  float x[GATES];
                  #pragma unroll
                  for (int j = 0; j < GATES; j++) x[j] = gate[j][lane];
                  if (b0 + lane < B) {
                    #pragma unroll 2
                    for (int o = warp; o < G; o += 8) {
                      float* y = written + (((size_t)o * G + blockIdx.x) * B + b0 + lane) * U;
                      #pragma unroll
                      for (int k = 0; k < U; k++) {
                        float s = 0.0f;
                        #pragma unroll
                        for (int j = 0; j < GATES; j++) s = __fmaf_rn(x[j], W(o * U + k, j), s);
                        y[k] = s;
                      }
                    }
                  }
                }
                if (n + 1 < to) meet(counter, (unsigned)(n + 1 - from) * G);
              }
              part(counter, (unsigned)(to - from) * G);
            }
            """;
}
