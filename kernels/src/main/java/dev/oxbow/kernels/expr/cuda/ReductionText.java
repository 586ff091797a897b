package dev.oxbow.kernels.expr.cuda;

import dev.oxbow.kernels.expr.Assembler;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.Broadcast;
import dev.oxbow.kernels.expr.compile.Fold;
import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * The kernel that folds expressions of broadcast inputs along marked dimensions. Its parameters: the inputs that are used, the
 * outputs, how many elements are kept, how many are folded into each, how many of those a block takes, the dimensions, for each
 * used input its strides, the count of folded elements as a double and as an integer.
 */
public final class ReductionText {
    /** Threads of a block. */
    public static final int THREADS = 256;

    /** Columns that a block takes where the last dimension is kept. */
    public static final int COLUMNS = 32;

    public static final String ENTRY = "reduce";

    /**
     * How inputs lie. {@code lanes} threads fold one row; 0 where columns are folded, {@code vector} neighbours by one thread. A
     * block has {@code threads}.
     */
    public record Form(
            List<List<Boolean>> advances, List<Boolean> marked, int lanes, boolean wide, int threads, int vector) {

        /** Elements that a block makes. */
        public int elements() {
            return lanes > 0 ? THREADS / lanes : COLUMNS * vector;
        }
    }

    /** Threads of a block that folds long columns. */
    private static final int MOST_THREADS = 1024;

    /** Elements from which a column is long. */
    private static final long LONG_COLUMN = 128;

    /** Neighbours that one thread folds at most. */
    private static final int MOST_TOGETHER = 4;

    final Fold fold;
    final Program values;
    final List<DType> accumulators = new ArrayList<>();
    final Program results;
    final List<DType> outputs = new ArrayList<>();
    final int[] used;

