package dev.oxbow.cuda;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Trains normalised layers on the first card, on the CPU and on the card with too little memory, and says how that went. */
final class EmulatedCardProcess {
    private static final int BATCH = 64;
    private static final int WIDTH = 128;
    private static final int CLASSES = 64;
    private static final int LAYERS = 6;
    private static final int STEPS = 5;

    private final Ops ops = Ops.in(new Graph());
    private final Random random = new Random(5);
    private final List<Parameter> parameters = new ArrayList<>();
    private final Value x = ops.placeholder("x", DType.F32, Shape.of(BATCH, WIDTH));
    private final Value y = ops.placeholder("y", DType.I32, Shape.of(BATCH));
    private final Value loss;
    private final Minimiser.Updates step;

    private EmulatedCardProcess() {
        Value h = x;
        for (int i = 0; i < LAYERS; i++) {
            Value c = h.minus(h.mean(true, -1));
            Value n = c.times(c.square().mean(true, -1).plus(1e-5).rsqrt());
            n = n.times(parameter(WIDTH)).plus(parameter(WIDTH));
            h = h.plus(n.matMul(parameter(WIDTH, WIDTH)).plus(parameter(WIDTH)).tanh());
        }
        loss = Value.applyAll(
                        Ops.named("SparseSoftmaxCrossEntropyWithLogits", Map.of()),
                        h.matMul(parameter(WIDTH, CLASSES)),
                        y)
                .get(0)
                .mean();
        step = Minimiser.adam(0.01).minimise(loss, parameters);
    }

    private Value parameter(long... shape) {
        Parameter p = Parameter.of("p" + parameters.size(), ops.constant(floats(0.3, shape)));
        parameters.add(p);
        return p.value();
    }

    private Tensor floats(double scale, long... shape) {
        float[] v = new float[(int) Shape.of(shape).size()];
        for (int i = 0; i < v.length; i++) v[i] = (float) (scale * random.nextGaussian());
        return Tensor.of(Shape.of(shape), v);
    }

    private double[] losses(Engine engine) {
        random.setSeed(9);
        int[] labels = random.ints(BATCH, 0, CLASSES).toArray();
        double[] all = new double[STEPS];
        try (Session s = Session.open(ops.graph(), engine);
                Tensor in = floats(1, BATCH, WIDTH);
                Tensor wanted = Tensor.of(Shape.of(BATCH), labels)) {
            for (Parameter p : parameters) s.target(p.initialiser()).run();
            for (Parameter p : step.slots()) s.target(p.initialiser()).run();
            for (int i = 0; i < STEPS; i++)
                try (Tensor t = s.feed(x.edge(), in)
                        .feed(y.edge(), wanted)
                        .fetch(loss.edge())
                        .target(step.nodes().toArray(Node[]::new))
                        .run()
                        .get(0)) {
                    all[i] = t.getDouble(0);
                }
        }
        return all;
    }

    private static Device card(Engine engine) {
        return engine.devices().stream()
                .filter(d -> d.spec().type().equals("GPU"))
                .findFirst()
                .orElseThrow();
    }

    public static void main(String[] words) {
        EmulatedCardProcess p = new EmulatedCardProcess();
        double[] cpu, card, half;
        long most, peak, parked;
        try (Engine engine = CardModel.onlyCpu()) {
            cpu = p.losses(engine);
        }
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            card = p.losses(engine);
            most = card(engine).memory().peakBytes();
        }
        System.setProperty("oxbow.cuda.memory", Long.toString(most * 7 / 10));
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            Device device = card(engine);
            half = p.losses(engine);
            peak = device.memory().peakBytes();
            parked = device.parking().memory().peakBytes();
        }
        double off = 0;
        for (int i = 0; i < STEPS; i++) off = Math.max(off, Math.abs(card[i] - cpu[i]) / cpu[i]);
        System.out.println("losses " + Arrays.toString(card));
        System.out.println("off the CPU's by " + off);
        System.out.println(peak < most ? "less memory" : "no less memory: " + peak + " of " + most);
        System.out.println(Arrays.equals(card, half) ? "the same bits" : "other bits: " + Arrays.toString(half));
        System.out.println(parked > 0 ? "some parked" : "nothing parked");
        System.out.println("graphs " + Card.of(0).commands.graphs());
    }
}
