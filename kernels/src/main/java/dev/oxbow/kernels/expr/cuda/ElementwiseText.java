package dev.oxbow.kernels.expr.cuda;

import dev.oxbow.kernels.expr.Assembler;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.Broadcast;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * The kernel of expressions over broadcast inputs. Its parameters: the inputs that are used, the outputs, the number of
 * elements; beyond one dimension the dimensions, then for each used input its strides; with a guard, a word that
 * stops it unless it is 0.
 */
public final class ElementwiseText {
    /** Threads of a block. */
    public static final int THREADS = 256;

    public static final String ENTRY = "elementwise";

    /** How inputs lie: by input, then by collapsed dimension, whether it advances; {@code vector} elements for each thread. */
    public record Form(List<List<Boolean>> advances, int rank, int vector, boolean wide, boolean guarded) {}

    private final Program program;
    private final List<Expr> outputs;
    private final int[] used;

    public ElementwiseText(List<Expr> outputs) {
        this.outputs = List.copyOf(outputs);
        this.program = Assembler.assemble(outputs);
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < program.inputs; i++) if (program.inputTypes[i] != null) list.add(i);
        this.used = list.stream().mapToInt(Integer::intValue).toArray();
    }

    /** The inputs that the expressions use, in order. */
    public int[] used() {
        return used.clone();
    }

    /** How many inputs there are, used or not. */
    public int inputs() {
        return program.inputs;
    }

    /** The dtype of an input that is used. */
    public DType input(int i) {
        return program.inputTypes[i];
    }

    /** The form for inputs that lie so; {@code aligned} when all begin at multiples of 16 bytes. */
    public Form form(Broadcast b, boolean aligned, boolean guarded) {
        List<List<Boolean>> advances = new ArrayList<>();
        long n = 1, most = 1;
        int rank = b.dims.length;
        for (long d : b.dims) n *= d;
        for (int i : used) {
            List<Boolean> one = new ArrayList<>();
            long extent = 1;
            for (int d = 0; d < rank; d++) {
                one.add(b.strides[i][d] != 0);
                extent += (b.dims[d] - 1) * b.strides[i][d];
            }
            most = Math.max(most, extent * CudaText.parts(input(i)));
            advances.add(one);
        }
        for (Expr e : outputs) most = Math.max(most, n * CudaText.parts(e.dtype()));
        int width = 1;
        for (int i : used) width = Math.max(width, input(i).size());
        for (Expr e : outputs) width = Math.max(width, e.dtype().size());
        int vector = width <= 4 ? 4 : width == 8 ? 2 : 1;
        while (vector > 1 && (!aligned || b.dims[rank - 1] % vector != 0)) vector /= 2;
        return new Form(advances, rank, vector, most >= 1L << 31, guarded);
    }

    /** The kernels that {@link #joint} takes together at most. */
    public static final int MOST_JOINT = 32;

    /**
     * The source of one kernel in the place of several that have a form of one dimension. Its one parameter is a structure: the
     * arguments of each, eight bytes every one, for {@link #MOST_JOINT} of them; then for each the number of its first block;
     * then how many there are.
     */
    public String joint(Form f) {
        StringBuilder s = new StringBuilder(CudaText.prelude()).append(CudaText.function("value", program));
        int each = used.length + outputs.size() + (f.guarded ? 2 : 1);
        s.append("struct Joint { unsigned long long a[%d][%d]; unsigned first[%d]; unsigned count; };\n"
                .formatted(MOST_JOINT, each, MOST_JOINT));
        s.append("extern \"C\" __global__ void __launch_bounds__(%d) %s(const __grid_constant__ Joint j) {\n"
                .formatted(THREADS, ENTRY));
        s.append("  unsigned which = 0;\n  while (which + 1 < j.count && blockIdx.x >= j.first[which + 1]) which++;\n");
        s.append("  const unsigned block = blockIdx.x - j.first[which];\n");
        int at = 0;
        for (int k = 0; k < used.length; k++) {
            String type = CudaText.element(input(used[k]));
            s.append("  const %s* p%d = (const %s*)j.a[which][%d];\n".formatted(type, k, type, at++));
        }
        for (int k = 0; k < outputs.size(); k++) {
            String type = CudaText.element(outputs.get(k).dtype());
            s.append("  %s* q%d = (%s*)j.a[which][%d];\n".formatted(type, k, type, at++));
        }
        String index = f.wide ? "unsigned long long" : "unsigned";
        s.append("  const %s n = (%s)j.a[which][%d];\n".formatted(index, index, at++));
        if (f.guarded) s.append("  const int* guard = (const int*)j.a[which][%d];\n".formatted(at));
        return s.append(body(f, index, "block")).toString();
    }

    /** The source for a form, prelude included. */
    public String text(Form f) {
        StringBuilder s = new StringBuilder(CudaText.prelude());
        s.append(CudaText.function("value", program));
        String index = f.wide ? "unsigned long long" : "unsigned";
        s.append("extern \"C\" __global__ void __launch_bounds__(%d) %s(".formatted(THREADS, ENTRY));
        for (int k = 0; k < used.length; k++)
            s.append("const %s* p%d, ".formatted(CudaText.element(input(used[k])), k));
        for (int k = 0; k < outputs.size(); k++)
            s.append("%s* q%d, ".formatted(CudaText.element(outputs.get(k).dtype()), k));
        s.append(index).append(" n");
        for (int d = 0; d < f.rank && f.rank > 1; d++) s.append(", %s d%d".formatted(index, d));
        for (int k = 0; k < used.length && f.rank > 1; k++)
            for (int d = 0; d < f.rank; d++) s.append(", %s t%d_%d".formatted(index, k, d));
        if (f.guarded) s.append(", const int* guard");
        return s.append(") {\n").append(body(f, index, "blockIdx.x")).toString();
    }

    private String body(Form f, String index, String block) {
        StringBuilder s = new StringBuilder();
        if (f.guarded) s.append("  if (*guard != 0) return;\n");
        s.append("  %s at = ((%s)%s * %d + threadIdx.x) * %d;\n".formatted(index, index, block, THREADS, f.vector));
        s.append("  if (at >= n) return;\n");
        if (f.rank > 1) {
            s.append("  %s rest = at;\n".formatted(index));
            for (int d = f.rank - 1; d > 0; d--)
                s.append("  %s c%d = rest %% d%d; rest /= d%d;\n".formatted(index, d, d, d));
            s.append("  %s c0 = rest;\n".formatted(index));
        }
        for (int k = 0; k < used.length; k++) s.append(load(k, f, index));
        for (int k = 0; k < outputs.size(); k++) {
            DType t = outputs.get(k).dtype();
            s.append("  Pack<%s, %d> y%d;\n".formatted(CudaText.element(t), f.vector * CudaText.parts(t), k));
        }
        s.append("  #pragma unroll\n  for (int i = 0; i < %d; i++) {\n".formatted(f.vector));
        for (int k = 0; k < program.stores.length; k++)
            s.append("    %s s%d;\n".formatted(CudaText.type(program.stores[k].kind()), k));
        s.append("    value(");
        for (int k = 0; k < program.loads.length; k++)
            s.append(k == 0 ? "" : ", ").append(argument(k, f));
        for (int k = 0; k < program.stores.length; k++)
            s.append(k + program.loads.length == 0 ? "" : ", ").append("s").append(k);
        s.append(");\n");
        for (int k = 0; k < program.stores.length; k++) {
            Program.Store st = program.stores[k];
            int parts = CudaText.parts(st.dtype());
            s.append("    y%d.x[%s] = %s;\n"
                    .formatted(st.index(), at(parts, st.part()), CudaText.stored(st.dtype(), "s" + k)));
        }
        s.append("  }\n");
        for (int k = 0; k < outputs.size(); k++) {
            DType t = outputs.get(k).dtype();
            int parts = CudaText.parts(t);
            s.append("  *(Pack<%s, %d>*)(q%d + at%s) = y%d;\n"
                    .formatted(CudaText.element(t), f.vector * parts, k, parts == 2 ? " * 2" : "", k));
        }
        return s.append("}\n").toString();
    }

    private static String at(int parts, int part) {
        return parts == 1 ? "i" : "2 * i + " + part;
    }

    private String load(int k, Form f, String index) {
        DType t = input(used[k]);
        int parts = CudaText.parts(t);
        boolean runs = f.advances.get(k).get(f.rank - 1);
        StringBuilder at = new StringBuilder();
        if (f.rank == 1) at.append(runs ? "at" : "0");
        else
            for (int d = 0; d < f.rank; d++)
                if (f.advances.get(k).get(d))
                    at.append(at.isEmpty() ? "" : " + ").append("c%d * t%d_%d".formatted(d, k, d));
        String offset = at.isEmpty() ? "0" : at.toString();
        return "  Pack<%s, %d> x%d = *(const Pack<%s, %d>*)(p%d + (%s)(%s)%s);\n"
                .formatted(
                        CudaText.element(t),
                        (runs ? f.vector : 1) * parts,
                        k,
                        CudaText.element(t),
                        (runs ? f.vector : 1) * parts,
                        k,
                        index,
                        offset,
                        parts == 2 ? " * 2" : "");
    }

    private String argument(int load, Form f) {
        Program.Load l = program.loads[load];
        int k = 0;
        while (used[k] != l.index()) k++;
        boolean runs = f.advances.get(k).get(f.rank - 1);
        int parts = CudaText.parts(l.dtype());
        String i = runs ? at(parts, l.part()) : String.valueOf(l.part());
        return CudaText.loaded(l.dtype(), "x%d.x[%s]".formatted(k, i));
    }
}
