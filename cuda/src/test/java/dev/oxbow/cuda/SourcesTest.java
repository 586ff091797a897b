package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.Broadcast;
import dev.oxbow.kernels.expr.compile.RowFormula;
import dev.oxbow.kernels.expr.cuda.CudaText;
import dev.oxbow.kernels.expr.cuda.ElementwiseText;
import dev.oxbow.kernels.expr.cuda.ReductionText;
import dev.oxbow.kernels.expr.cuda.RowText;
import dev.oxbow.kernels.expr.cuda.RowUpdateText;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.kernels.numeric.BatchNormFormulas;
import dev.oxbow.kernels.numeric.Softmax;
import dev.oxbow.kernels.random.Distribution;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** All sources compile, for three generations of cards; NVRTC is enough for that, {@code -Doxbow.cuda.path} says where it is. */
final class SourcesTest {
    private static final List<String> ARCHITECTURES = List.of("sm_80", "sm_90a", "sm_100");
    private static final List<DType> DTYPES = List.of(
            DType.F32,
            DType.F64,
            DType.BF16,
            DType.F16,
            DType.I32,
            DType.I64,
            DType.U8,
            DType.U64,
            DType.BOOL,
            DType.C64);

    private final Map<String, String> sources = new LinkedHashMap<>();

    @TestFactory
    @Tag("long")
    Stream<DynamicTest> everySourceCompiles() {
        Libraries.Found nvrtc = Libraries.find(Libraries.Name.NVRTC);
        assumeTrue(nvrtc.isThere(), nvrtc.missing());
        collect();
        return ARCHITECTURES.stream()
                .flatMap(a -> sources.entrySet().stream()
                        .map(s -> DynamicTest.dynamicTest(
                                a + " " + s.getKey(),
                                () -> Nvrtc.compile(Early.text(s.getValue()), Sources.options(a)))));
    }

    @Test
    void everyKernelBeginsByWaiting() {
        collect();
        sources.forEach((name, source) -> {
            String text = Early.text(source);
            int kernels = text.split("__global__", -1).length - 1;
            assertTrue(kernels > 0, name);
            assertEquals(kernels, text.split("\\{\\s*ox_follow\\(\\);", -1).length - 1, name);
        });
    }

    @Test
    void thereAreSourcesForAllSortsOfKernels() {
        collect();
        for (String sort : List.of("elementwise", "reduce", "rows", "move", "columns", "gather", "draw", "norm"))
            assertTrue(sources.keySet().stream().anyMatch(k -> k.startsWith(sort)), sort);
        assertTrue(sources.size() > 200, () -> "only " + sources.size());
    }

    private void collect() {
        for (DType d : DTYPES) {
            elementwise(d);
            reductions(d);
            if (d.isFloating()) rows(d);
        }
        for (int width : new int[] {1, 2, 4, 8, 16})
            for (int rank = 1; rank <= 6; rank++)
                for (boolean wide : new boolean[] {true, false})
                    sources.put("move " + width + " " + rank + wide, StridedCopy.text(width, rank, wide));
        for (DType d : List.of(DType.F32, DType.F64, DType.F16, DType.BF16)) {
            windows(d);
            for (Distribution r : Distribution.values())
                if (RandomText.supports(r, d)) sources.put("draw " + r + d, RandomText.text(r, d));
            norms(d);
        }
        for (int[] z : new int[][] {{256, 32}, {10, 3}, {1000, 70}}) {
            LstmText.Form f = LstmText.form(z[0], z[1], 132);
            int[] gates = {0, 2 * z[0], z[0], 3 * z[0]};
            sources.put("cells " + f, LstmText.forward(f, gates, 1, 0.5f));
            sources.put("gradient of cells " + f, LstmText.gradient(f, gates));
        }
        sources.put("say", FarFaults.SAY);
        sources.put("hear", FarFaults.HEAR);
        for (DType d : List.of(DType.U32, DType.I64))
            sources.put("draw " + d, RandomText.text(Distribution.FULL_INT, d));
        for (DType index : List.of(DType.I32, DType.I64)) {
            for (boolean skips : new boolean[] {true, false})
                sources.put("link " + index + skips, IndexText.link(index, skips));
            for (int width : new int[] {1, 2, 4, 8, 16})
                sources.put("gather " + width + index, IndexText.gather(width, index));
            for (DType d : List.of(DType.F32, DType.F64, DType.BF16, DType.I32, DType.I64)) {
                Expr y = Expr.input(0, d), z = Expr.input(1, d);
                Expr rate = Expr.input(2, d), u = Expr.input(3, d), sum = z.plus(u.times(u));
                RowUpdateText text =
                        new RowUpdateText(List.of(y.minus(rate.times(u).plus(sum)), sum), 3);
                for (RowUpdateText.Form f : Set.of(
                        RowUpdateText.Form.of(1, 1),
                        RowUpdateText.Form.of(32, 16 / d.size()),
                        RowUpdateText.Form.of(1000, 16 / d.size())))
                    sources.put("rows changed " + f + d + index, text.few(index, f));
                sources.put("rows changed by many " + d + index, text.many(index));
            }
        }
    }

