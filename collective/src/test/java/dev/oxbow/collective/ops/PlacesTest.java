package dev.oxbow.collective.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.collective.Reduction;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In a planned step the inputs of an all-reduce are written into its bucket, and its outputs lie there. */
final class PlacesTest {
    private static final int STEPS = 4;

    /** Where values were lent. */
    private record Seen(List<Boolean> lent) {}

    /** A copy that says whether its input lies in memory of a plan. */
    @Signature("Watched(x: T) -> (y: T) {T: type} stateful")
    record Watched() implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0));
        }

        @Override
        public Kernel cpu() {
            return c -> {
                c.service(Seen.class).lent.add(c.input(0).buffer().isLent());
                Memory.copy(
                        c.input(0).address(), c.output(0).address(), c.input(0).byteSize());
            };
        }
    }

    @Test
    void inputsAndOutputsLieInTheBucketFromTheFirstPlannedStepOn() {
        try (Ranks ranks = new Ranks(3)) {
            List<Seen> seen = ranks.run(r -> {
                Graph g = new Graph();
                Ops ops = Ops.in(g);
                Value x = ops.placeholder("x", DType.F32, Shape.of(5, 5));
                Value product = x.matMul(x), row = x.sum(0); // 25 and 5 elements: the second begins after a gap
                List<Value> sums = Value.applyAll(AllReduce.of(Reduction.SUM), product, row);
                Value watched = Value.apply(new Watched(), sums.get(0));
                Seen s = new Seen(new ArrayList<>());
                List<Tensor> kept = new ArrayList<>();
                try (Session session = Session.open(g, r.options().withService(Seen.class, s))) {
                    for (int step = 0; step < STEPS; step++) {
                        try (Tensor fed = filled(step + r.number())) {
                            kept.addAll(session.feed(x.edge(), fed)
                                    .fetch(
                                            watched.edge(),
                                            sums.get(0).edge(),
                                            sums.get(1).edge())
                                    .run());
                        }
                    }
                }
                for (int step = 0; step < STEPS; step++) { // what was fetched is not what later steps write to
                    float products = 0, rows = 0;
                    for (int k = 0; k < 3; k++) {
                        products += 5f * (step + k) * (step + k);
                        rows += 5f * (step + k);
                    }
                    assertAll(products, kept.get(3 * step), kept.get(3 * step + 1));
                    assertAll(rows, kept.get(3 * step + 2));
                }
                kept.forEach(Tensor::close);
                return s;
            });
            for (Seen s : seen) {
                assertEquals(STEPS, s.lent.size());
                assertEquals(true, s.lent.getLast());
            }
        }
    }

    private static void assertAll(float expected, Tensor... tensors) {
        for (Tensor t : tensors) {
            float[] all = new float[(int) t.size()];
            Arrays.fill(all, expected);
            assertArrayEquals(all, t.floats());
        }
    }

    private static Tensor filled(float value) {
        Tensor t = Tensor.allocate(DType.F32, Shape.of(5, 5));
        for (long i = 0; i < t.size(); i++) t.set(i, value);
        return t;
    }
}
