package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Services;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.pass.Fold;
import dev.oxbow.graph.pass.Prune;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.linalg.BatchMatMulV2;
import dev.oxbow.ops.nn.Softmax;
import dev.oxbow.ops.rewrite.MixedPrecision;
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

/** Attention that is one node. */
final class FlashAttentionTest {
    private static final int BATCH = 2;
    private static final int TIME = 6;
    private static final int HEADS = 2;
    private static final int CHANNELS = 8;
    private static final long WORKSPACE = 4096;

    private final Ops ops = Ops.in(new Graph());
    private final List<Value> inputs = new ArrayList<>();

    private final Value weight = ops.placeholder("w", DType.F32, Shape.of(HEADS * CHANNELS, HEADS * CHANNELS));

    /** What a product gives, as in a layer. */
    private Value heads(String name) {
        Value x = ops.placeholder(name, DType.F32, Shape.of(BATCH * TIME, HEADS * CHANNELS));
        inputs.add(x);
        return x.matMul(weight).reshape(BATCH, TIME, HEADS, CHANNELS).transpose(0, 2, 1, 3);
    }

    /** Attention and the sum of its squares, whose gradients to all inputs follow. */
    private List<Value> model(boolean causal, double scale) {
        Value scores = Value.apply(new BatchMatMulV2(false, true), heads("q"), heads("k"));
        if (scale != 1) scores = scores.times(scale);
        if (causal) {
            Tensor mask = Tensor.zeros(DType.F32, Shape.of(TIME, TIME));
            for (int i = 0; i < TIME; i++) for (int j = i + 1; j < TIME; j++) mask.set(i * TIME + j, -1e9);
            scores = scores.plus(ops.constant(mask));
        }
        Value y = Value.apply(new BatchMatMulV2(false, false), Value.apply(new Softmax(), scores), heads("v"))
                .transpose(0, 2, 1, 3)
                .reshape(BATCH * TIME, HEADS * CHANNELS)
                .matMul(weight);
        List<Value> all = new ArrayList<>(List.of(y));
        all.addAll(Gradients.of(y.times(y).sum(), inputs.toArray(Value[]::new)));
        return all;
    }

    private static Subgraph rewritten(Graph g, List<Value> results) {
        Subgraph s = new Subgraph(g, results.stream().map(Value::node).toList());
        List<Rewrite> stages = new ArrayList<>(List.of(new MixedPrecision(DType.BF16), new Fold(), new Prune()));
        stages.addAll(OpRegistry.get().rewrites());
        stages.addAll(List.of(new Prune(), new FlashAttention(9, p -> WORKSPACE), new Prune()));
        for (Rewrite r : stages) s = r.run(s, Services.NONE);
        return s;
    }

    private static List<String> names(Subgraph s) {
        return s.graph().nodes().stream().map(n -> n.op().signature().name()).toList();
    }

    @Test
    void attentionAndItsGradientAreOneNodeEach() {
        for (boolean causal : new boolean[] {true, false})
            for (double scale : new double[] {1, 0.25}) {
                FlashAttentionTest t = new FlashAttentionTest();
                List<String> made = names(rewritten(t.ops.graph(), t.model(causal, scale)));
                assertEquals(1, made.stream().filter("_Attention"::equals).count(), () -> made.toString());
                assertEquals(1, made.stream().filter("_AttentionGrad"::equals).count(), () -> made.toString());
                for (String gone : List.of("Softmax", "BatchMatMulV2"))
                    assertFalse(made.contains(gone), () -> gone + " is left: " + made);
            }
    }

    @Test
    void memoryInWhichTheGradientIsComputedIsAValueOfThePlan() {
        Subgraph s = rewritten(ops.graph(), model(true, 0.25));
        Node made = s.graph().nodes().stream()
                .filter(n -> n.op() instanceof AttentionGrad)
                .findFirst()
                .orElseThrow();
        assertEquals(new TensorType(DType.U8, Shape.of(WORKSPACE)), made.output(3));
    }

