package dev.oxbow.interop;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.Ranks;
import dev.oxbow.collective.Reduction;
import dev.oxbow.collective.ops.AllReduce;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.parallel.Plan;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Device;
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
 * One rank of a job whose gradients go from card to card: trains, and says how far it is from what the CPU makes of all rows, and what
 * the card was given. With the argument {@code die}, the last rank is gone in the middle.
 */
final class CardRankProcess {
    private static final int ROWS = 32;
    private static final int WIDTH = 48;
    private static final int LAYERS = 3;
    private static final int STEPS = 8;
    private static final int LAST_OF_THE_DEAD = 5;

    private final Ops ops = Ops.in(new Graph());
    private final Random random = new Random(11);
    private final List<Parameter> parameters = new ArrayList<>();
    private final Value x = ops.placeholder("x", DType.F32, Shape.of(-1, WIDTH));
    private final Value y = ops.placeholder("y", DType.F32, Shape.of(-1, WIDTH));
    private final Minimiser.Updates step;
    private long hostOps;

    /** With {@code alone}, values go through a sum of one rank on their way, there and back. */
    private CardRankProcess(boolean alone) {
        AllReduce sum = AllReduce.of(Reduction.MEAN).withKey("h").withAlgorithm(AllReduce.CARDS);
        Value h = alone ? Value.apply(sum, x.times(2)).times(0.5) : x;
        for (int i = 0; i < LAYERS; i++)
            h = h.matMul(parameter(WIDTH, WIDTH)).plus(parameter(WIDTH)).tanh();
        step = Minimiser.adam(0.01).minimise(h.minus(y).square().mean(), parameters);
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

    /** The first weights after some steps with rows {@code [from, to)} of each batch. */
    private float[] trained(Engine engine, SessionOptions options, int from, int to, Runnable beforeTheLast) {
        try (Session s = Session.open(ops.graph(), engine, options)) {
            for (Parameter p : parameters) s.target(p.initialiser()).run();
            for (Parameter p : step.slots()) s.target(p.initialiser()).run();
            random.setSeed(12);
            long before = counts(engine).getOrDefault("ops by the host", 0L);
            for (int i = 0; i < STEPS; i++) {
                if (i == LAST_OF_THE_DEAD) beforeTheLast.run();
                try (Tensor in = numbers(Shape.of(ROWS, WIDTH));
                        Tensor out = numbers(Shape.of(ROWS, WIDTH));
                        Tensor a = in.rows(from, to - from);
                        Tensor b = out.rows(from, to - from)) {
                    s.feed(x.edge(), a)
                            .feed(y.edge(), b)
                            .target(step.nodes().toArray(Node[]::new))
                            .run();
                }
            }
            hostOps = counts(engine).getOrDefault("ops by the host", 0L) - before;
            return s.fetch(parameters.getFirst().value().edge()).run().get(0).floats();
        }
    }

    private static Map<String, Long> counts(Engine engine) {
        return engine.devices().stream()
                .filter(d -> d.spec().type().equals("GPU"))
                .findFirst()
                .map(Device::counts)
                .orElse(Map.of());
    }

    public static void main(String[] words) {
        boolean dies = Arrays.asList(words).contains("die");
        float[] wanted;
        try (Engine cpu = new Engine(
                EngineOptions.defaults(), (o, width) -> List.of(new CpuDevice(o.task(), 0, Long.MAX_VALUE, width)))) {
            wanted = new CardRankProcess(false).trained(cpu, SessionOptions.defaults(), 0, ROWS, () -> {});
        }
        try (Communicator job = Ranks.join();
                Engine engine = new Engine(EngineOptions.defaults())) {
            Plan plan = Plan.ring().withAlgorithm(AllReduce.CARDS).withBucketBytes(4 * WIDTH * WIDTH);
            CardRankProcess p = new CardRankProcess(job.size() == 1);
            int each = ROWS / job.size(), rank = job.rank();
            boolean last = dies && rank == job.size() - 1;
            float[] got = p.trained(
                    engine, plan.options(SessionOptions.defaults(), job), each * rank, each * (rank + 1), () -> {
                        if (last) Runtime.getRuntime().halt(0);
                    });
            double off = 0;
            for (int i = 0; i < got.length; i++) off = Math.max(off, Math.abs(got[i] - wanted[i]));
            System.out.println("off by " + off);
            System.out.println("bits " + Arrays.hashCode(got));
            System.out.println("graphs " + counts(engine).get("graphs"));
            System.out.println("ops of the host in a step " + p.hostOps / STEPS);
        } catch (OxbowException e) {
            System.out.println("failed " + e.code() + " " + e.getMessage().replace('\n', ' '));
        }
    }
}
