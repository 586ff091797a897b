package dev.oxbow.kernels.expr.cuda;

import dev.oxbow.kernels.expr.Assembler;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Kernels that change rows of tables in the order of a list of indices, by expressions of the old elements and a row for each index. */
public final class RowUpdateText {

    /*
     * Several entries of a list may name one row, which must see them in their order, whatever the card does first. The
     * entries of each row are linked before, in any order; the first of them, in a warp of its own, sorts its few fellows and
     * applies them one after the other, a column a lane. Rows that many entries name are left to blocks of their own, which
     * look through the whole list.
     */

    public static final int THREADS = 256;

    /** Entries of a row that one warp sorts. */
    public static final int FEW = 48;

    private static final String PARAMETERS =
            "const INDEX* indices, const int* heads, const int* next, int* many, long long n, long long inner, const int* word";

    private final Program program;
    private final List<Expr> updates;
    private final int rows;

    /** Input i of the updates is table i, input {@code rows} has a row for each index, all others are scalars. */
    public RowUpdateText(List<Expr> updates, int rows) {
        this.program = Assembler.assemble(updates);
        this.updates = List.copyOf(updates);
        this.rows = rows;
    }

    /** How many inputs there are, used or not. */
    public int inputs() {
        return program.inputs;
    }

    /** Whether there is text: elements of one part alone. */
    public static boolean supports(List<Expr> updates) {
        return CudaText.supports(updates)
                && Expr.nodes(updates).stream().noneMatch(e -> e.dtype().isComplex());
    }

    /** Applies the entries of rows that few name; {@code many[0]} counts the others, which follow it. */
    public String few(DType index) {
        return text("few", index, """
                  __shared__ int lists[8][FEW];
                  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
                  const long long p = (long long)blockIdx.x * 8 + warp;
                  if (p >= n) return;
                  const long long row = (long long)indices[p];
                  if (row < 0) return;
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
                    const long long at = row * inner + c;
                    LOAD
                    for (int i = 0; i < count; i++) { const long long from = list[i] * inner + c; STEP }
                    STORE
                  }
                """);
    }

    /** Applies the entries of rows that many name: a block looks through the list from its start. */
    public String many(DType index) {
        return text("rest", index, """
                  __shared__ int list[256];
                  __shared__ int counts[8];
                  for (int m = blockIdx.x; m < many[0]; m += gridDim.x) {
                    const long long row = (long long)indices[many[1 + m]];
                    for (long long start = 0; start < n; start += 256) {
                      const long long p = start + threadIdx.x;
                      const bool mine = p < n && (long long)indices[p] == row;
                      const unsigned votes = __ballot_sync(0xffffffffu, mine);
                      if (threadIdx.x % 32 == 0) counts[threadIdx.x / 32] = __popc((int)votes);
                      __syncthreads();
                      int before = 0, all = 0;
                      for (int w = 0; w < 8; w++) { if (w < (int)threadIdx.x / 32) before += counts[w]; all += counts[w]; }
                      if (mine) list[before + __popc((int)(votes & ((1u << (threadIdx.x % 32)) - 1u)))] = (int)p;
                      __syncthreads();
                      for (long long c = threadIdx.x; c < inner && all > 0; c += 256) {
                        const long long at = row * inner + c;
                        LOAD
                        for (int i = 0; i < all; i++) { const long long from = list[i] * inner + c; STEP }
                        STORE
                      }
                      __syncthreads();
                    }
                  }
                """);
    }

    /** A kernel with pointers to all inputs after what all have; the entry is its name. */
    private String text(String entry, DType index, String body) {
        StringBuilder s = new StringBuilder(CudaText.prelude()).append(CudaText.function("value", program));
        s.append("extern \"C\" __global__ void __launch_bounds__(%d) %s(%s".formatted(THREADS, entry, PARAMETERS));
        for (int i = 0; i < program.inputs; i++) s.append(", %s* p%d".formatted(element(i), i));
        return s.append(") {\n  if (*word != 0) return;\n")
                .append(body.replace("LOAD", loads())
                        .replace("STEP", step())
                        .replace("STORE", stores())
                        .replace("FEW", String.valueOf(FEW)))
                .append("}\n")
                .toString()
                .replace("INDEX", CudaText.element(index));
    }

    private String element(int input) {
        if (input < updates.size()) return CudaText.element(updates.get(input).dtype());
        DType t = program.inputTypes[input];
        return t == null ? "unsigned char" : "const " + CudaText.element(t);
    }

    private String loads() {
        StringBuilder s = new StringBuilder();
        for (int i = 0; i < updates.size(); i++) s.append("%s y%d = p%d[at]; ".formatted(element(i), i, i));
        return s.toString();
    }

    private String step() {
        StringBuilder s = new StringBuilder(), call = new StringBuilder();
        for (Program.Load l : program.loads) {
            int i = l.index();
            String at = i < updates.size() ? "y" + i : i == rows ? "p%d[from]".formatted(i) : "p%d[0]".formatted(i);
            call.append(call.isEmpty() ? "" : ", ").append(CudaText.loaded(l.dtype(), at));
        }
        for (int k = 0; k < program.stores.length; k++) {
            s.append("%s s%d; ".formatted(CudaText.type(program.stores[k].kind()), k));
            call.append(call.isEmpty() ? "" : ", ").append("s").append(k);
        }
        s.append("value(%s); ".formatted(call));
        for (int k = 0; k < program.stores.length; k++) {
            Program.Store st = program.stores[k];
            s.append("y%d = %s; ".formatted(st.index(), CudaText.stored(st.dtype(), "s" + k)));
        }
        return s.toString();
    }

    private String stores() {
        StringBuilder s = new StringBuilder();
        for (int i = 0; i < updates.size(); i++) s.append("p%d[at] = y%d; ".formatted(i, i));
        return s.toString();
    }
}
