package dev.oxbow.data.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What each stage does, against lists that were made by hand or by plain loops. */
final class StagesTest {

    private static List<Long> longs(long... all) {
        return LongStream.of(all).boxed().toList();
    }

    private static <T> List<T> all(Pipeline<T> p) {
        return RandomPipelines.all(p.open());
    }

    @Test
    void takeSkipShardAndThenPickByPlace() {
        Pipeline<Long> p = Pipeline.range(10);
        assertEquals(longs(0, 1, 2), all(p.take(3)));
        assertEquals(longs(8, 9), all(p.skip(8)));
        assertEquals(longs(), all(p.skip(11)));
        assertEquals(longs(1, 4, 7), all(p.shard(1, 3)));
        assertEquals(longs(0, 9), all(p.take(1).then(p.skip(9))));
    }

    @Test
    void aShuffleHasEveryElementAndAnotherOrderInEachEpoch() {
        Pipeline<Long> p = Pipeline.range(50).shuffle(7);
        List<Long> first = RandomPipelines.all(p.epoch(0, 0)), second = RandomPipelines.all(p.epoch(1, 0));
        assertNotEquals(first, second);
        assertEquals(first, RandomPipelines.all(p.epoch(0, 0)));
        List<Long> sorted = new ArrayList<>(first);
        Collections.sort(sorted);
        assertEquals(all(Pipeline.range(50)), sorted);
    }

    @Test
    void aShuffleBufferLetsAnElementComeNoEarlierThanItsSizeAllows() {
        List<Long> order = all(Pipeline.range(100).shuffle(10, 3));
        for (int i = 0; i < order.size(); i++) assertTrue(order.get(i) < i + 10, order.toString());
    }

    @Test
    void aShuffleOfAllIsEven() {
        int n = 4, rounds = 24_000;
        Map<List<Long>, Integer> seen = new HashMap<>();
        for (long epoch = 0; epoch < rounds; epoch++)
            seen.merge(
                    RandomPipelines.all(Pipeline.range(n).shuffle(5).threads(0).epoch(epoch, 0)), 1, Integer::sum);
        assertEquals(24, seen.size());
        for (int count : seen.values()) assertEquals(1000, count, 160); // five standard deviations of 31
    }

    @Test
    void repeatHasAnOrderForEachRound() {
        Pipeline<Long> once = Pipeline.range(20).shuffle(1);
        List<Long> twice = new ArrayList<>(RandomPipelines.all(once.epoch(2, 0)));
        twice.addAll(RandomPipelines.all(once.epoch(3, 0)));
        assertEquals(twice, RandomPipelines.all(once.repeat(2).epoch(1, 0)));
        assertEquals(45, all(once.repeat().take(45)).size());
        assertEquals(longs(), all(Pipeline.range(0).repeat()));
    }

    @Test
    void windowsOverlapOrLeaveOut() {
        assertEquals(
                List.of(longs(0, 1, 2), longs(2, 3, 4), longs(4)),
                all(Pipeline.range(5).window(3, 2, false)));
        assertEquals(List.of(longs(0), longs(3)), all(Pipeline.range(5).window(1, 3, false)));
        assertEquals(List.of(longs(0, 1), longs(2, 3)), all(Pipeline.range(5).window(2, 2, true)));
    }

    @Test
    void interleaveTakesBlocksInTurn() {
        Pipeline<Long> p =
                Pipeline.range(4).interleave(2, 2, x -> Pipeline.range(3).map(y -> 10 * x + y));
        assertEquals(longs(0, 1, 10, 11, 2, 12, 20, 21, 30, 31, 22, 32), all(p));
    }

    @Test
    void mixTakesByWeightsUntilAllHaveEnded() {
        Pipeline<Long> a = Pipeline.range(3000), b = Pipeline.range(3000).map(x -> -1 - x);
        List<Long> mixed = all(Pipeline.mix(List.of(a, b), List.of(3.0, 1.0), 9));
        assertEquals(6000, mixed.size());
        long ofA = mixed.subList(0, 2000).stream().filter(x -> x >= 0).count();
        assertEquals(1500, ofA, 100); // five standard deviations of 19
        assertEquals(all(a), mixed.stream().filter(x -> x >= 0).toList());
    }

