package dev.oxbow.data.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What must hold for any pipeline: workers, threads and stops change no batch. */
final class SharingTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
    void everyRecordIsSeenOnceAnEpochByOneOfTheWorkers(int workers) {
        for (int seed = 0; seed < 12; seed++) {
            Random random = new Random(31L * workers + seed);
            int records = random.nextInt(200), batch = 1 + random.nextInt(40), buffer = 1 + random.nextInt(250);
            Pipeline<Batch> p = Pipeline.range(records)
                    .shuffle(buffer, seed)
                    .map(RandomPipelines::sample)
                    .batch(batch)
                    .threads(random.nextInt(3));
            for (long epoch = 0, epochs = 1 + random.nextInt(5); epoch < epochs; epoch++) {
                List<Long> seen = new ArrayList<>();
                for (int rank = 0; rank < workers; rank++)
                    RandomPipelines.rows(p.share(rank, workers).epoch(epoch, 0)).forEach(seen::addAll);
                seen.sort(null);
                assertEquals(
                        LongStream.range(0, records).boxed().toList(),
                        seen,
                        "%d workers, seed %d, epoch %d".formatted(workers, seed, epoch));
            }
        }
    }

    @RepeatedTest(60)
    void theOrderIsTheSameForAnyNumberOfThreads(RepetitionInfo run) {
        long seed = run.getCurrentRepetition();
        for (long epoch = 0; epoch < 3; epoch++) {
            List<Long> one =
                    RandomPipelines.all(RandomPipelines.of(seed).threads(1).epoch(epoch, 0));
            for (int threads : new int[] {0, 2, 8})
                assertEquals(
                        one,
                        RandomPipelines.all(
                                RandomPipelines.of(seed).threads(threads).epoch(epoch, 0)),
                        "seed %d, epoch %d, %d threads\n%s".formatted(seed, epoch, threads, RandomPipelines.of(seed)));
        }
    }

    @RepeatedTest(200)
    void stopsAndResumesOnOtherNumbersOfWorkersGiveTheBatchesOfTheUndisturbedRun(RepetitionInfo run) {
        long seed = 1000 + run.getCurrentRepetition();
        Random random = new Random(seed);
        int size = 1 + random.nextInt(9);
        List<List<Long>> undisturbed = new ArrayList<>(), disturbed = new ArrayList<>();
        long epochs = 1 + random.nextInt(3);
        for (long epoch = 0; epoch < epochs; epoch++)
            undisturbed.addAll(
                    RandomPipelines.rows(batches(seed, size).threads(1).epoch(epoch, 0)));
        for (long epoch = 0; epoch < epochs; epoch++) {
            long at = 0;
            boolean more = true;
            while (more) {
                int workers = 1 + random.nextInt(7);
                long stop = random.nextInt(4) == 0 ? Long.MAX_VALUE : at + random.nextInt(6);
                List<List<Long>> part = together(batches(seed, size), epoch, at, stop, workers, random.nextInt(3));
                disturbed.addAll(part);
                at += part.size();
                more = at == stop;
            }
        }
        assertEquals(
                undisturbed, disturbed, "seed %d, batches of %d\n%s".formatted(seed, size, RandomPipelines.of(seed)));
    }

    /** What users put behind batches, or take batches from. */
    private static Map<String, Pipeline<Batch>> behindBatches() {
        Pipeline<Batch> batches =
                Pipeline.range(83).shuffle(20, 5).map(RandomPipelines::sample).batch(9);
        Map<String, Pipeline<Batch>> all = new LinkedHashMap<>();
        all.put("filter", batches.filter(_ -> true));
        all.put("skip bad", batches.skipBad(_ -> {}));
        all.put("cache", batches.cache(1 << 20));
        all.put("shuffle", batches.shuffle(4, 2));
        all.put("again", batches.filter(_ -> true).map(SharingTest::again));
        all.put("twice", batches.map(SharingTest::again).cache(1 << 20).filter(_ -> true));
        all.put("flat", Pipeline.range(1).flatMap(_ -> made()).map(SharingTest::again));
        all.put("interleave", Pipeline.range(1).interleave(2, 1, _ -> batches));
        all.put(
                "window",
                Pipeline.range(83)
                        .map(RandomPipelines::sample)
                        .window(9, 9, false)
                        .map(SharingTest::stacked));
        all.put("iterating", Pipeline.iterating(_ -> made().iterator()));
        all.put("indexed", Pipeline.indexed(10, i -> made().get((int) i)).map(SharingTest::again));
        return all;
    }

    /** All batches, made whole by a program. */
    private static List<Batch> made() {
        List<Batch> all = new ArrayList<>();
        for (long i = 0; i < 83; i += 9)
            all.add(batch(LongStream.range(i, Math.min(83, i + 9)).toArray()));
        return all;
    }

    private static Batch batch(long... rows) {
        return new Batch(List.of(), Tensor.of(Shape.of(rows.length), rows));
    }

    /** A batch as users make it from another, which says nothing of the rows of others. */
    private static Batch again(Batch b) {
        return batch(b.tensors().getFirst().longs());
    }

    private static Batch stacked(List<Sample> samples) {
        return batch(samples.stream().mapToLong(s -> s.get(0).getLong(0)).toArray());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void batchesThatAreMadeWholeAreSharedOutToo(int workers) {
        List<Long> wanted = LongStream.range(0, 83).boxed().toList();
        behindBatches().forEach((name, p) -> {
            for (int epoch = 0; epoch < 2; epoch++) {
                List<Long> seen = new ArrayList<>();
                for (int rank = 0; rank < workers; rank++) {
                    List<Long> own = RandomPipelines.rows(p.share(rank, workers).epoch(epoch, 0)).stream()
                            .flatMap(List::stream)
                            .toList();
                    assertTrue(own.size() <= 10 * ((9 + workers - 1) / workers), name + " by " + workers);
                    seen.addAll(own);
                }
                assertEquals(wanted, seen.stream().sorted().toList(), name + " by " + workers);
            }
        });
    }

    private static Pipeline<Batch> batches(long seed, int size) {
        return RandomPipelines.of(seed).map(RandomPipelines::sample).batch(size);
    }

    /** Batches from one number up to another, put together from the rows of all workers. */
    private static List<List<Long>> together(
            Pipeline<Batch> p, long epoch, long from, long to, int workers, int threads) {
        List<List<Long>> whole = new ArrayList<>();
        for (int rank = 0; rank < workers; rank++) {
            try (Feed<Batch> feed = p.share(rank, workers).threads(threads).epoch(epoch, from)) {
                for (int i = 0; from + i < to && feed.hasNext(); i++) {
                    if (rank == 0) whole.add(new ArrayList<>());
                    Batch b = feed.next();
                    assertEquals(from + i, b.number());
                    assertEquals(whole.get(i).size(), b.first());
                    long rows = b.rows();
                    whole.get(i).addAll(RandomPipelines.rows(b));
                    if (rank == workers - 1) assertEquals(rows, whole.get(i).size());
                }
            }
        }
        return whole;
    }
}
