package dev.oxbow.kernels.expr.cuda;

import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.tensor.DType;

/** The kernel of a reduction whose last dimension is kept, where a thread folds several neighbouring columns. */
final class ColumnText {

    /*
     * A warp reads some whole lines of memory for each row, and the rows of a block are shared among its warps, whose
     * accumulators meet in shared memory in a fixed order. Blocks that share columns meet as in ReductionText, but that all warps
     * of the last one fold what the others have left.
     */

    private static final int COLUMNS = ReductionText.COLUMNS;

    /** Bytes in which the warps of a block meet, those of all accumulators. */
    private static final int MOST_SHARED = 40 << 10;

    private final ReductionText of;
    private final ReductionText.Form f;
    private final int vector;

    ColumnText(ReductionText of, ReductionText.Form f) {
        this.of = of;
        this.f = f;
        this.vector = f.vector();
    }

    private String type(int k) {
        return CudaText.type(Kind.of(of.accumulators.get(k)));
    }

    private String each(String body) {
        return "  #pragma unroll\n  for (int j = 0; j < %d; j++) { %s }\n".formatted(vector, body);
    }

    private String neutral() {
        StringBuilder s = new StringBuilder();
        for (int k = 0; k < of.accumulators.size(); k++)
            s.append(each("a%d[j] = %s;".formatted(k, FoldText.neutral(of.fold, of.accumulators.get(k)))));
        return s.toString();
    }

    String text(boolean meeting) {
        String index = f.wide() ? "unsigned long long" : "unsigned";
        StringBuilder s = new StringBuilder(of.head(f, meeting, index));
        s.append("  const int lane = threadIdx.x / %d, lanes = %d, column = threadIdx.x %% %d;\n"
                .formatted(COLUMNS, f.threads() / COLUMNS, COLUMNS));
        s.append("  const %s o = ((%s)blockIdx.x * %d + column) * %d;\n".formatted(index, index, COLUMNS, vector));
        s.append("  const %s from = (%s)blockIdx.y * chunk, to = from + chunk < folded ? from + chunk : folded;\n"
                .formatted(index, index));
        for (int k = 0; k < of.accumulators.size(); k++) {
            int together = together(of.accumulators.get(k));
            s.append("  %s a%d[%d];\n".formatted(type(k), k, vector));
            s.append("  __shared__ %s shared%d[%d][%d][%d];\n"
                    .formatted(type(k), k, together, f.threads() / COLUMNS, COLUMNS));
        }
        s.append(neutral());
        s.append("  if (o < kept) {\n");
        s.append(ReductionText.coordinates("o", f, index, false)).append(of.offsets("b", f, index, false));
        s.append("    #pragma unroll 4\n    for (%s r = from + lane; r < to; r += lanes) {\n".formatted(index));
        s.append(ReductionText.coordinates("r", f, index, true)).append(of.offsets("x", f, index, true));
        for (int k = 0; k < of.used.length; k++) s.append(load(k));
        s.append(each(step())).append("    }\n  }\n").append(columns());
        if (meeting) s.append(meet());
        return s.append(end()).toString();
    }

    private boolean advances(int k) {
        return f.advances().get(k).getLast();
    }

    private String load(int k) {
        String type = CudaText.element(of.input(of.used[k]));
        if (!advances(k)) return "      const %s v%d = p%d[x%d];\n".formatted(type, k, k, k);
        String pack = "Pack<%s, %d>".formatted(type, vector);
        return "      const %s v%d = *(const %s*)(p%d + x%d);\n".formatted(pack, k, pack, k, k);
    }

    private String step() {
        StringBuilder s = new StringBuilder(), call = new StringBuilder();
        Program p = of.values;
        for (int k = 0; k < p.stores.length; k++) s.append("%s s%d; ".formatted(CudaText.type(p.stores[k].kind()), k));
        for (Program.Load l : p.loads) {
            int k = 0;
            while (of.used[k] != l.index()) k++;
            call.append(CudaText.loaded(l.dtype(), advances(k) ? "v%d.x[j]".formatted(k) : "v" + k))
                    .append(", ");
        }
        s.append("value(%s%s); ".formatted(call, CudaText.list("s", p.stores.length)));
        for (int k = 0; k < of.accumulators.size(); k++)
            s.append("a%d[j] = %s; "
                    .formatted(
                            k,
                            FoldText.fold(
                                    of.fold,
                                    p.stores[k].kind(),
                                    of.accumulators.get(k),
                                    "a%d[j]".formatted(k),
                                    "s" + k)));
        return s.toString();
    }

