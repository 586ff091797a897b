package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.BucketPlan.Member;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BucketsTest {
    private static final BucketConfig SUMS =
            BucketConfig.DEFAULT.withReduction(Reduction.SUM).withTune(false).withDelay(Duration.ofSeconds(60));

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void tensorsAreReducedInPlaceInEveryStepAndAnyOrder(boolean deterministic) {
        int size = 3, tensors = 30;
        try (Job job = new Job(size, Job.CONFIG.withDeterministic(deterministic))) {
            List<Integer> counts = job.run(c -> {
                try (Buckets buckets = new Buckets(c.world(), SUMS.withBytes(4000))) {
                    for (int step = 0; step < 4; step++) step(c, buckets, tensors, step);
                    return buckets.count();
                }
            });
            assertEquals(counts.get(0), counts.get(1));
            assertTrue(counts.get(0) > 3 && counts.get(0) < tensors, counts.toString());
        }
    }

    @Test
    void sizesAreTriedAndOneIsAgreedOn() {
        try (Job job = new Job(3)) {
            List<Long> sizes = job.run(c -> {
                try (Buckets buckets = new Buckets(c.world(), SUMS.withTune(true))) {
                    for (int step = 0; step < 16; step++) step(c, buckets, 10, step);
                    return buckets.bytes();
                }
            });
            assertEquals(sizes.get(0), sizes.get(1));
            assertEquals(sizes.get(0), sizes.get(2));
        }
    }

    /** One step in an order of the rank's own; the last tensor is left out of every third step. */
    private static void step(Communicator c, Buckets buckets, int tensors, int step) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < (step % 3 == 2 ? tensors - 1 : tensors); i++) order.add(i);
        Collections.shuffle(order, new Random(31L * step + c.rank()));
        Tensor[] values = new Tensor[tensors];
        for (int i : order) {
            values[i] = Tensor.allocate(i % 4 == 0 ? DType.I32 : DType.F32, Shape.of(10 + 7L * i));
            for (long k = 0; k < values[i].size(); k++)
                Values.put(values[i].dtype(), values[i].address(), k, c.rank() + i + k % 5 + step);
            buckets.add("t" + i, Elements.of(values[i]));
        }
        buckets.flush().await();
        int size = c.size();
        for (int i : order) {
            for (long k = 0; k < values[i].size(); k++) {
                double expected = size * (size - 1) / 2 + size * (i + k % 5 + step);
                assertEquals(
                        expected,
                        Values.get(values[i].dtype(), values[i].address(), k),
                        "step " + step + ", tensor " + i);
            }
            values[i].close();
        }
    }

    @Test
    void bucketsAreCutBySizeDtypeAndDelay() {
        List<Member> order = List.of(
                new Member("a", DType.F32, 10, 0),
                new Member("b", DType.I32, 10, 1),
                new Member("c", DType.F32, 10, 2),
                new Member("d", DType.F32, 10, 3),
                new Member("e", DType.F32, 100, 4),
                new Member("f", DType.F32, 1, 5),
                new Member("g", DType.F32, 1, 90));
        BucketPlan plan = new BucketPlan(order, 80, 50);
        List<List<String>> names = plan.buckets().stream()
                .map(b -> b.members().stream().map(Member::name).toList())
                .toList();
        assertEquals(
                List.of(List.of("a", "c"), List.of("b"), List.of("d"), List.of("e"), List.of("f"), List.of("g")),
                names);
    }

    @Test
    void aTensorCanNotBeAddedTwiceInOneStep() {
        try (Job job = new Job(1);
                Tensor t = Tensor.zeros(DType.F32, Shape.of(3));
                Buckets buckets = new Buckets(job.rank(0).world(), SUMS)) {
            buckets.add("x", Elements.of(t)).await();
            var e = assertThrows(OxbowException.class, () -> buckets.add("x", Elements.of(t)));
            assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
            assertEquals("Buckets: 'x' was added twice in one step", e.getMessage());
            assertEquals(0, Memory.getFloat(t.address()));
        }
    }
}
