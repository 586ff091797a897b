package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every collective over the in-process network, for 1 to 9 ranks, awkward sizes and every dtype, against the serial result. */
final class GridTest {
    private static final long LARGE = (1 << 20) + 3;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 8, 9})
    void everyCollectiveEqualsTheSerialResult(int size) {
        try (Job job = new Job(size)) {
            job.run(c -> {
                for (long count : new long[] {0, 1, size - 1, size, 1000}) {
                    for (DType dtype : Values.DTYPES) new Ranked(c, dtype, count).all();
                }
                new Ranked(c, DType.F32, 70_003).all();
                return null;
            });
        }
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9})
    void everyCollectiveEqualsTheSerialResultForEverySize(int size) {
        try (Job job = new Job(size)) {
            job.run(c -> {
                for (long count : new long[] {0, 1, size - 1, size, 1000, LARGE}) {
                    for (DType dtype : Values.DTYPES) new Ranked(c, dtype, count).all();
                }
                return null;
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"flat", "doubling", "star", "tree", "ring", "halving-doubling", "direct", "hierarchical"})
    void everyAlgorithmCanBeWished(String algorithm) {
        for (int size : new int[] {1, 2, 3, 6}) {
            try (Job job = new Job(size)) {
                job.run(c -> {
                    for (long count : new long[] {0, 1, 1000, 100_003}) {
                        Options wish = Options.named(algorithm + count).withAlgorithm(algorithm);
                        new Ranked(c, DType.I32, count).allReduce(Reduction.SUM, wish);
                    }
                    return null;
                });
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bf16", "f16", "int8", "top-k:1.0"})
    void allRanksEndWithTheSameBitsUnderEachWireFormat(String format) {
        try (Job job = new Job(4)) {
            List<float[]> results = job.run(c -> {
                try (Tensor t = Tensor.allocate(DType.F32, Shape.of(30_001))) {
                    for (int i = 0; i < t.size(); i++)
                        Memory.putFloat(t.address() + 4L * i, (float) Math.sin(i * (c.rank() + 1)));
                    Options options = Options.named("x").withWire(WireFormat.named(format));
                    c.world().allReduce(t, Reduction.SUM, options).await();
                    return t.floats();
                }
            });
            for (float[] r : results) {
                for (int i = 0; i < r.length; i++) {
                    assertEquals(results.getFirst()[i], r[i]);
                    double sum = Math.sin(i) + Math.sin(2.0 * i) + Math.sin(3.0 * i) + Math.sin(4.0 * i);
                    assertEquals(sum, r[i], 0.13, format + " value " + i);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {10, 1000, 100_000})
    void deterministicSumsAreTheSerialOnes(long count) {
        int size = 5;
        try (Job job = new Job(size, Job.CONFIG.withDeterministic(true))) {
            List<float[]> results = job.run(c -> {
                try (Tensor t = Tensor.allocate(DType.F32, Shape.of(count))) {
                    for (int i = 0; i < count; i++) Memory.putFloat(t.address() + 4L * i, noise(c.rank(), i));
                    c.world().allReduce(t).await();
                    return t.floats();
                }
            });
            for (float[] r : results) {
                for (int i = 0; i < count; i++) {
                    float sum = noise(0, i);
                    for (int rank = 1; rank < size; rank++) sum += noise(rank, i);
                    assertEquals(sum, r[i]);
                }
            }
        }
    }

    private static float noise(int rank, int i) {
        return (float) (Math.sin(rank * 7.1 + i) * Math.pow(10, rank % 5));
    }

    /** The collectives of one rank on one dtype and count. */
    private record Ranked(Communicator c, DType dtype, long count) {

        /** Small enough that sums of nine ranks are exact in every dtype. */
        private double value(int rank, long i) {
            long v = (rank * 5L + i * 3) % 7;
            return dtype == DType.BOOL ? v & 1 : v;
        }

        private int size() {
            return c.size();
        }

        private Group world() {
            return c.world();
        }

        private Tensor tensor(long n, int rank, long first) {
            Tensor t = Tensor.allocate(dtype, Shape.of(n));
            for (long i = 0; i < n; i++) Values.put(dtype, t.address(), i, value(rank, first + i));
            return t;
        }

        private void check(String what, Tensor t, long i, double expected) {
            double got = Values.get(dtype, t.address(), i);
            if (got != expected)
                fail("%s of %s[%d] on rank %d of %d: value %d is %s instead of %s"
                        .formatted(what, dtype, count, c.rank(), size(), i, got, expected));
        }

        void all() {
            for (Reduction r : new Reduction[] {Reduction.SUM, Reduction.MEAN, Reduction.MAX, Reduction.XOR})
                if (r.supports(dtype)) allReduce(r, Options.DEFAULT);
            Reduction reduction = dtype == DType.BOOL ? Reduction.OR : Reduction.SUM;
            int root = (int) (count % size());
            reduce(reduction, root);
            reduceScatter(reduction);
            gathers(root);
            broadcast(root);
            allToAll();
            ring();
            world().barrier(Options.DEFAULT).await();
        }

        private double combined(Reduction reduction, long i) {
            DoubleBinaryOperator op = Values.operator(reduction);
            double sum = value(0, i);
            for (int r = 1; r < size(); r++) sum = op.applyAsDouble(sum, value(r, i));
            if (reduction != Reduction.MEAN) return sum;
            double mean = sum / size();
            return switch (dtype) {
                case F64 -> mean;
                case F32 -> (float) mean;
                case F16 -> dev.oxbow.tensor.Half.fromF16(dev.oxbow.tensor.Half.toF16((float) mean));
                case BF16 -> dev.oxbow.tensor.Half.fromBf16(dev.oxbow.tensor.Half.toBf16((float) mean));
                default -> (long) mean;
            };
        }

        void allReduce(Reduction reduction, Options options) {
            try (Tensor t = tensor(count, c.rank(), 0)) {
                world().allReduce(t, reduction, options).await();
                for (long i = 0; i < count; i++) check("all-reduce " + reduction, t, i, combined(reduction, i));
            }
        }

        private void reduce(Reduction reduction, int root) {
            try (Tensor t = tensor(count, c.rank(), 0)) {
                world().reduce(Elements.of(t), reduction, root, Options.DEFAULT).await();
                if (c.rank() != root) return;
                for (long i = 0; i < count; i++) check("reduce", t, i, combined(reduction, i));
            }
        }

        private void reduceScatter(Reduction reduction) {
            long[] counts = world().even(count);
            long first = Arrays.stream(counts).limit(c.rank()).sum();
            try (Tensor t = tensor(count, c.rank(), 0)) {
                world().reduceScatter(Elements.of(t), counts, reduction, Options.DEFAULT)
                        .await();
                for (long i = first; i < first + counts[c.rank()]; i++)
                    check("reduce-scatter", t, i, combined(reduction, i));
            }
        }

        /** Gathers and scatters; rank r brings r more elements than count / size. */
        private void gathers(int root) {
            long[] counts = IntStream.range(0, size())
                    .mapToLong(r -> count / size() + r)
                    .toArray();
            long total = Arrays.stream(counts).sum();
            long first = Arrays.stream(counts).limit(c.rank()).sum();
            try (Tensor whole = tensor(total, 99, 0);
                    Tensor mine = tensor(counts[c.rank()], c.rank(), 0)) {
                Memory.copy(mine.address(), whole.address() + first * dtype.size(), mine.byteSize());
                world().allGather(Elements.of(whole), counts, Options.DEFAULT).await();
                checkGathered("all-gather", whole, counts);
                PendingTensor ragged = world().allGatherRagged(Elements.of(mine), Options.DEFAULT);
                ragged.await();
                try (Tensor t = ragged.tensor()) {
                    assertEquals(total, t.size());
                    checkGathered("ragged all-gather", t, counts);
                }
                boolean isRoot = c.rank() == root;
                try (Tensor rooted = tensor(total, 99, 0)) {
                    Memory.copy(mine.address(), rooted.address() + first * dtype.size(), mine.byteSize());
                    Elements x = Elements.of(isRoot ? rooted : mine);
                    world().gather(x, counts, root, Options.DEFAULT).await();
                    if (isRoot) checkGathered("gather", rooted, counts);
                }
                try (Tensor segment = tensor(counts[c.rank()], 99, 0)) {
                    Elements x = Elements.of(isRoot ? whole : segment);
                    world().scatter(x, counts, root, Options.DEFAULT).await();
                    for (long i = 0; i < segment.size() && !isRoot; i++)
                        check("scatter", segment, i, value(c.rank(), i));
                }
            }
        }

        private void checkGathered(String what, Tensor t, long[] counts) {
            long at = 0;
            for (int r = 0; r < size(); r++) for (long i = 0; i < counts[r]; i++) check(what, t, at++, value(r, i));
        }

        private void broadcast(int root) {
            try (Tensor t = tensor(count, c.rank(), 0)) {
                world().broadcast(t, root, Options.DEFAULT).await();
                for (long i = 0; i < count; i++) check("broadcast", t, i, value(root, i));
            }
        }

        /** Rank p sends (p + q) % 3 elements more than count / size to rank q. */
        private void allToAll() {
            int me = c.rank();
            long[] sends = new long[size()], receives = new long[size()];
            for (int q = 0; q < size(); q++) sends[q] = receives[q] = count / size() + (me + q) % 3;
            try (Tensor in = tensor(Arrays.stream(sends).sum(), me, 0);
                    Tensor out = tensor(Arrays.stream(receives).sum(), 99, 0)) {
                world().allToAll(Elements.of(in), sends, Elements.of(out), receives, Options.DEFAULT)
                        .await();
                long at = 0;
                for (int p = 0; p < size(); p++) {
                    long skipped = 0;
                    for (int q = 0; q < me; q++) skipped += count / size() + (p + q) % 3;
                    for (long i = 0; i < receives[p]; i++) check("all-to-all", out, at++, value(p, skipped + i));
                }
            }
        }

        private void ring() {
            if (size() == 1) return;
            int me = c.rank(), right = (me + 1) % size(), left = (me + size() - 1) % size();
            try (Tensor out = tensor(count, me, 0);
                    Tensor in = tensor(count, 99, 0)) {
                Pending sent = world().send(Elements.of(out), right, Options.DEFAULT);
                world().receive(Elements.of(in), left, Options.DEFAULT).await();
                sent.await();
                for (long i = 0; i < count; i++) check("send", in, i, value(left, i));
            }
        }
    }
}
