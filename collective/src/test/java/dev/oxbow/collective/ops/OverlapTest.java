package dev.oxbow.collective.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.collective.Reduction;
import dev.oxbow.collective.Trace;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** An all-reduce starts as soon as its gradient exists, while the backward pass goes on. */
final class OverlapTest {

    /** Holds the backward pass up until an all-reduce of a later layer has moved data. */
    private static final class Gate {
        private final Trace trace;
        private long before;
        int passed;

        Gate(Trace trace) {
            this.trace = trace;
        }

        void forward() {
            before = trace.recorded();
        }

        void backward() {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (trace.recorded() == before && System.nanoTime() < end) Thread.onSpinWait();
            if (trace.recorded() > before) passed++;
        }
    }

    /** A copy whose gradient waits at the gate. */
    @Signature("Gated(x: T) -> (y: T) {T: type} stateful")
    record Gated() implements Differentiable {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0));
        }

        @Override
        public Kernel cpu() {
            return c -> {
                Memory.copy(
                        c.input(0).address(), c.output(0).address(), c.input(0).byteSize());
                Gate gate = c.service(Gate.class);
                if (c.node().startsWith("gradients")) gate.backward();
                else gate.forward();
            };
        }

        @Override
        public List<Value> gradient(GradientContext g) {
            return List.of(Value.apply(new Gated(), g.gradient(0)));
        }
    }

    @Test
    void theFirstAllReduceMovesDataBeforeTheLastGradientIsComputed() {
        int steps = 4;
        try (Ranks ranks = new Ranks(2)) {
            List<Integer> passed = ranks.run(r -> {
                Graph g = new Graph();
                Ops ops = Ops.in(g);
                Value x = ops.placeholder("x", DType.F32, Shape.of(8, 4));
                Value w1 = ops.placeholder("w1", DType.F32, Shape.of(4, 16));
                Value w2 = ops.placeholder("w2", DType.F32, Shape.of(16, 2));
                Value h = Value.apply(new Gated(), x.matMul(w1)).relu();
                List<Value> gradients = Gradients.of(h.matMul(w2).square().sum(), w1, w2);
                AllReduce mean = AllReduce.of(Reduction.MEAN);
                Value first = Value.apply(mean.withKey("w1"), gradients.get(0));
                Value second = Value.apply(mean.withKey("w2"), gradients.get(1));
                Gate gate = new Gate(r.communicator().trace());
                try (Session s = Session.open(g, r.options().withService(Gate.class, gate));
                        Tensor fx = ones(8, 4);
                        Tensor f1 = ones(4, 16);
                        Tensor f2 = ones(16, 2)) {
                    for (int step = 0; step < steps; step++) {
                        s.feed(x.edge(), fx)
                                .feed(w1.edge(), f1)
                                .feed(w2.edge(), f2)
                                .fetch(first.edge(), second.edge())
                                .run()
                                .forEach(Tensor::close);
                    }
                }
                return gate.passed;
            });
            assertEquals(List.of(steps, steps), passed);
        }
    }

    private static Tensor ones(long... dims) {
        Tensor t = Tensor.allocate(DType.F32, Shape.of(dims));
        for (long i = 0; i < t.size(); i++) t.set(i, 1);
        return t;
    }
}