    @Test
    void zipEndsWithTheShorter() {
        assertEquals(longs(0, 2, 4), all(Pipeline.range(3).zip(Pipeline.range(9), Long::sum)));
    }

    @Test
    void bucketsPutLikeLengthsTogether() {
        Pipeline<List<Long>> p =
                Pipeline.of(longs(1, 12, 2, 3, 15, 30, 11)).buckets(x -> x, List.of(10L, 20L), List.of(2, 3, 1));
        assertEquals(List.of(longs(1, 2), longs(30), longs(12, 15, 11), longs(3)), all(p));
    }

    @Test
    void aPaddedBatchHasTheLongestLengthForEveryWorker() {
        Pipeline<Batch> p = Pipeline.range(4)
                .map(i -> Sample.of(Tensor.of(Shape.of(i), new float[(int) (long) i]), Tensor.scalar(i)))
                .paddedBatch(4, Shape.of(-1), Shape.SCALAR);
        for (int rank = 0; rank < 3; rank++)
            try (Feed<Batch> feed = p.share(rank, 3).open();
                    Batch b = feed.next()) {
                assertEquals(3, b.tensors().getFirst().shape().dim(1));
                assertEquals(4, b.rows());
            }
    }

    @Test
    void paddingKeepsRowsOfMatricesInPlace() {
        Pipeline<Batch> p = Pipeline.of(
                        List.of(Tensor.of(Shape.of(2, 2), 1, 2, 3, 4), Tensor.of(Shape.of(1, 3), 5, 6, 7)))
                .paddedBatch(2, Shape.of(2, -1));
        try (Feed<Batch> feed = p.open();
                Batch b = feed.next()) {
            assertEquals(Shape.of(2, 2, 3), b.targets().shape());
            assertEquals(
                    "[1, 2, 0, 3, 4, 0, 5, 6, 7, 0, 0, 0]",
                    Arrays.toString(b.targets().ints()));
        }
    }

    @Test
    void withoutShapesABatchIsPaddedToItsLongestEverywhere() {
        Pipeline<Sample> p = Pipeline.range(2)
                .map(i -> Sample.of(Tensor.zeros(DType.F32, Shape.of(1 + i, 3 - i)), Tensor.scalar(i)));
        for (int rank = 0; rank < 2; rank++)
            try (Feed<Batch> feed = p.paddedBatch(2).share(rank, 2).open();
                    Batch b = feed.next()) {
                assertEquals(Shape.of(1, 2, 3), b.tensors().getFirst().shape());
            }
        try (Feed<Batch> feed = p.paddedBatch(2, Shape.of(-1, -1)).open()) {
            OxbowException e = assertThrows(OxbowException.class, feed::next);
            assertEquals("padded batch: elements have 2 tensors, shapes are for 1", e.getMessage());
        }
    }

    @Test
    void aWorkerMustBeOneOfThem() {
        OxbowException e =
                assertThrows(OxbowException.class, () -> Pipeline.range(3).share(2, 2));
        assertEquals("input: worker 2 must be one of 2, counted from 0", e.getMessage());
    }

    @Test
    void stringsArePaddedWithEmptyOnes() {
        Pipeline<Batch> p = Pipeline.of(List.of(Tensor.of(Shape.of(1), "a"), Tensor.of(Shape.of(2), "b", "c")))
                .paddedBatch(2, Shape.of(-1));
        try (Feed<Batch> feed = p.open();
                Batch b = feed.next()) {
            assertEquals(List.of("a", "", "b", "c"), b.targets().strings());
        }
    }

    @Test
    void differentShapesInABatchAreAnErrorThatNamesBoth() {
        Pipeline<Batch> p = Pipeline.of(List.of(Tensor.of(Shape.of(1), 1f), Tensor.of(Shape.of(2), 1f, 2f)))
                .batch(2);
        try (Feed<Batch> feed = p.open()) {
            OxbowException e = assertThrows(OxbowException.class, feed::next);
            assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
            assertEquals(
                    "batch: component 0 is f32[1] in one element and f32[2] in another; map them to one shape, or pad",
                    e.getMessage());
        }
    }

