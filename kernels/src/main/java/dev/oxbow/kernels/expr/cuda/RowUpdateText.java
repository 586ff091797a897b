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
     * entries of each row are linked before, in any order; the first of them, in a group of lanes of its own, sorts its few fellows
     * and applies them one after the other, some neighbouring columns a lane. Each entry is a chain of reads that wait for each
     * other, so groups have no more lanes than a row has such pieces: then more entries are under way. Rows that many entries name
     * are left to blocks of their own, which look through the whole list.
     */

    public static final int THREADS = 256;

    /** Entries of a row that one warp sorts. */
    public static final int FEW = 48;

    /** How rows lie: {@code vector} elements that a lane moves at a time, and lanes of an entry. */
    public record Form(int vector, int lanes) {
        private static final int FEWEST_LANES = 4;

        /** For rows of so many elements, which an instruction moves up to {@code most} of. */
        public static Form of(long inner, int most) {
            int vector = most;
            while (inner % vector != 0) vector /= 2;
            int lanes = FEWEST_LANES;
            while (lanes < 32 && (long) lanes * vector < inner) lanes *= 2;
            return new Form(vector, lanes);
        }

        /** Entries that a block applies. */
        public int entries() {
            return THREADS / lanes;
        }
    }

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

    /** The input that has a row for each index. */
    public int rows() {
        return rows;
    }

    /** Whether there is text: elements of one part alone. */
    public static boolean supports(List<Expr> updates) {
        return CudaText.supports(updates)
                && Expr.nodes(updates).stream().noneMatch(e -> e.dtype().isComplex());
    }

    /** Applies the entries of rows that few name; {@code many[0]} counts the others, which follow it. */
    public String few(DType index, Form f) {
        return text("few", index, """
                  __shared__ int lists[ENTRIES][FEW];
                  const int lane = threadIdx.x % LANES, entry = threadIdx.x / LANES;
                  const long long p = (long long)blockIdx.x * ENTRIES + entry;
                  if (p >= n) return;
                  const long long row = (long long)indices[p];
                  if (row < 0) return;
                  int* list = lists[entry];
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
                  __syncwarp(MASK);
                  for (long long c = lane * VECTOR; c < inner; c += LANES * VECTOR) {
                    const long long at = row * inner + c;
                    LOAD
                    for (int i = 0; i < count; i++) {
                      const long long from = list[i] * inner + c;
                      ROW
                      #pragma unroll
                      for (int j = 0; j < VECTOR; j++) { STEP }
                    }
                    STORE
                  }
                """.replace("ENTRIES", String.valueOf(f.entries()))
                .replace("LANES", String.valueOf(f.lanes))
                .replace(
                        "MASK",
                        f.lanes == 32
                                ? "0xffffffffu"
                                : "%du << (threadIdx.x %% 32 / %d * %d)"
                                        .formatted((1 << f.lanes) - 1, f.lanes, f.lanes))
                .replace("LOAD", packs(f))
                .replace("ROW", "const %s u = *(const %s*)(p%d + from);".formatted(pack(rows, f), pack(rows, f), rows))
                .replace("STEP", step("y%d.x[j]", "u.x[j]"))
                .replace("STORE", unpacked(f))
                .replace("VECTOR", String.valueOf(f.vector)));
    }

    private String pack(int input, Form f) {
        DType t = input < updates.size() ? updates.get(input).dtype() : program.inputTypes[input];
        return "Pack<%s, %d>".formatted(t == null ? "unsigned char" : CudaText.element(t), f.vector);
    }

    private String packs(Form f) {
        StringBuilder s = new StringBuilder();
        for (int i = 0; i < updates.size(); i++)
            s.append("%s y%d = *(const %s*)(p%d + at); ".formatted(pack(i, f), i, pack(i, f), i));
        return s.toString();
    }

    private String unpacked(Form f) {
        StringBuilder s = new StringBuilder();
        for (int i = 0; i < updates.size(); i++) s.append("*(%s*)(p%d + at) = y%d; ".formatted(pack(i, f), i, i));
        return s.toString();
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
                """.replace("LOAD", loads())
                .replace("STEP", step("y%d", "p%d[from]".formatted(rows)))
                .replace("STORE", stores()));
    }

    /** A kernel with pointers to all inputs after what all have; the entry is its name. */
    private String text(String entry, DType index, String body) {
        StringBuilder s = new StringBuilder(CudaText.prelude()).append(CudaText.function("value", program));
        s.append("extern \"C\" __global__ void __launch_bounds__(%d) %s(%s".formatted(THREADS, entry, PARAMETERS));
        for (int i = 0; i < program.inputs; i++) s.append(", %s* p%d".formatted(element(i), i));
        return s.append(") {\n  if (*word != 0) return;\n")
                .append(body.replace("FEW", String.valueOf(FEW)))
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

    /** One entry's part in an element, which these are the old one and the row's. */
    private String step(String old, String row) {
        StringBuilder s = new StringBuilder(), call = new StringBuilder();
        for (Program.Load l : program.loads) {
            int i = l.index();
            String at = i < updates.size() ? old.formatted(i) : i == rows ? row : "p%d[0]".formatted(i);
            call.append(call.isEmpty() ? "" : ", ").append(CudaText.loaded(l.dtype(), at));
        }
        for (int k = 0; k < program.stores.length; k++) {
            s.append("%s s%d; ".formatted(CudaText.type(program.stores[k].kind()), k));
            call.append(call.isEmpty() ? "" : ", ").append("s").append(k);
        }
        s.append("value(%s); ".formatted(call));
        for (int k = 0; k < program.stores.length; k++) {
            Program.Store st = program.stores[k];
            s.append("%s = %s; ".formatted(old.formatted(st.index()), CudaText.stored(st.dtype(), "s" + k)));
        }
        return s.toString();
    }

    private String stores() {
        StringBuilder s = new StringBuilder();
        for (int i = 0; i < updates.size(); i++) s.append("p%d[at] = y%d; ".formatted(i, i));
        return s.toString();
    }
}
