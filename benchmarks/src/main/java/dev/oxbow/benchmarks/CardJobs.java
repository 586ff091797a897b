package dev.oxbow.benchmarks;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.rewrite.MixedPrecision;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** Calls of a card, made ready to be timed. */
final class CardJobs {
    /** Steps of large models whose losses are told: after a few AdamW without a slow start makes rounding large. */
    static final int LARGE_STEPS = 3;

    /** A row made ready: one call, and the losses of the first calls on the card, twice, and on the CPU, if any. */
    record Job(Runnable call, double[] losses, double[] again, double[] wanted, double[] nudged, Runnable end)
            implements AutoCloseable {
        @Override
        public void close() {
            end.run();
        }
    }

    private final Engine engine;
    private final Engine cpu;
    private final Device card;
    private final int steps;
    private final DType dtype;

    /** On a card of {@code engine}; losses of so many steps, in f32 or f64, are compared with those of {@code cpu}. */
    CardJobs(Engine engine, Device card, Engine cpu, int steps, DType dtype) {
        this.dtype = dtype;
        this.engine = engine;
        this.card = card;
        this.cpu = cpu;
        this.steps = steps;
    }

    private static SessionOptions options(Workload w) {
        SessionOptions o = SessionOptions.defaults().withStepsInFlight(2);
        return w == Workload.TINY_ADD ? o.withOptimise(false) : o;
    }

    Job training(Workload w, boolean losses) {
        return training(w, i -> OxbowPeer.built(w, i, dtype), losses);
    }

    /** A workload of which the card runs another form than the CPU. */
    Job training(Workload w, Function<Inputs, OxbowModel> form, boolean losses) {
        Inputs inputs = StartValues.of(w);
        double[] got = null, again = null, wanted = null, nudged = null;
        if (losses && steps > 0) {
            Function<DType, Function<Inputs, OxbowModel>> plain = t -> i -> OxbowPeer.built(w, i, t);
            wanted = losses(plain.apply(dtype), inputs, cpu);
            nudged = further(
                    wanted,
                    losses(plain.apply(dtype), inputs.nudged(), cpu),
                    losses(plain.apply(DType.F64), inputs, cpu));
            got = losses(form, inputs, engine);
            again = losses(form, inputs, engine);
        }
        OxbowModel m = form.apply(inputs).openOn(engine, card, options(w));
        return new Job(
                m::stepOnly, got, again, wanted, nudged, m::close); // as PyTorch's graphs, which bring nothing back
    }

    /** A model whose products are in bf16; where that is asked for, compared with the CPU. */
    Job large(Supplier<CardModel> model, boolean compared) {
        SessionOptions mixed = SessionOptions.defaults().withRewrite(new MixedPrecision(DType.BF16));
        int n = Math.min(steps, LARGE_STEPS);
        double[] got = n == 0 ? null : losses(model, engine, mixed, n),
                again = n == 0 ? null : losses(model, engine, mixed, n);
        boolean both = compared && n > 0;
        double[] wanted = both ? losses(model, cpu, mixed, n) : null;
        double[] full = both ? losses(model, cpu, SessionOptions.defaults(), n) : null;
        CardModel m = model.get().openOn(engine, card, mixed.withStepsInFlight(2));
        return new Job(m::step, got, again, wanted, full, m::close);
    }

    private double[] losses(Supplier<CardModel> model, Engine on, SessionOptions options, int n) {
        Device first = on == engine ? card : on.devices().getFirst();
        try (CardModel m = model.get().openOn(on, first, options)) {
            double[] all = new double[n];
            for (int i = 0; i < n; i++) all[i] = m.stepWithLoss();
            return all;
        }
    }

    /** The same with the loss brought back from each step; what is put into a queue comes from the host, where queues are. */
    Job fetched(Workload w) {
        Device there = w == Workload.MLP_QUEUE ? null : card;
        OxbowModel m = OxbowPeer.built(w, StartValues.of(w)).openOn(engine, there, options(w));
        return new Job(m::step, null, null, null, null, m::close);
    }

    /** The same with what a step takes coming from the host each time, and the loss left there. */
    Job fromHost(Workload w) {
        OxbowModel m = OxbowPeer.built(w, StartValues.of(w)).openOn(engine, null, options(w));
        return new Job(m::stepOnly, null, null, null, null, m::close);
    }

    /** Of two numbers each the one that is further from a third. */
    private static double[] further(double[] from, double[] a, double[] b) {
        double[] all = new double[from.length];
        for (int i = 0; i < all.length; i++)
            all[i] = Math.abs(a[i] - from[i]) >= Math.abs(b[i] - from[i]) ? a[i] : b[i];
        return all;
    }

    private double[] losses(Function<Inputs, OxbowModel> model, Inputs inputs, Engine on) {
        Device first = on == engine ? card : on.devices().getFirst();
        on.reset(); // variables of another type may have the same names
        try (OxbowModel m = model.apply(inputs).openOn(on, first, SessionOptions.defaults())) {
            double[] all = new double[steps];
            for (int i = 0; i < steps; i++) {
                m.step();
                all[i] = m.last();
            }
            return all;
        }
    }

    Job matmul(int n, DType dtype) {
        Ops ops = Ops.in(new Graph());
        Value x = ops.placeholder("x", dtype, Shape.of(n, n)), y = ops.placeholder("y", dtype, Shape.of(n, n));
        Value z = x.matMul(y);
        return kernel(
                ops,
                Map.of(
                        x, StartValues.normal("matmul.x", 1, dtype, n, n),
                        y, StartValues.normal("matmul.y", 1, dtype, n, n)),
                z);
    }

    Job relu(int n) {
        Ops ops = Ops.in(new Graph());
        Map<Value, Tensor> feeds = new LinkedHashMap<>();
        for (String name : List.of("x", "y", "z"))
            feeds.put(
                    ops.placeholder(name, DType.F32, Shape.of(n)), StartValues.normal("relu." + name, 1, DType.F32, n));
        List<Value> v = List.copyOf(feeds.keySet());
        return kernel(ops, feeds, v.get(0).times(v.get(1)).plus(v.get(2)).relu());
    }

    Job xent(DType dtype) {
        int rows = 32768, columns = 50304;
        Ops ops = Ops.in(new Graph());
        Value x = ops.placeholder("x", dtype, Shape.of(rows, columns)),
                y = ops.placeholder("y", DType.I32, Shape.of(rows));
        Value loss = Value.applyAll(Ops.named("SparseSoftmaxCrossEntropyWithLogits", Map.of()), x, y)
                .get(0)
                .mean();
        return kernel(
                ops,
                Map.of(
                        x, StartValues.normal("xent.x", 1, dtype, rows, columns),
                        y, StartValues.wholeNumbers("xent.y", columns, rows)),
                loss,
                Gradients.of(loss, x).get(0));
    }

    /** A call that computes values and leaves them. */
    Job kernel(Ops ops, Map<Value, Tensor> feeds, Value... results) {
        Session session =
                Session.open(ops.graph(), engine, SessionOptions.defaults().withStepsInFlight(2));
        Map<Value, Tensor> there = new LinkedHashMap<>();
        feeds.forEach((v, t) -> {
            there.put(v, card.adopt(t.retain()));
            t.close();
        });
        Runnable call = () -> {
            Session.Run run =
                    session.target(Arrays.stream(results).map(Value::node).toArray(Node[]::new));
            there.forEach((v, t) -> run.feed(v.edge(), t));
            run.run();
        };
        return new Job(call, null, null, null, null, () -> {
            session.close();
            there.values().forEach(Tensor::release);
        });
    }
}
