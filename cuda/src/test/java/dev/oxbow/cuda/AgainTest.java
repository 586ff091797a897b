package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Deduplicate;
import dev.oxbow.graph.pass.Fold;
import dev.oxbow.graph.pass.Prune;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.math.Cast;
import dev.oxbow.ops.math.Tanh;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Values that are computed again. */
final class AgainTest {
    private static final int SIZE = 256;

    private final Ops ops = Ops.in(new Graph());
    private final Value x = ops.placeholder("x", DType.F32, Shape.of(SIZE, SIZE));
    private final Value w = ops.placeholder("w", DType.F32, Shape.of(SIZE, SIZE));

    /** The gradient to w of two products with an activation between them that its gradient reads in parts. */
    private Value model() {
        Value h = x.matMul(w);
        Value inner = h.plus(h.times(h).times(h).times(0.044715)).times(0.8);
        Value y = h.times(0.5).times(inner.tanh().plus(1)).matMul(w);
        return Gradients.of(y.square().sum(), w).get(0);
    }

    private static Subgraph prepared(Value v) {
        Subgraph s = new Subgraph(v.graph(), List.of(v.node()));
        List<Rewrite> stages = new ArrayList<>(List.of(new Fold(), new Prune()));
        stages.addAll(OpRegistry.get().rewrites());
        stages.addAll(List.of(new Fold(), new Deduplicate(), new Prune()));
        for (Rewrite r : stages) s = r.run(s, Services.NONE);
        return s;
    }

    private static Subgraph rewritten(Subgraph s) {
        return new Again().run(s, Services.NONE);
    }

    @Test
    void aGradientMakesWhatItReadsOfAnActivationAnew() {
        Value dw = model();
        Subgraph s = prepared(dw);
        Graph before = s.graph(), after = rewritten(s).graph();
        assertEquals(1, count(before, Tanh.class));
        assertEquals(2, count(after, Tanh.class));
        Node first = after.nodes().stream()
                .filter(n -> n.op() instanceof Tanh)
                .findFirst()
                .orElseThrow();
        long readers = after.nodes().stream()
                .filter(n -> n.inputs().contains(first.edge(0)))
                .count();
        assertEquals(1, readers, "the first is for the forward pass alone");
    }

    private static long count(Graph g, Class<?> op) {
        return g.nodes().stream().filter(n -> op.isInstance(n.op())).count();
    }

    @Test
    void everyReaderOfWhatIsCheapHasItsOwn() {
        Value wide =
                ops.placeholder("half", DType.BF16, Shape.of(1 << 14, SIZE)).cast(DType.F32);
        Value y = wide.sum(false, 0)
                .sum()
                .plus(wide.times(wide.mean(true, -1)).tanh().sum());
        Subgraph s = prepared(y);
        Graph after = rewritten(s).graph();
        long casts = after.nodes().stream()
                .filter(n -> n.op() instanceof Cast && n.output(0).dtype() == DType.F32 && isRead(after, n))
                .count();
        assertEquals(3, casts, after::listing);
    }

    private static boolean isRead(Graph g, Node made) {
        return g.nodes().stream().anyMatch(n -> n.inputs().contains(made.edge(0)));
    }

    @Test
    void whatAProductReadsIsNotMadeAnew() {
        Value h = x.matMul(w).relu();
        Value y = h.matMul(w).plus(h);
        Subgraph s = prepared(y);
        assertEquals(s.graph().size(), rewritten(s).graph().size());
    }

    @Test
    void aSumOfTwoValuesIsKept() {
        Value a = x.matMul(w), b = w.matMul(x), sum = a.plus(b);
        Value y = sum.times(2).matMul(w).plus(sum);
        Subgraph s = prepared(y);
        assertEquals(s.graph().size(), rewritten(s).graph().size());
    }

    @Test
    void bitsAreTheSame() {
        Value dw = model();
        Subgraph after = rewritten(prepared(dw));
        float[] one = value(dw.graph(), dw.edge()),
                other =
                        value(
                                after.graph(),
                                after.roots().getFirst().edge(dw.edge().port()));
        assertTrue(one[0] != 0);
        assertArrayEquals(one, other);
    }

    private float[] value(Graph g, Edge e) {
        Random r = new Random(3);
        float[][] fed = new float[2][SIZE * SIZE];
        for (float[] f : fed) for (int i = 0; i < f.length; i++) f[i] = (float) r.nextGaussian() / 16;
        try (Engine cpu = new Engine(
                        EngineOptions.defaults(),
                        (o, width) -> List.of(new CpuDevice(o.task(), 0, Long.MAX_VALUE, width)));
                Session s = Session.open(g, cpu, SessionOptions.defaults());
                Tensor a = Tensor.of(Shape.of(SIZE, SIZE), fed[0]);
                Tensor b = Tensor.of(Shape.of(SIZE, SIZE), fed[1]);
                Tensor y = s.feed(g.node("x").edge(0), a)
                        .feed(g.node("w").edge(0), b)
                        .fetch(e)
                        .run()
                        .get(0)) {
            return y.floats();
        }
    }
}
