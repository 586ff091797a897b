package dev.oxbow.collective.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.Reduction;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.pass.Absorb;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.pass.Expand;
import dev.oxbow.graph.pass.Prune;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.ResourceApplyGradientDescent;
import dev.oxbow.ops.state.ResourceApplyMomentum;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Few ranks that see each other's memory add gradients where they are used, with the same bits as an all-reduce. */
final class ExpandedAllReduceTest {
    private static final Shape WEIGHTS = Shape.of(200, 150);
    private static final int STEPS = 5;

    /** A step of training with everything that may read a reduced gradient: two kinds of updates, a sum, a fetch. */
    private static final class Model {
        final Graph graph = new Graph();
        final Value x;
        final Value norm;
        final List<Value> reduced;
        final List<Parameter> parameters = new ArrayList<>();
        final List<Node> updates = new ArrayList<>();

        Model(Reduction reduction, int tensors) {
            Ops ops = Ops.in(graph);
            x = ops.placeholder("x", DType.F32, Shape.of(8, 200));
            List<Value> gradients = new ArrayList<>();
            for (int i = 0; i < tensors; i++) {
                parameters.add(Parameter.of("w" + i, ops.constant(random(WEIGHTS, i))));
                Value w = parameters.get(i).value();
                gradients.add(x.matMul(x.matMul(w), true, false));
            }
            reduced = Value.applyAll(AllReduce.of(reduction), gradients.toArray(Value[]::new));
            Value rate = ops.constant(0.01f);
            for (int i = 0; i < tensors; i++) {
                Edge w = parameters.get(i).handle().edge(), g = reduced.get(i).edge();
                if (i % 2 == 0) {
                    updates.add(graph.add(new ResourceApplyGradientDescent(), List.of(w, rate.edge(), g)));
                } else {
                    Parameter slot = Parameter.of("m" + i, ops.constant(random(WEIGHTS, -i)));
                    parameters.add(slot);
                    List<Edge> in = List.of(w, slot.handle().edge(), rate.edge(), g, rate.edge());
                    updates.add(graph.add(new ResourceApplyMomentum(false), in));
                }
            }
            norm = reduced.get(0).times(reduced.get(0)).sum();
        }

        List<float[]> train(Ranks.Rank r, SessionOptions options, boolean watches) {
            List<float[]> seen = new ArrayList<>();
            try (Session s = Session.open(graph, options)) {
                s.target(parameters.stream().map(Parameter::initialiser).toArray(Node[]::new))
                        .run();
                for (int step = 0; step < STEPS; step++) {
                    Node[] targets = updates.toArray(Node[]::new);
                    try (Tensor fed = random(Shape.of(8, 200), 100 * step + r.number())) {
                        var run = s.feed(x.edge(), fed).target(targets);
                        if (watches) run = run.fetch(norm.edge(), reduced.get(1).edge());
                        for (Tensor t : run.run()) {
                            seen.add(t.floats());
                            t.close();
                        }
                    }
                }
                for (Parameter p : parameters) {
                    try (Tensor t = s.fetch(p.value().edge()).run().get(0)) {
                        seen.add(t.floats());
                    }
                }
            }
            return seen;
        }
    }