    /** Neighbouring columns that warps fold at a time. */
    private int together(DType accumulator) {
        int each = f.threads() * accumulator.size() * of.accumulators.size(), n = vector;
        while (n > 1 && n * each > MOST_SHARED) n /= 2;
        return n;
    }

    /** Folds the accumulators of the warps of a block, in halves, some columns at a time; the first warp has the results. */
    private String columns() {
        StringBuilder s = new StringBuilder();
        int rows = f.threads() / COLUMNS;
        for (int k = 0; k < of.accumulators.size(); k++) {
            DType a = of.accumulators.get(k);
            String fold = FoldText.fold(
                    of.fold, Kind.of(a), a, "a%d[j + i]".formatted(k), "shared%d[i][lane + w][column]".formatted(k));
            s.append("""
                      #pragma unroll
                      for (int j = 0; j < VECTOR; j += TOGETHER) {
                        #pragma unroll
                        for (int i = 0; i < TOGETHER; i++) sharedNUMBER[i][lane][column] = aNUMBER[j + i];
                        __syncthreads();
                        #pragma unroll
                        for (int w = ROWS / 2; w > 0; w /= 2) {
                          if (lane < w) {
                            #pragma unroll
                            for (int i = 0; i < TOGETHER; i++) sharedNUMBER[i][lane][column] = aNUMBER[j + i] = FOLD;
                          }
                          __syncthreads();
                        }
                      }
                    """.replace("TOGETHER", String.valueOf(together(a)))
                    .replace("VECTOR", String.valueOf(vector))
                    .replace("COLUMNS", String.valueOf(COLUMNS))
                    .replace("ROWS", String.valueOf(rows))
                    .replace("FOLD", fold)
                    .replace("NUMBER", String.valueOf(k)));
        }
        return s.toString();
    }

    private String meet() {
        StringBuilder s = new StringBuilder("  __shared__ bool last;\n  if (lane == 0 && o < kept) {\n");
        for (int k = 0; k < of.accumulators.size(); k++)
            s.append(each("w%d[(unsigned long long)blockIdx.y * kept + o + j] = a%d[j];".formatted(k, k)));
        s.append("""
              }
              __threadfence();
              __syncthreads();
              if (threadIdx.x == 0) last = atomicAdd(tickets + blockIdx.x, 1u) == gridDim.y - 1;
              __syncthreads();
              if (!last) return;
              __threadfence();
              if (threadIdx.x == 0) tickets[blockIdx.x] = 0;
            """);
        s.append(neutral());
        s.append("  if (o < kept)\n    for (unsigned y = lane; y < gridDim.y; y += lanes) {\n");
        for (int k = 0; k < of.accumulators.size(); k++) {
            DType a = of.accumulators.get(k);
            String next = "__ldcg(w%d + (unsigned long long)y * kept + o + j)".formatted(k);
            String fold = FoldText.fold(of.fold, Kind.of(a), a, "a%d[j]".formatted(k), next);
            s.append(each("a%d[j] = %s;".formatted(k, fold)));
        }
        return s.append("    }\n").append(columns()).toString();
    }

    private String end() {
        StringBuilder s = new StringBuilder("  if (lane != 0 || o >= kept) return;\n"), body = new StringBuilder();
        if (of.results == null) {
            for (int k = 0; k < of.outputs.size(); k++)
                body.append("q%d[(unsigned long long)blockIdx.y * kept + o + j] = a%d[j]; ".formatted(k, k));
            return s.append(each(body.toString())).append("}\n").toString();
        }
        Program p = of.results;
        for (int k = 0; k < p.stores.length; k++)
            body.append("%s r%d; ".formatted(CudaText.type(p.stores[k].kind()), k));
        body.append("result(");
        for (Program.Load l : p.loads) {
            int i = l.index(), n = of.accumulators.size();
            body.append(i < n ? "a%d[j]".formatted(i) : i == n ? "count" : "whole")
                    .append(", ");
        }
        body.append(CudaText.list("r", p.stores.length)).append("); ");
        for (int k = 0; k < p.stores.length; k++) {
            Program.Store st = p.stores[k];
            body.append("q%d[o + j] = %s; ".formatted(st.index(), CudaText.stored(st.dtype(), "r" + k)));
        }
        return s.append(each(body.toString())).append("}\n").toString();
    }
}
