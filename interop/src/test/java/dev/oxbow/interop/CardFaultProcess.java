package dev.oxbow.interop;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.Ranks;
import dev.oxbow.collective.ops.AllReduce;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.parallel.Plan;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * One rank of a job whose gradients go from card to card, or with any argument by the hosts, and whose last rank is given a label that is no class, twice: says what
 * each rank hears of that, whether it has changed anything, and how training ends.
 */
final class CardFaultProcess {
    private static final int ROWS = 16;
    private static final int WIDTH = 24;
    private static final int CLASSES = 10;
    private static final int STEPS = 5;

    private final Ops ops = Ops.in(new Graph());
    private final Random random = new Random(11);
    private final List<Parameter> parameters = new ArrayList<>();
    private final Value x = ops.placeholder("x", DType.F32, Shape.of(-1, WIDTH));
    private final Value y = ops.placeholder("y", DType.I32, Shape.of(-1));
    private final Minimiser.Updates step;

    private CardFaultProcess() {
        Value logits = x.matMul(parameter(WIDTH, WIDTH)).tanh().matMul(parameter(WIDTH, CLASSES));
        Value loss = Value.applyAll(Ops.named("SparseSoftmaxCrossEntropyWithLogits", Map.of()), logits, y)
                .get(0)
                .mean();
        step = Minimiser.adam(0.01).minimise(loss, parameters);
    }

    private Value parameter(long... shape) {
        Parameter p = Parameter.of("p" + parameters.size(), ops.constant(numbers(Shape.of(shape))));
        parameters.add(p);
        return p.value();
    }

    private Tensor numbers(Shape shape) {
        float[] all = new float[(int) shape.size()];
        for (int i = 0; i < all.length; i++) all[i] = (float) (0.2 * random.nextGaussian());
        return Tensor.of(shape, all);
    }

    private void train(Session s, int first) {
        int[] labels = random.ints(ROWS, 0, CLASSES).toArray();
        labels[0] = first;
        try (Tensor in = numbers(Shape.of(ROWS, WIDTH));
                Tensor wanted = Tensor.of(Shape.of(ROWS), labels)) {
            s.feed(x.edge(), in)
                    .feed(y.edge(), wanted)
                    .target(step.nodes().toArray(Node[]::new))
                    .run();
        }
    }

    private List<Parameter> all() {
        List<Parameter> all = new ArrayList<>(parameters);
        all.addAll(step.slots());
        return all;
    }

    private int bits(Session s) {
        int bits = 0;
        for (Parameter p : all())
            try (Tensor t = s.fetch(p.value().edge()).run().get(0)) {
                bits = 31 * bits + Arrays.hashCode(t.floats());
            }
        return bits;
    }

    private void run(Session s, Communicator job) {
        for (Parameter p : all()) s.target(p.initialiser()).run();
        random.setSeed(job.rank());
        for (int i = 0; i < STEPS; i++) train(s, 0);
        int before = bits(s);
        for (int again = 0; again < 2; again++) {
            try {
                train(s, job.rank() == job.size() - 1 ? CLASSES + 2 : 0);
                System.out.println("nothing failed");
            } catch (OxbowException e) {
                System.out.println("failed " + e.code() + " " + e.getMessage().replace('\n', ' '));
            }
            System.out.println(bits(s) == before ? "unchanged" : "CHANGED");
        }
        for (int i = 0; i < STEPS; i++) train(s, 0);
        System.out.println(bits(s) == before ? "stands still" : "bits " + bits(s));
    }

    public static void main(String[] words) {
        try (Communicator job = Ranks.join();
                Engine engine = new Engine(EngineOptions.defaults())) {
            CardFaultProcess p = new CardFaultProcess();
            Plan plan = words.length > 0 ? Plan.ring() : Plan.ring().withAlgorithm(AllReduce.CARDS);
            try (Session s = Session.open(p.ops.graph(), engine, plan.options(SessionOptions.defaults(), job))) {
                p.run(s, job);
            }
        }
    }
}
