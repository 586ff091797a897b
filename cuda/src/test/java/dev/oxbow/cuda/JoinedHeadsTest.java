package dev.oxbow.cuda;

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
import dev.oxbow.graph.pass.Loosen;
import dev.oxbow.graph.pass.Prune;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.linalg.BatchMatMulV2;
import dev.oxbow.ops.nn.BiasAdd;
import dev.oxbow.ops.nn.Softmax;
import dev.oxbow.ops.rewrite.MixedPrecision;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One product for queries, keys and values. */
final class JoinedHeadsTest {
    private static final int BATCH = 2;
    private static final int TIME = 6;
    private static final int HEADS = 2;
    private static final int CHANNELS = 8;
    private static final int WIDTH = HEADS * CHANNELS;

    private final Ops ops = Ops.in(new Graph());
    private final List<Value> fed = new ArrayList<>();

    /** In bf16 where there is a bias, which mixed precision leaves alone where it is no variable. */
    private Value input(String name, boolean half, long... shape) {
        Value v = ops.placeholder(name, DType.F32, Shape.of(shape));
        fed.add(v);
        return half ? v.cast(DType.BF16) : v;
    }

    /** A layer of attention, whose weights are one or three, and the gradients of the sum of its squares to all that is fed. */
    private List<Value> model(boolean one, boolean bias) {
        Value x = input("x", bias, BATCH * TIME, WIDTH);
        List<Value> weights = one ? input("w", bias, WIDTH, 3 * WIDTH).split(3, 1) : three("w", bias, WIDTH, WIDTH);
        List<Value> biases = !bias ? null : one ? input("b", true, 3 * WIDTH).split(3, 0) : three("b", true, WIDTH);
        Value rows = x.times(2); // its gradient is a sum
        List<Value> heads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Value y = rows.matMul(weights.get(i));
            if (bias) y = Value.apply(new BiasAdd("NHWC"), y, biases.get(i));
            heads.add(y.reshape(BATCH, TIME, HEADS, CHANNELS).transpose(0, 2, 1, 3));
        }
        Value scores = Value.apply(new BatchMatMulV2(false, true), heads.get(0), heads.get(1))
                .times(0.25);
        Value y = Value.apply(new BatchMatMulV2(false, false), Value.apply(new Softmax(), scores), heads.get(2))
                .transpose(0, 2, 1, 3)
                .reshape(BATCH * TIME, WIDTH)
                .matMul(input("out", bias, WIDTH, WIDTH))
                .cast(DType.F32);
        List<Value> all = new ArrayList<>(List.of(y));
        all.addAll(Gradients.of(y.times(y).sum(), fed.toArray(Value[]::new)));
        return all.stream().map(Value::negated).toList(); // roots that no pass puts another node for
    }

    private List<Value> three(String name, boolean half, long... shape) {
        List<Value> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) all.add(input(name + i, half, shape));
        return all;
    }

    private static Subgraph rewritten(Graph g, List<Value> results, ToLongFunction<AttentionPlan> room) {
        Subgraph s = new Subgraph(g, results.stream().map(Value::node).toList());
        List<Rewrite> stages = new ArrayList<>(List.of(new MixedPrecision(DType.BF16), new Fold(), new Loosen(true)));
        stages.add(new Prune());
        stages.addAll(OpRegistry.get().rewrites());
        stages.addAll(List.of(new FlashAttention(9, _ -> 0), new Epilogues(), new Fold(), new Deduplicate()));
        stages.addAll(List.of(new Loosen(true), new Prune(), new JoinedHeads(room), new Prune()));
        for (Rewrite r : stages) s = r.run(s, Services.NONE);
        return s;
    }

    private static long count(Subgraph s, String op) {
        return s.graph().nodes().stream()
                .filter(n -> n.op().signature().name().equals(op))
                .count();
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void productsOfTheSameRowsAreOneEachWay(boolean one, boolean bias) {
        Subgraph s = rewritten(ops.graph(), model(one, bias), _ -> 64);
        for (Node n : s.graph().nodes()) {
            if (n.op() instanceof Attention) assertEquals(1, n.inputCount());
            if (n.op() instanceof AttentionGrad) assertEquals(4, n.inputCount());
        }
        assertEquals(1, count(s, "_Attention"));
        assertEquals(1, count(s, "_AttentionGrad"));
        // one for the heads and one for the output, and to each two gradients
        assertEquals(6, count(s, "MatMul") + count(s, "_Linear"));
        assertEquals(bias ? 1 : 0, count(s, "BiasAddGrad"));
        assertEquals(1, count(s, "AddN"), "that of the square");
        assertEquals(one ? 0 : bias ? 2 : 1, count(s, "ConcatV2"));
        assertEquals(one ? 0 : bias ? 2 : 1, count(s, "Split"));
    }

    @ParameterizedTest
    @CsvSource({"true, true", "false, true", "false, false"})
    void resultsAreThoseOfThreeProducts(boolean one, boolean bias) {
        List<Value> results = model(one, bias);
        Random random = new Random(7);
        List<Tensor> values = new ArrayList<>();
        for (Value v : fed) {
            float[] x = new float[(int) v.shape().size()];
            for (int k = 0; k < x.length; k++) x[k] = (float) random.nextGaussian() * 0.5f;
            values.add(Tensor.of(v.shape(), x));
        }
        List<double[]> wanted = computed(rewritten(ops.graph(), results, _ -> -1), values),
                got = computed(rewritten(ops.graph(), results, _ -> 64), values);
        for (int i = 0; i < wanted.size(); i++) {
            double most = 0, off = 0;
            for (int k = 0; k < wanted.get(i).length; k++) {
                most = Math.max(most, Math.abs(wanted.get(i)[k]));
                off = Math.max(off, Math.abs(wanted.get(i)[k] - got.get(i)[k]));
            }
            assertTrue(off < 0.01 * most, "result " + i + " is off by " + off + " of " + most);
        }
    }

    private List<double[]> computed(Subgraph s, List<Tensor> values) {
        try (Engine cpu = CardModel.onlyCpu();
                Session session = Session.open(s.graph(), cpu, SessionOptions.defaults())) {
            Session.Run run =
                    session.fetch(s.roots().stream().map(n -> n.edge(0)).toArray(Edge[]::new));
            for (int i = 0; i < values.size(); i++)
                run.feed(s.graph().node(fed.get(i).node().name()).edge(0), values.get(i));
            return run.run().stream().map(JoinedHeadsTest::doubles).toList();
        }
    }

    private static double[] doubles(Tensor t) {
        double[] all = new double[(int) t.size()];
        for (int i = 0; i < all.length; i++) all[i] = t.getDouble(i);
        return all;
    }

    /** A layer of attention over rows, by three weights without biases. */
    private Value layer(String name, Value rows) {
        List<Value> heads = new ArrayList<>();
        for (Value w : three(name, false, WIDTH, WIDTH))
            heads.add(rows.matMul(w).reshape(BATCH, TIME, HEADS, CHANNELS).transpose(0, 2, 1, 3));
        Value scores = Value.apply(new BatchMatMulV2(false, true), heads.get(0), heads.get(1))
                .times(0.25);
        return Value.apply(new BatchMatMulV2(false, false), Value.apply(new Softmax(), scores), heads.get(2))
                .transpose(0, 2, 1, 3)
                .reshape(BATCH * TIME, WIDTH);
    }

    @Test
    void ofTwoLayersOfTheSameRowsWhoseGradientsAreOneSumOneIsJoined() {
        Value rows = input("x", false, BATCH * TIME, WIDTH).times(2);
        Value y = layer("a", rows).matMul(layer("b", rows), true, false);
        List<Value> results = new ArrayList<>(List.of(y));
        results.addAll(Gradients.of(y.times(y).sum(), fed.toArray(Value[]::new)));
        Subgraph s = rewritten(ops.graph(), results.stream().map(Value::negated).toList(), _ -> 64);
        List<Integer> inputs = s.graph().nodes().stream()
                .filter(n -> n.op() instanceof AttentionGrad)
                .map(Node::inputCount)
                .sorted()
                .toList();
        assertEquals(List.of(4, 6), inputs);
    }

    @Test
    void whereThereIsNoPlanThereAreThree() {
        Subgraph s = rewritten(ops.graph(), model(true, true), p -> p.backward() ? -1 : 0);
        assertEquals(12, count(s, "MatMul") + count(s, "_Linear"));
    }

    @Test
    void headsThatSomebodyElseReadsStayApart() {
        Value x = input("x", false, BATCH * TIME, WIDTH);
        List<Value> heads = new ArrayList<>(), weights = three("w", false, WIDTH, WIDTH);
        for (Value w : weights)
            heads.add(x.matMul(w).reshape(BATCH, TIME, HEADS, CHANNELS).transpose(0, 2, 1, 3));
        Value scores = Value.apply(new BatchMatMulV2(false, true), heads.get(0), heads.get(1));
        Value y = Value.apply(new BatchMatMulV2(false, false), Value.apply(new Softmax(), scores), heads.get(2));
        Subgraph s = rewritten(ops.graph(), List.of(y, heads.get(1).sum()), _ -> 64);
        assertEquals(3, count(s, "MatMul"));
    }
}
