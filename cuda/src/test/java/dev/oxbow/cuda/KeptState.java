package dev.oxbow.cuda;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.ops.state.AssignAddVariableOp;
import dev.oxbow.ops.state.AssignSubVariableOp;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ResourceScatterNdUpdate;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A perceptron whose step changes state in every way: Adam's slots and powers, values that are assigned, rows that the host changes.
 * Steps that fail, between others, must leave all of it as it was.
 */
final class KeptState {
    private static final int BATCH = 32;
    private static final int WIDTH = 24;
    private static final int HIDDEN = 768;

    private final Ops ops = Ops.in(new Graph());
    private final Random random = new Random(3);
    private final Value rows = ops.placeholder("rows", DType.I32, Shape.of(BATCH));
    private final Value y = ops.placeholder("y", DType.I32, Shape.of(BATCH));
    private final Value loss;
    private final List<Parameter> all = new ArrayList<>();
    private final List<Node> step = new ArrayList<>();

    /** With a variable on another device. */
    KeptState(String device) {
        Parameter first = parameter("first", WIDTH, HIDDEN), second = parameter("second", HIDDEN, 10);
        Parameter large = parameter("large", BATCH, HIDDEN), few = parameter("few");
        Parameter assigned = Parameter.of("assigned", ops.constant(DType.I64, 3));
        Parameter added = Parameter.of("added", ops.constant(DType.I64, 5)), some, elsewhere;
        all.addAll(List.of(assigned, added));
        try (Graph.Scope _ = ops.graph().device(device)) {
            elsewhere = parameter("elsewhere");
        }
        try (Graph.Scope _ = ops.graph().device("/device:GPU:0")) {
            some = parameter("some", 8, HIDDEN);
        }
        Value hidden = ops.constant(numbers(BATCH, WIDTH))
                .gather(rows, 0)
                .matMul(first.value())
                .tanh();
        loss = Value.applyAll(
                        Ops.named("SparseSoftmaxCrossEntropyWithLogits", Map.of()), hidden.matMul(second.value()), y)
                .get(0)
                .mean();
        Minimiser.Updates adam = Minimiser.adam(0.01).minimise(loss, List.of(first, second));
        all.addAll(adam.slots());
        step.addAll(adam.nodes());
        step.add(update(new AssignSubVariableOp(), elsewhere.handle(), loss.times(0.1)));
        Value chosen = ops.constant(Tensor.of(Shape.of(2, 1), 1, 5));
        Value counted = few.value().plus(1);
        try (Graph.Scope _ = ops.graph().after(adam.nodes().toArray(Node[]::new))) {
            step.add(update(new AssignVariableOp(false), large.handle(), hidden));
            step.add(update(new AssignVariableOp(false), few.handle(), counted));
            step.add(update(
                    new AssignVariableOp(false),
                    assigned.handle(),
                    assigned.value().plus(1)));
            step.add(update(new AssignAddVariableOp(), added.handle(), ops.constant(DType.I64, 1)));
            step.add(update(new ResourceScatterNdUpdate(), some.handle(), chosen, hidden.slice(0, 0, 2)));
        }
    }

    private Parameter parameter(String name, long... shape) {
        Parameter p = Parameter.of(name, ops.constant(numbers(shape)));
        all.add(p);
        return p;
    }

    private Tensor numbers(long... shape) {
        float[] v = new float[(int) Shape.of(shape).size()];
        for (int i = 0; i < v.length; i++) v[i] = (float) (0.3 * random.nextGaussian());
        return Tensor.of(Shape.of(shape), v);
    }

    private Node update(Op op, Value... inputs) {
        return ops.graph().add(op, Arrays.stream(inputs).map(Value::edge).toList());
    }

    /** Whole numbers from 0 on, below a bound, over and over, but the eighth. */
    private static Tensor counting(int bound, int eighth) {
        int[] v = new int[BATCH];
        for (int i = 0; i < v.length; i++) v[i] = i == 7 ? eighth : i % bound;
        return Tensor.of(Shape.of(BATCH), v);
    }

    /** A step whose eighth row and label are given. */
    private void train(Session s, int row, int label) {
        try (Tensor in = counting(BATCH, row);
                Tensor labels = counting(10, label)) {
            s.feed(rows.edge(), in)
                    .feed(y.edge(), labels)
                    .fetch(loss.edge())
                    .target(step.toArray(Node[]::new))
                    .run()
                    .get(0)
                    .close();
        }
    }

    private Map<String, double[]> state(Session s) {
        Map<String, double[]> values = new LinkedHashMap<>();
        for (Parameter p : all)
            try (Tensor t = s.fetch(p.value().edge()).run().get(0)) {
                double[] v = new double[(int) t.size()];
                Arrays.setAll(v, t::getDouble);
                values.put(p.name(), v);
            }
        return values;
    }

    private static void compare(
            String when, Map<String, double[]> wanted, Map<String, double[]> got, List<String> wrong) {
        wanted.forEach((name, v) -> {
            if (!Arrays.equals(v, got.get(name))) wrong.add(when + " changed " + name);
        });
    }

    private static void fail(Session s, Wrong step, String message, List<String> wrong) {
        try {
            step.run(s);
            wrong.add("no failure: " + message);
        } catch (OxbowException e) {
            if (!e.getMessage().contains(message)) wrong.add("another failure: " + e.getMessage());
        }
    }

    @FunctionalInterface
    private interface Wrong {
        void run(Session s);
    }

    /** The state after some steps on an engine, of which {@code failing} lie between others; what went wrong is told. */
    private Map<String, double[]> trained(Engine engine, boolean failing, List<String> wrong) {
        try (Session s = Session.open(ops.graph(), engine)) {
            for (Parameter p : all) s.target(p.initialiser()).run();
            for (int i = 0; i < 5; i++) train(s, 0, 0);
            Map<String, double[]> before = state(s);
            for (int again = 0; failing && again < 2; again++) {
                fail(s, x -> train(x, 0, 12), "Received a label value of 12", wrong);
                compare("a wrong label", before, state(s), wrong);
                fail(s, x -> train(x, BATCH, 0), "indices[7] = 32 is not in [0, 32)", wrong);
                compare("a wrong index", before, state(s), wrong);
            }
            for (int i = 0; i < 3; i++) train(s, 0, 0);
            return state(s);
        }
    }

    /** What is not as it must be. */
    List<String> faults(Engine engine) {
        List<String> wrong = new ArrayList<>();
        Map<String, double[]> wanted = trained(engine, false, wrong);
        compare("a step that failed", wanted, trained(engine, true, wrong), wrong);
        return wrong;
    }

    /** Says what is not as it must be on the first card, and on the device of the first argument. */
    public static void main(String[] words) {
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            new KeptState(words[0]).faults(engine).forEach(w -> System.out.println("WRONG: " + w));
        }
        System.out.println("graphs " + Card.of(0).commands.graphs());
    }
}
