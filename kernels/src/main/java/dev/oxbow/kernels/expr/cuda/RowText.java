package dev.oxbow.kernels.expr.cuda;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.expr.compile.RowProgram;
import dev.oxbow.kernels.expr.compile.RowProgram.Sink;
import dev.oxbow.kernels.expr.compile.RowProgram.Source;
import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.tensor.DType;
import java.util.Set;
import java.util.TreeSet;

/**
 * The kernel of a formula over rows: some threads of a block take a row through all passes. Its parameters: the inputs, the
 * outputs, rows, columns, for each input the elements from one row to the next; where an input is checked, the word and the
 * report for faults and the number of the node.
 */
public final class RowText {
    /** Threads of a block. */
    public static final int THREADS = 256;

    public static final String ENTRY = "rows";

    /** How rows are taken: threads for each, columns that one takes at once, and how often where it keeps them; 0 where not. */
    public record Form(int lanes, int vector, int held) {}

    /** Bytes of a row that a thread keeps, of all inputs, and instructions that it runs on them. */
    private static final int MOST_HELD = 384;

    private static final int MOST_CODE = 6144;

    private final RowProgram program;

    /** Inputs that more than one pass reads. */
    private final Set<Integer> shared = new TreeSet<>();

    public RowText(RowProgram program) {
        require(
                program.kept.length == 0,
                INVALID_ARGUMENT,
                "RowText: values are computed again, not kept, got %d kept rows",
                program.kept.length);
        for (boolean a : program.accumulators)
            require(!a, INVALID_ARGUMENT, "RowText: folds over rows are reductions of their own");
        this.program = program;
        Set<Integer> seen = new TreeSet<>();
        for (RowProgram.Pass p : program.passes) for (int k : read(p)) if (!seen.add(k)) shared.add(k);
    }

    /** The matrices that a pass reads. */
    private Set<Integer> read(RowProgram.Pass p) {
        Set<Integer> read = new TreeSet<>();
        for (Program.Load l : p.program().loads) {
            RowProgram.Input in = program.inputs[l.index()];
            if (in.source() == Source.MATRIX) read.add(in.number());
        }
        return read;
    }

    /** The form for rows of so many columns, which begin at multiples of 16 bytes where they are {@code aligned}. */
    public Form form(long columns, boolean aligned) {
        int lanes = lanes(columns), vector = aligned ? vector(columns) : 1, together = lanes * vector;
        int held = (int) Math.min(columns / together, MOST_CODE), bytes = 0, code = 0;
        for (int k : shared) bytes += dtype(k).size();
        for (RowProgram.Pass p : program.passes) code += p.perRow() ? 0 : p.program().code.length;
        boolean keeps = !shared.isEmpty()
                && columns % together == 0
                && held * vector * bytes <= MOST_HELD
                && held * vector * code <= MOST_CODE;
        return new Form(lanes, vector, keeps ? held : 0);
    }

    /** How many threads take a row of so many columns. */
    public static int lanes(long columns) {
        return columns <= 1024 ? 32 : THREADS;
    }

    /** How many columns a thread takes at once where rows begin at multiples of 16 bytes; columns are a multiple of it. */
    public int vector(long columns) {
        int width = 1;
        for (RowProgram.Input in : program.inputs)
            if (in.source() == Source.MATRIX) width = Math.max(width, in.dtype().size());
        for (int k = 0; k < program.outputs.length; k++)
            if (!program.perRow[k]) width = Math.max(width, program.outputs[k].size());
        int vector = width <= 2 ? 8 : width == 4 ? 4 : width == 8 ? 2 : 1;
        while (columns % vector != 0) vector /= 2;
        return vector;
    }