    private static Tensor random(Shape shape, long seed) {
        float[] values = new float[(int) shape.size()];
        Random random = new Random(seed);
        for (int i = 0; i < values.length; i++) values[i] = random.nextFloat() - 0.5f;
        return Tensor.of(shape, values);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sum", "mean"})
    void theResultsHaveTheBitsOfAnAllReduce(String reduction) {
        for (boolean watches : new boolean[] {false, true}) {
            int size = watches ? 2 : 3;
            try (Ranks ranks = new Ranks(size)) {
                List<List<float[]>> expanded =
                        ranks.run(r -> new Model(Reduction.named(reduction), 3).train(r, r.options(), watches));
                List<List<float[]>> plain = ranks.run(r -> new Model(Reduction.named(reduction), 3)
                        .train(r, r.options().withOptimise(false), watches));
                for (int rank = 0; rank < size; rank++)
                    for (int i = 0; i < plain.get(0).size(); i++)
                        assertArrayEquals(
                                plain.get(0).get(i), expanded.get(rank).get(i));
            }
        }
    }

    @Test
    void updatesTakeTheSumIn() {
        try (Ranks ranks = new Ranks(2)) {
            List<List<String>> ops = ranks.run(r -> names(r, new Model(Reduction.MEAN, 2)));
            for (List<String> names : ops) {
                assertTrue(names.contains("ViewAll") && names.contains("ViewAllEnd"), names::toString);
                assertTrue(names.contains("_ResourceApplyGradientDescentOfFormula"), names::toString);
                assertTrue(names.contains("_ResourceApplyMomentumOfFormula"), names::toString);
                assertEquals(0, names.stream().filter(n -> n.startsWith("Add")).count(), names::toString);
            }
        }
    }

    @Test
    void soManyRanksThatTheyWouldReadMoreReduce() {
        try (Ranks ranks = new Ranks(4)) {
            for (List<String> names : ranks.run(r -> names(r, new Model(Reduction.MEAN, 2))))
                assertTrue(names.contains("AllReduce") && !names.contains("ViewAll"), names::toString);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F16", "BF16", "F64", "I8", "U8", "I32", "I64"})
    void everyDtypeIsSeenInPlaceWithTheBitsOfAnAllReduce(DType dtype) {
        try (Ranks ranks = new Ranks(3)) {
            ranks.run(r -> {
                Graph g = new Graph();
                Value x =
                        Ops.in(g).constant(random(Shape.of(70_000), r.number())).times(100);
                Value y =
                        Value.apply(AllReduce.of(Reduction.MEAN), x.cast(dtype)).cast(DType.F64);
                Subgraph s = Cut.run(g, List.of(), List.of(y.edge()), List.of());
                s = new Expand().run(s, r.options()::service);
                assertTrue(s.graph().nodes().stream().anyMatch(n -> n.op() instanceof ViewAll));
                assertArrayEquals(
                        mean(g, y, r.options().withOptimise(false)), mean(g, y, r.options()), dtype.toString());
                return null;
            });
        }
    }

    private static double[] mean(Graph g, Value y, SessionOptions options) {
        try (Session s = Session.open(g, options);
                Tensor t = s.fetch(y.edge()).run().get(0)) {
            return t.doubles();
        }
    }

    private static List<String> names(Ranks.Rank r, Model m) {
        Subgraph s = Cut.run(m.graph, List.of(m.x.edge()), List.of(), m.updates);
        for (Rewrite pass : List.of(new Expand(), new Prune(), new Absorb())) s = pass.run(s, r.options()::service);
        return s.graph().nodes().stream().map(n -> n.op().signature().name()).toList();
    }

    /** Fails in its third step. */
    @Signature("Failing(x: T) -> (y: T) {T: type} stateful")
    record Failing() implements Op {
        private record Count(int[] runs) {}

        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0));
        }

        @Override
        public Kernel cpu() {
            return c -> {
                if (c.service(Count.class).runs[0]++ == 2) throw new OxbowException(ErrorCode.DATA_LOSS, "on purpose");
                c.forward(0, 0);
            };
        }
    }

    @Test
    void aStepThatFailsBetweenSeeingAndGivingBackEndsOnBothRanks() {
        try (Ranks ranks = new Ranks(2)) {
            List<OxbowException> errors = ranks.run(r -> {
                Model m = new Model(Reduction.SUM, 1);
                Value last = r.number() == 0
                        ? Value.apply(new Failing(), m.reduced.get(0))
                        : m.reduced.get(0).plus(1);
                SessionOptions o = r.options().withService(Failing.Count.class, new Failing.Count(new int[1]));
                try (Session s = Session.open(m.graph, o)) {
                    s.target(m.parameters.stream().map(Parameter::initialiser).toArray(Node[]::new))
                            .run();
                    OxbowException error = assertThrows(OxbowException.class, () -> {
                        for (int step = 0; step < STEPS; step++) {
                            try (Tensor fed = random(Shape.of(8, 200), step);
                                    Tensor t = s.feed(m.x.edge(), fed)
                                            .fetch(last.edge())
                                            .run()
                                            .get(0)) {
                                assertEquals(30_000, t.size());
                            }
                        }
                    });
                    assertEquals(0, o.service(Groups.class).viewsKept());
                    return error;
                }
            });
            assertTrue(
                    errors.get(0).getMessage().contains("on purpose"),
                    errors.get(0).getMessage());
            assertTrue(
                    errors.get(1).getMessage().contains("rank 0"), errors.get(1).getMessage());
        }
    }
}