    /**
     * Folds {@code values}; {@code results} make outputs of the accumulators, which are their first inputs, and the two counts.
     * Without, null, accumulators are the outputs, those of the y-th block of a row {@code kept * y} elements further on.
     */
    public ReductionText(Fold fold, List<Expr> values, List<Expr> results) {
        this.fold = fold;
        this.values = Assembler.assemble(values);
        for (Expr v : values) accumulators.add(fold.wide(v.dtype()));
        this.results = results == null ? null : Assembler.assemble(results);
        if (results == null) outputs.addAll(accumulators);
        else for (Expr r : results) outputs.add(r.dtype());
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < this.values.inputs; i++) if (this.values.inputTypes[i] != null) list.add(i);
        this.used = list.stream().mapToInt(Integer::intValue).toArray();
    }

    /** The inputs that the expressions use, in order. */
    public int[] used() {
        return used.clone();
    }

    public int inputs() {
        return values.inputs;
    }

    public DType input(int i) {
        return values.inputTypes[i];
    }

    public List<DType> accumulators() {
        return List.copyOf(accumulators);
    }

    /** The form for inputs that lie so, {@code aligned} when all begin at multiples of 16 bytes. */
    public Form form(Broadcast b, boolean aligned) {
        int rank = b.dims.length;
        List<List<Boolean>> advances = new ArrayList<>();
        List<Boolean> marked = new ArrayList<>();
        long folded = 1, most = 1;
        for (int d = 0; d < rank; d++) {
            marked.add(b.marked[d]);
            most *= b.dims[d];
            if (b.marked[d]) folded *= b.dims[d];
        }
        for (int i : used) {
            List<Boolean> one = new ArrayList<>();
            for (int d = 0; d < rank; d++) one.add(b.strides[i][d] != 0);
            advances.add(one);
        }
        boolean rows = b.marked[rank - 1];
        int threads = rows || folded < LONG_COLUMN ? THREADS : MOST_THREADS;
        int lanes = !rows ? 0 : folded <= 512 ? 32 : THREADS,
                vector = rows || !aligned ? 1 : together(b, most / folded);
        return new Form(advances, marked, lanes, 2 * most >= 1L << 31, threads, vector);
    }

    /** How many neighbouring columns lie next to each other in all inputs, or are one element there. */
    private int together(Broadcast b, long kept) {
        int last = b.dims.length - 1, vector = MOST_TOGETHER;
        for (DType t : accumulators) if (t.isComplex()) return 1;
        for (int i : used) {
            if (input(i).isComplex() || b.strides[i][last] > 1 || b.strides[i][last] < 0) return 1;
            while (vector * input(i).size() > 16) vector /= 2;
            for (int d = 0; d < last && b.strides[i][last] == 1; d++) while (b.strides[i][d] % vector != 0) vector /= 2;
        }
        while (vector > 1 && (b.dims[last] % vector != 0 || kept < (long) COLUMNS * vector)) vector /= 2;
        return vector;
    }

    /** The source for a form, prelude included. */
    public String text(Form f) {
        return text(f, false);
    }

    /**
     * The source for a form. Where blocks are {@code meeting}, those that share an element leave their accumulators in memory
     * of {@code kept} elements for each, and the last of them makes the result of all. More parameters at the end: that memory
     * for each accumulator, and a counter for each column of the grid that is 0 before and after.
     */
    public String text(Form f, boolean meeting) {
        if (f.vector > 1) return new ColumnText(this, f).text(meeting);
        String index = f.wide ? "unsigned long long" : "unsigned";
        StringBuilder s = new StringBuilder(head(f, meeting, index));
        if (f.lanes > 0) {
            s.append("  const int lane = threadIdx.x %% %d, lanes = %d;\n".formatted(f.lanes, f.lanes));
            s.append("  const %s o = (%s)blockIdx.x * %d + threadIdx.x / %d;\n"
                    .formatted(index, index, THREADS / f.lanes, f.lanes));
        } else {
            s.append("  const int lane = threadIdx.x / %d, lanes = %d;\n".formatted(COLUMNS, f.threads / COLUMNS));
            s.append("  const %s o = (%s)blockIdx.x * %d + threadIdx.x %% %d;\n"
                    .formatted(index, index, COLUMNS, COLUMNS));
        }
        s.append("  const %s from = (%s)blockIdx.y * chunk, to = from + chunk < folded ? from + chunk : folded;\n"
                .formatted(index, index));
        for (int k = 0; k < accumulators.size(); k++)
            s.append("  %s a%d = %s;\n"
                    .formatted(
                            CudaText.type(Kind.of(accumulators.get(k))),
                            k,
                            FoldText.neutral(fold, accumulators.get(k))));
        s.append("  if (o < kept) {\n");
        s.append(coordinates("o", f, index, false)).append(offsets("b", f, index, false));
        s.append("    #pragma unroll 4\n    for (%s r = from + lane; r < to; r += lanes) {\n".formatted(index));
        s.append(coordinates("r", f, index, true)).append(offsets("x", f, index, true));
        for (int k = 0; k < values.stores.length; k++)
            s.append("      %s s%d;\n".formatted(CudaText.type(values.stores[k].kind()), k));
        s.append("      value(");
        for (int k = 0; k < values.loads.length; k++) s.append(argument(k)).append(", ");
        s.append(CudaText.list("s", values.stores.length)).append(");\n");
        for (int k = 0; k < accumulators.size(); k++)
            s.append("      a%d = %s;\n"
                    .formatted(k, FoldText.fold(fold, values.stores[k].kind(), accumulators.get(k), "a" + k, "s" + k)));
        s.append("    }\n  }\n");
        if (f.lanes > 0)
            for (int k = 0; k < accumulators.size(); k++)
                s.append(FoldText.across(fold, accumulators.get(k), "a" + k, f.lanes));
        else for (int k = 0; k < accumulators.size(); k++) s.append(columns(k, f.threads / COLUMNS));
        if (meeting) s.append(meet());
        return s.append(end()).toString();
    }

    /** All before the body: functions and parameters. */
    String head(Form f, boolean meeting, String index) {
        StringBuilder s = new StringBuilder(CudaText.prelude());
        int rank = f.marked.size();
        s.append(CudaText.function("value", values));
        if (results != null) s.append(CudaText.function("result", results));
        s.append("extern \"C\" __global__ void __launch_bounds__(%d) %s(".formatted(f.threads, ENTRY));
        for (int k = 0; k < used.length; k++)
            s.append("const %s* p%d, ".formatted(CudaText.element(input(used[k])), k));
        for (int k = 0; k < outputs.size(); k++) s.append("%s* q%d, ".formatted(CudaText.element(outputs.get(k)), k));
        s.append("%s kept, %s folded, %s chunk".formatted(index, index, index));
        for (int d = 0; d < rank; d++) s.append(", %s d%d".formatted(index, d));
        for (int k = 0; k < used.length; k++)
            for (int d = 0; d < rank; d++) s.append(", %s t%d_%d".formatted(index, k, d));
        s.append(", double count, long long whole");
        for (int k = 0; k < accumulators.size() && meeting; k++)
            s.append(", %s* w%d".formatted(CudaText.type(Kind.of(accumulators.get(k))), k));
        return s.append(meeting ? ", unsigned* tickets) {\n" : ") {\n").toString();
    }

    /** Has the last block of those that share elements go on, with the accumulators of all, in the order of the blocks. */
    private String meet() {
        StringBuilder s = new StringBuilder("  __shared__ bool last;\n  if (lane == 0 && o < kept) {\n");
        for (int k = 0; k < accumulators.size(); k++)
            s.append("    w%d[(unsigned long long)blockIdx.y * kept + o] = a%d;\n".formatted(k, k));
        s.append("""
              }
              __threadfence();
              __syncthreads();
              if (threadIdx.x == 0) last = atomicAdd(tickets + blockIdx.x, 1u) == gridDim.y - 1;
              __syncthreads();
              if (!last) return;
              __threadfence();
              if (threadIdx.x == 0) tickets[blockIdx.x] = 0;
              if (lane != 0 || o >= kept) return;
            """);
        for (int k = 0; k < accumulators.size(); k++) {
            DType a = accumulators.get(k);
            String next = "__ldcg(w%d + (unsigned long long)y * kept + o)".formatted(k);
            s.append("  a%d = __ldcg(w%d + o);\n  #pragma unroll 8\n".formatted(k, k));
            s.append("  for (unsigned y = 1; y < gridDim.y; y++) a%d = %s;\n"
                    .formatted(k, FoldText.fold(fold, Kind.of(a), a, "a" + k, next)));
        }
        return s.toString();
    }

    /** The index of the kept or of the folded dimensions. */
    static String coordinates(String name, Form f, String index, boolean marked) {
        List<Integer> dims = new ArrayList<>();
        for (int d = 0; d < f.marked.size(); d++) if (f.marked.get(d) == marked) dims.add(d);
        StringBuilder s = new StringBuilder();
        String rest = name;
        for (int i = dims.size() - 1; i >= 0; i--) {
            int d = dims.get(i);
            if (i == 0) s.append("    const %s c%d = %s;\n".formatted(index, d, rest));
            else {
                s.append("    const %s c%d = %s %% d%d, %s%d = %s / d%d;\n"
                        .formatted(index, d, rest, d, name, d, rest, d));
                rest = name + d;
            }
        }
        return s.toString();
    }

    String offsets(String name, Form f, String index, boolean marked) {
        StringBuilder s = new StringBuilder();
        for (int k = 0; k < used.length; k++) {
            StringBuilder sum = new StringBuilder(marked ? "b" + k : "0");
            for (int d = 0; d < f.marked.size(); d++)
                if (f.marked.get(d) == marked && f.advances.get(k).get(d))
                    sum.append(" + c%d * t%d_%d".formatted(d, k, d));
            s.append("    const %s %s%d = %s;\n".formatted(index, name, k, sum));
        }
        return s.toString();
    }

    private String argument(int load) {
        Program.Load l = values.loads[load];
        int k = 0;
        while (used[k] != l.index()) k++;
        String at =
                CudaText.parts(l.dtype()) == 2 ? "2 * (unsigned long long)x%d + %d".formatted(k, l.part()) : "x" + k;
        return CudaText.loaded(l.dtype(), "p%d[%s]".formatted(k, at));
    }

    /** Folds the accumulators of a column, in halves. */
    private String columns(int k, int rows) {
        DType a = accumulators.get(k);
        Kind kind = Kind.of(a);
        String mine = "shared[lane][threadIdx.x %% %d]".formatted(COLUMNS),
                other = "shared[lane + w][threadIdx.x %% %d]".formatted(COLUMNS);
        return """
              { __shared__ TYPE shared[ROWS][WIDTH];
                MINE = aNUMBER;
                __syncthreads();
                #pragma unroll
                for (int w = ROWS / 2; w > 0; w /= 2) {
                  if (lane < w) MINE = aNUMBER = FOLD;
                  __syncthreads();
                } }
            """.replace("MINE", mine)
                .replace("FOLD", FoldText.fold(fold, kind, a, "a" + k, other))
                .replace("TYPE", CudaText.type(kind))
                .replace("ROWS", String.valueOf(rows))
                .replace("WIDTH", String.valueOf(COLUMNS))
                .replace("NUMBER", String.valueOf(k));
    }

    private String end() {
        StringBuilder s = new StringBuilder("  if (lane != 0 || o >= kept) return;\n");
        if (results == null) {
            for (int k = 0; k < outputs.size(); k++)
                s.append("  q%d[(unsigned long long)blockIdx.y * kept + o] = a%d;\n".formatted(k, k));
            return s.append("}\n").toString();
        }
        for (int k = 0; k < results.stores.length; k++)
            s.append("  %s r%d;\n".formatted(CudaText.type(results.stores[k].kind()), k));
        s.append("  result(");
        for (Program.Load l : results.loads) {
            int i = l.index(), n = accumulators.size();
            s.append(i < n ? "a" + i : i == n ? "count" : "whole").append(", ");
        }
        s.append(CudaText.list("r", results.stores.length)).append(");\n");
        for (int k = 0; k < results.stores.length; k++) {
            Program.Store st = results.stores[k];
            String at = CudaText.parts(st.dtype()) == 2 ? "2 * (unsigned long long)o + " + st.part() : "o";
            s.append("  q%d[%s] = %s;\n".formatted(st.index(), at, CudaText.stored(st.dtype(), "r" + k)));
        }
        return s.append("}\n").toString();
    }
}