    @Test
    void aCacheComputesEachElementOnceUpToItsBytes() {
        AtomicInteger computed = new AtomicInteger();
        Pipeline<Long> p = Pipeline.range(10).map(x -> {
            computed.incrementAndGet();
            return x;
        });
        Pipeline<Long> kept = p.cache(1 << 20).shuffle(1),
                some = p.cache(5 * Sizes.REFERENCE).shuffle(1);
        for (long epoch = 0; epoch < 3; epoch++) RandomPipelines.all(kept.epoch(epoch, 0));
        assertEquals(10, computed.get());
        computed.set(0);
        for (long epoch = 0; epoch < 3; epoch++) RandomPipelines.all(some.epoch(epoch, 0));
        assertEquals(10 + 5 + 5, computed.get());
    }

    @Test
    void cachedTensorsOutliveBatchesThatAreClosed() {
        Pipeline<Batch> p =
                Pipeline.range(6).map(RandomPipelines::sample).cache(1 << 20).batch(4);
        List<List<Long>> first = RandomPipelines.rows(p.epoch(0, 0));
        assertEquals(List.of(longs(0, 1, 2, 3), longs(4, 5)), first);
        assertEquals(first, RandomPipelines.rows(p.epoch(1, 0)));
    }

    @Test
    void randomNumbersOfAnElementBelongToSeedEpochAndIndex() {
        Pipeline<Integer> p = Pipeline.range(5).map("draw", 3, (_, draw) -> draw.bits());
        List<Integer> whole = RandomPipelines.all(p.epoch(4, 0));
        assertEquals(whole.subList(2, 5), RandomPipelines.all(p.epoch(4, 2)));
        assertEquals(whole.get(3), new Draw(3, 4, 3).bits());
        assertNotEquals(whole, RandomPipelines.all(p.epoch(5, 0)));
        assertEquals(5, whole.stream().distinct().count());
    }

    @Test
    void aBatchOfMoreWorkersThanRowsGivesSomeOfThemNone() {
        Pipeline<Batch> p = Pipeline.range(2).map(RandomPipelines::sample).batch(8);
        long rows = 0;
        for (int rank = 0; rank < 5; rank++)
            try (Feed<Batch> feed = p.share(rank, 5).open();
                    Batch b = feed.next()) {
                assertEquals(Shape.of(b.held(), 2), b.targets().shape());
                rows += b.held();
                assertFalse(feed.hasNext());
            }
        assertEquals(2, rows);
    }

    @Test
    void aPipelineSaysItsStages() {
        String text = Pipeline.range(3).shuffle(2, 1).map(x -> x).batch(4).toString();
        assertEquals(
                List.of("3 elements", "shuffle 2", "map", "batch 4"),
                text.lines().toList());
    }

    @Test
    void elementsThatShareATensorOrAreNoneAreErrors() {
        Tensor ones = Tensor.of(Shape.of(2), 1f, 1f);
        Pipeline<Long> p = Pipeline.range(4);
        List<String> errors = new ArrayList<>();
        for (Pipeline<Batch> each : List.of(
                p.map(_ -> Sample.of(ones)).batch(2), p.map(_ -> (Sample) null).batch(4)))
            try (Feed<Batch> feed = each.open()) {
                while (feed.hasNext()) {
                    try {
                        feed.next().close();
                    } catch (OxbowException e) {
                        errors.add(e.getMessage());
                    }
                }
            }
        assertEquals(
                List.of(
                        "batch: component 0, f32[2], was closed with an element that had it before; give each a view of its own",
                        "batch: elements must be samples or tensors, got null; map them first"),
                errors);
        Tensor twos = Tensor.of(Shape.of(2), 2f, 2f);
        Pipeline<Batch> views =
                p.map(_ -> Sample.of(twos.reshaped(twos.shape()))).batch(2);
        try (Feed<Batch> feed = views.open()) {
            while (feed.hasNext()) feed.next().close();
        }
        assertEquals(2, twos.floats()[1]);
    }
}