    /**
     * The source for a form, prelude included; input {@code checked}, unless that is -1, has a column for each row. Where
     * a thread keeps what it has read of a row, its registers are named at compile time, and passes read memory no more.
     */
    public String text(Form form, int checked) {
        int lanes = form.lanes, vector = form.vector;
        StringBuilder s = new StringBuilder(CudaText.prelude());
        for (int i = 0; i < program.passes.length; i++)
            s.append(CudaText.function("pass" + i, program.passes[i].program()));
        s.append("extern \"C\" __global__ void __launch_bounds__(%d) %s(".formatted(THREADS, ENTRY));
        for (int k = 0; k < program.tensors; k++) s.append("const %s* p%d, ".formatted(CudaText.element(dtype(k)), k));
        for (int k = 0; k < program.outputs.length; k++)
            s.append("%s* q%d, ".formatted(CudaText.element(program.outputs[k]), k));
        s.append("unsigned long long rows, unsigned columns");
        for (int k = 0; k < program.tensors; k++) s.append(", unsigned long long t" + k);
        if (checked >= 0) s.append(", int* word, long long* report, int node");
        s.append(") {\n");
        s.append("  const int lane = threadIdx.x %% %d;\n".formatted(lanes));
        s.append("  const unsigned long long row = (unsigned long long)blockIdx.x * %d + threadIdx.x / %d;\n"
                .formatted(THREADS / lanes, lanes));
        // all threads of a warp fold together, so those beyond the last row do nothing but that
        s.append("  const unsigned long long at = row < rows ? row : rows - 1;\n");
        s.append("  const bool first = lane == 0 && row < rows;\n");
        if (checked >= 0) s.append(check(checked));
        for (int k = 0; k < program.results.length; k++)
            s.append("  %s f%d;\n".formatted(CudaText.type(Kind.of(program.results[k].to())), k));
        if (form.held > 0) for (int k : shared) s.append(kept(k, form));
        for (int i = 0; i < program.passes.length; i++) s.append(pass(i, form));
        return s.append("}\n").toString();
    }

    private DType dtype(int tensor) {
        for (RowProgram.Input in : program.inputs) if (isTensor(in) && in.number() == tensor) return in.dtype();
        throw new AssertionError(tensor);
    }

    private static boolean isTensor(RowProgram.Input in) {
        return in.source() == Source.MATRIX || in.source() == Source.ROW;
    }

    /** Notes the first row whose column does not exist. */
    private static String check(int input) {
        return """
              if (first) {
                const long long chosen = (long long)p%d[at * t%d];
                if ((chosen < 0 || chosen >= (long long)columns) && atomicCAS(word, 0, node) == 0) {
                  report[1] = (long long)row;
                  report[2] = chosen;
                  report[3] = (long long)columns;
                  __threadfence_system();
                  report[0] = node;
                }
              }
            """.formatted(input, input);
    }

    /** Reads a row into registers. */
    private String kept(int k, Form f) {
        String type = "Pack<%s, %d>".formatted(CudaText.element(dtype(k)), f.vector);
        return """
              TYPE xNUMBER[HELD];
              #pragma unroll
              for (int j = 0; j < HELD; j++) xNUMBER[j] = *(const TYPE*)(pNUMBER + at * tNUMBER + (j * LANES + lane) * VECTOR);
            """.replace("TYPE", type)
                .replace("NUMBER", String.valueOf(k))
                .replace("HELD", String.valueOf(f.held))
                .replace("LANES", String.valueOf(f.lanes))
                .replace("VECTOR", String.valueOf(f.vector));
    }