    private void windows(DType d) {
        sources.put("columns " + d, WindowText.columns(d));
        sources.put("fold " + d, WindowText.fold(d));
        for (int vector : new int[] {1, WindowText.TOGETHER}) {
            sources.put("largest " + d + vector, WindowText.largest(d, vector));
            sources.put("first largest " + d + vector, WindowText.first(d, vector));
            sources.put("largest gradient " + d + vector, WindowText.largestGradient(d, vector));
        }
        sources.put("mean " + d, WindowText.mean(d));
        sources.put("mean gradient " + d, WindowText.meanGradient(d));
    }

    private void norms(DType d) {
        if (d == DType.F64) return; // there are none
        Shape images = Shape.of(64, 16), vector = Shape.of(16);
        List<List<Expr>> formulas = List.of(
                BatchNormFormulas.statistics(d, DType.F32, 64, 0.5, 1e-3),
                BatchNormFormulas.gradients(d, DType.F32, DType.F32, DType.F32, 64, 1e-3, true));
        for (List<Expr> f : formulas) {
            ElementwiseText text = new ElementwiseText(f);
            Shape[] in = new Shape[text.inputs()];
            Arrays.fill(in, vector);
            sources.put("norm " + d + f.size(), text.text(text.form(Broadcast.of(vector, in), true, false)));
        }
        ElementwiseText dx = new ElementwiseText(List.of(BatchNormFormulas.dx(d)));
        Shape[] in = {images, images, vector, vector, vector, vector};
        sources.put("norm dx " + d, dx.text(dx.form(Broadcast.of(images, in), true, false)));
        Reduction.Parts p = Reduction.parts(Reduction.Operation.SUM, BatchNormFormulas.moments(d));
        ReductionText moments = new ReductionText(p.fold(), p.values(), p.results());
        Broadcast b = Broadcast.of(images, new Shape[] {images, vector}, new boolean[] {true, false});
        sources.put("norm moments " + d, moments.text(moments.form(b, true)));
    }

    private void elementwise(DType d) {
        List<Expr> all = new ArrayList<>();
        Expr a = Expr.input(0, d), b = Expr.input(1, d);
        if (d == DType.BOOL) all.addAll(List.of(a.and(b), a.not()));
        else all.addAll(List.of(a.plus(b), a.times(b).minus(a), a.negated()));
        if (d.isComplex()) all.add(a.dividedBy(b));
        else if (d != DType.BOOL)
            all.addAll(List.of(a.max(b), a.min(b), Expr.select(a.less(b), a, b), a.cast(DType.F32)));
        if (d.isFloating())
            all.addAll(List.of(
                    a.exp(),
                    a.tanh(),
                    a.log(),
                    a.sigmoid(),
                    a.sqrt(),
                    a.erf(),
                    a.truncateMod(b),
                    a.cast(DType.I64),
                    a.cast(DType.I32),
                    a.cast(DType.U8),
                    a.sin()));
        assertTrue(CudaText.supports(all));
        ElementwiseText text = new ElementwiseText(all);
        Shape out = Shape.of(8, 16);
        Shape[][] inputs = {{out, out}, {out, Shape.of(16)}, {Shape.of(8, 1), Shape.of(16)}, {out, Shape.SCALAR}};
        for (Shape[] in : inputs)
            for (boolean aligned : new boolean[] {true, false})
                sources.put(
                        "elementwise " + d + List.of(in) + aligned,
                        text.text(text.form(Broadcast.of(out, in), aligned, !aligned)));
        Broadcast flat = Broadcast.of(out, new Shape[] {out, Shape.SCALAR});
        sources.put("elementwise joint " + d, text.joint(text.form(flat, true, true)));
    }

    private void reductions(DType d) {
        for (Reduction.Operation o : Reduction.Operation.values()) {
            boolean logical = o == Reduction.Operation.ALL || o == Reduction.Operation.ANY;
            boolean ordered =
                    o == Reduction.Operation.MAX || o == Reduction.Operation.MIN || o == Reduction.Operation.PROD;
            if (logical != (d == DType.BOOL) || ordered && d.isComplex()) continue;
            Reduction.Parts p = Reduction.parts(o, List.of(Expr.input(0, d)));
            Shape shape = Shape.of(8, 1024);
            for (boolean[] marked : new boolean[][] {{true, false}, {false, true}, {true, true}}) {
                Broadcast b = Broadcast.of(shape, new Shape[] {shape}, marked);
                ReductionText whole = new ReductionText(p.fold(), p.values(), p.results());
                ReductionText part = new ReductionText(p.fold(), p.values(), null);
                String name = "reduce " + o + " " + d + Arrays.toString(marked);
                sources.put(name, whole.text(whole.form(b, true)));
                sources.put(name + " in parts", part.text(part.form(b, false)));
                sources.put(name + " meeting", whole.text(whole.form(b, true), true));
            }
        }
    }

    private void rows(DType d) {
        Map<String, RowFormula> formulas =
                Map.of("softmax", Softmax.formula(d), "log", Softmax.logFormula(d), "loss", Softmax.lossFormula(d));
        for (int columns : new int[] {100, 768, 2048, 50_000})
            for (boolean aligned : new boolean[] {true, false}) {
                String name = " " + d + columns + aligned;
                formulas.forEach((sort, f) -> {
                    RowText text = new RowText(f.recomputed());
                    sources.put("rows " + sort + name, text.text(text.form(columns, aligned), -1));
                });
                RowText sparse =
                        new RowText(Softmax.sparseLossFormula(d, DType.I64).recomputed());
                sources.put("rows sparse" + name, sparse.text(sparse.form(columns, aligned), 1));
            }
    }
}