    @Test
    void nothingIsTurnedThatWasTurnedBefore() {
        List<String> made = names(rewritten(ops.graph(), model(true, 0.25)));
        assertFalse(made.contains("Transpose"), made::toString);
    }

    @Test
    void weightsThatSomebodyElseReadsStay() {
        Value q = heads("q"), k = heads("k"), v = heads("v");
        Value weights = Value.apply(new Softmax(), Value.apply(new BatchMatMulV2(false, true), q, k));
        Value y = Value.apply(new BatchMatMulV2(false, false), weights, v);
        assertFalse(names(rewritten(ops.graph(), List.of(y, weights.sum()))).contains("_Attention"));
    }

    @Test
    void aMaskThatIsNotCausalStays() {
        Value scores = Value.apply(new BatchMatMulV2(false, true), heads("q"), heads("k"));
        Tensor mask = Tensor.zeros(DType.F32, Shape.of(TIME, TIME));
        mask.set(1, -1e9);
        Value y = Value.apply(
                new BatchMatMulV2(false, false),
                Value.apply(new Softmax(), scores.plus(ops.constant(mask))),
                heads("v"));
        assertFalse(names(rewritten(ops.graph(), List.of(y))).contains("_Attention"));
    }

    @Test
    void resultsAreThoseOfTheSeparateNodes() {
        List<Value> results = model(true, 0.25);
        Random random = new Random(7);
        List<Tensor> fed = new ArrayList<>();
        for (Value v : List.of(inputs.get(0), inputs.get(1), inputs.get(2), weight)) {
            float[] x = new float[(int) v.shape().size()];
            for (int k = 0; k < x.length; k++) x[k] = (float) random.nextGaussian() * (v == weight ? 0.25f : 1);
            fed.add(Tensor.of(v.shape(), x));
        }
        List<Edge> edges = results.stream().map(Value::edge).toList();
        Subgraph one = rewritten(ops.graph(), results);
        List<Edge> made = one.roots().stream().map(n -> n.edge(0)).toList();
        List<float[]> wanted = values(ops.graph(), edges, fed), got = values(one.graph(), made, fed);
        for (int i = 0; i < wanted.size(); i++) {
            double most = 0;
            for (float x : wanted.get(i)) most = Math.max(most, Math.abs(x));
            for (int k = 0; k < wanted.get(i).length; k++) {
                double off = Math.abs(got.get(i)[k] - wanted.get(i)[k]) / most;
                assertTrue(off < 0.03, "result " + i + " is off by " + off + " of its largest element");
            }
        }
    }

    private static float[] floats(Tensor t) {
        float[] all = new float[(int) t.size()];
        for (int i = 0; i < all.length; i++) all[i] = (float) t.getDouble(i);
        return all;
    }

    private List<float[]> values(Graph g, List<Edge> results, List<Tensor> fed) {
        try (Engine cpu = new Engine(
                        EngineOptions.defaults(),
                        (o, width) -> List.of(new CpuDevice(o.task(), 0, Long.MAX_VALUE, width)));
                Session s = Session.open(g, cpu, SessionOptions.defaults())) {
            Session.Run run = s.fetch(results.toArray(Edge[]::new));
            for (int i = 0; i < fed.size(); i++)
                run.feed(g.node((i < 3 ? inputs.get(i) : weight).node().name()).edge(0), fed.get(i));
            return run.run().stream().map(FlashAttentionTest::floats).toList();
        }
    }

    @Test
    void cuDnnHasPlansForAttentionAndItsGradient() {
        String missing = Libraries.missingDnn();
        assumeTrue(missing == null, missing);
        assumeTrue(Libraries.find(Libraries.Name.DRIVER).isThere(), "cuDNN compiles attention only where a driver is");
        DnnPlans plans = new DnnPlans(ConvolutionTest.CARD);
        for (boolean backward : new boolean[] {true, false})
            for (boolean causal : new boolean[] {true, false}) {
                AttentionPlan p = new AttentionPlan(backward, false, DType.BF16, 4, 12, 1024, 1024, 64, causal);
                assertFalse(plans.of(false, 4, p.operations()).isEmpty(), p::toString);
            }
    }
}