    private String pass(int number, Form form) {
        RowProgram.Pass p = program.passes[number];
        Program code = p.program();
        StringBuilder s = new StringBuilder("  {\n");
        for (RowProgram.Target t : p.targets()) {
            if (t.sink() != Sink.RESULT) continue;
            DType a = t.fold().wide(program.results[t.number()].from());
            s.append(
                    "  %s a%d = %s;\n".formatted(CudaText.type(Kind.of(a)), t.number(), FoldText.neutral(t.fold(), a)));
        }
        if (p.perRow()) s.append("  if (first) {\n");
        else s.append(columns(p, form));
        for (int k = 0; k < code.stores.length; k++)
            s.append("    %s s%d;\n".formatted(CudaText.type(code.stores[k].kind()), k));
        s.append("    pass%d(".formatted(number));
        for (Program.Load l : code.loads) s.append(argument(l, form)).append(", ");
        s.append(CudaText.list("s", code.stores.length)).append(");\n");
        for (int k = 0; k < code.stores.length; k++) {
            Program.Store st = code.stores[k];
            RowProgram.Target t = p.targets()[st.index()];
            if (t.sink() == Sink.RESULT) {
                DType a = t.fold().wide(program.results[t.number()].from());
                s.append("    a%d = %s;\n"
                        .formatted(t.number(), FoldText.fold(t.fold(), st.kind(), a, "a" + t.number(), "s" + k)));
            } else {
                String value = CudaText.stored(st.dtype(), "s" + k);
                if (p.perRow()) s.append("    q%d[at] = %s;\n".formatted(t.number(), value));
                else s.append("    y%d.x[i] = %s;\n".formatted(t.number(), value));
            }
        }
        if (!p.perRow()) {
            s.append("    }\n");
            for (RowProgram.Target t : p.targets())
                if (t.sink() != Sink.RESULT)
                    s.append("    if (row < rows) *(Pack<%s, %d>*)(q%d + at * columns + c) = y%d;\n"
                            .formatted(
                                    CudaText.element(program.outputs[t.number()]),
                                    form.vector,
                                    t.number(),
                                    t.number()));
        }
        s.append("  }\n");
        for (RowProgram.Target t : p.targets()) {
            if (t.sink() != Sink.RESULT) continue;
            RowProgram.Result r = program.results[t.number()];
            DType a = t.fold().wide(r.from());
            s.append(FoldText.across(t.fold(), a, "a" + t.number(), form.lanes));
            String value = "a" + t.number();
            if (r.divisor() != 1) value = "__ddiv_rn(%s, %s)".formatted(value, divisor(r));
            boolean narrows = a == DType.F64 && r.to() == DType.F32;
            s.append("  f%d = %s;\n".formatted(t.number(), narrows ? "__double2float_rn(" + value + ")" : value));
        }
        return s.append("  }\n").toString();
    }

    private static String divisor(RowProgram.Result r) {
        return CudaText.literal(Kind.F64, Double.doubleToRawLongBits(r.divisor()));
    }

    /** The loop over the columns: what is read of each of them, and memory for what is written. */
    private String columns(RowProgram.Pass p, Form f) {
        StringBuilder s = new StringBuilder();
        if (f.held > 0)
            s.append(
                    "  #pragma unroll\n  for (int j = 0; j < %d; j++) {\n    const unsigned c = (j * %d + lane) * %d;\n"
                            .formatted(f.held, f.lanes, f.vector));
        else
            s.append("  #pragma unroll %d\n".formatted(f.vector > 1 && f.lanes > 32 ? 2 : 4))
                    .append("  for (unsigned c = lane * %d; c < columns; c += %d) {\n"
                            .formatted(f.vector, f.lanes * f.vector));
        for (int k : read(p)) {
            if (isKept(k, f)) continue;
            String type = "Pack<%s, %d>".formatted(CudaText.element(dtype(k)), f.vector);
            s.append("    const %s x%d = *(const %s*)(p%d + at * t%d + c);\n".formatted(type, k, type, k, k));
        }
        for (RowProgram.Target t : p.targets())
            if (t.sink() != Sink.RESULT)
                s.append("    Pack<%s, %d> y%d;\n"
                        .formatted(CudaText.element(program.outputs[t.number()]), f.vector, t.number()));
        return s.append("    #pragma unroll\n    for (int i = 0; i < %d; i++) {\n".formatted(f.vector))
                .toString();
    }

    private boolean isKept(int input, Form f) {
        return f.held > 0 && shared.contains(input);
    }

    private String argument(Program.Load l, Form f) {
        RowProgram.Input in = program.inputs[l.index()];
        return switch (in.source()) {
            case MATRIX ->
                CudaText.loaded(
                        in.dtype(), (isKept(in.number(), f) ? "x%d[j].x[i]" : "x%d.x[i]").formatted(in.number()));
            case ROW -> CudaText.loaded(in.dtype(), "p%d[at * t%d]".formatted(in.number(), in.number()));
            case INDEX -> "(int)c + i";
            case RESULT -> "f" + in.number();
            case KEPT -> throw new AssertionError(in);
        };
    }
}
