package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Half;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every collective over every real network, for 1 to 9 ranks, awkward sizes and every dtype, against the serial result. */
final class GridTest {
    private static final long LARGE = (1 << 20) + 3;
    /** Of the values by their index. */
    private static final int PERIOD = 7;

    /** All wirings with each of these numbers of ranks. */
    private static List<Arguments> wiredWith(int... sizes) {
        List<Arguments> all = new ArrayList<>();
        for (Wiring w : Wiring.values()) for (int size : sizes) all.add(Arguments.of(w, size));
        return all;
    }

    private static List<Arguments> someSizes() {
        return wiredWith(1, 2, 3, 4, 5, 8, 9);
    }

    private static List<Arguments> allSizes() {
        return wiredWith(1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    @ParameterizedTest
    @MethodSource("someSizes")
    void everyCollectiveEqualsTheSerialResult(Wiring wiring, int size) {
        try (Job job = new Job(wiring, size, Job.CONFIG)) {
            job.run(c -> {
                for (long count : new long[] {0, 1, size - 1, size, 1000}) {
                    for (DType dtype : Values.DTYPES) new Ranked(c, dtype, count).all();
                }
                new Ranked(c, DType.F32, size == 4 ? LARGE : 70_003).all();
                return null;
            });
        }
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("allSizes")
    void everyCollectiveEqualsTheSerialResultForEverySize(Wiring wiring, int size) {
        try (Job job = new Job(wiring, size, Job.CONFIG)) {
            job.run(c -> {
                for (long count : new long[] {0, 1, size - 1, size, 1000, LARGE}) {
                    for (DType dtype : Values.DTYPES) new Ranked(c, dtype, count).all();
                }
                return null;
            });
        }
    }

    private static final List<String> ALGORITHMS =
            List.of("flat", "doubling", "star", "tree", "ring", "halving-doubling", "direct", "hierarchical", "shared");

    @ParameterizedTest
    @EnumSource
    void everyAlgorithmCanBeWished(Wiring wiring) {
        for (int size : new int[] {1, 2, 3, 6}) {
            try (Job job = new Job(wiring, size, Job.CONFIG)) {
                job.run(c -> {
                    for (String algorithm : ALGORITHMS) {
                        for (long count : new long[] {0, 1, 1000, 100_003}) {
                            Options wish = Options.named(algorithm + count).withAlgorithm(algorithm);
                            new Ranked(c, DType.I32, count).allReduce(Reduction.SUM, wish);
                        }
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

    @ParameterizedTest
    @EnumSource
    void buffersThatOthersMaySeeInPlaceEndWithTheSerialResult(Wiring wiring) {
        for (int size : new int[] {2, 3, 5}) {
            try (Job job = new Job(wiring, size, Job.CONFIG)) {
                job.run(c -> {
                    for (long count : new long[] {1, 17, 100_003, 600_000}) {
                        // the last rank's buffer is its own
                        Elements shared = c.allocate(DType.F32, count);
                        try (Tensor own = Tensor.allocate(DType.F32, Shape.of(count))) {
                            Elements x = c.rank() == size - 1 ? Elements.of(own) : shared;
                            for (int turn = 0; turn < 3; turn++) {
                                for (int i = 0; i < count; i++)
                                    Memory.putFloat(x.address() + 4L * i, noise(c.rank(), i));
                                c.world()
                                        .allReduce(x, Reduction.SUM, Options.DEFAULT.withAlgorithm("shared"))
                                        .await();
                                for (int i = 0; i < count; i++) {
                                    float sum = noise(0, i);
                                    for (int rank = 1; rank < size; rank++) sum += noise(rank, i);
                                    assertEquals(sum, Memory.getFloat(x.address() + 4L * i));
                                }
                            }
                        }
                    }
                    return null;
                });
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
            long v = (rank * 5L + i * 3) % PERIOD;
            return dtype == DType.BOOL ? v & 1 : v;
        }

        private int size() {
            return c.size();
        }

        private Group world() {
            return c.world();
        }

        private Tensor tensor(long n, int rank) {
            Tensor t = Tensor.allocate(dtype, Shape.of(n));
            fill(t.address(), n, i -> value(rank, i));
            return t;
        }

        /** Writes values that repeat as {@link #value} does. */
        private void fill(long address, long n, LongToDoubleFunction value) {
            for (long i = 0; i < Math.min(n, PERIOD); i++) Values.put(dtype, address, i, value.applyAsDouble(i));
            for (long done = PERIOD; done < n; done *= 2)
                Memory.copy(address, address + done * dtype.size(), Math.min(done, n - done) * dtype.size());
        }

        /** Compares elements {@code first} to {@code first + n - 1} of a tensor, bit by bit. */
        private void check(String what, Tensor t, long first, long n, LongToDoubleFunction value) {
            try (Tensor expected = Tensor.allocate(dtype, Shape.of(n))) {
                fill(expected.address(), n, value);
                long at = t.address() + first * dtype.size(), bytes = n * dtype.size();
                long wrong = MemorySegment.mismatch(
                        Memory.ALL, at, at + bytes, Memory.ALL, expected.address(), expected.address() + bytes);
                if (wrong < 0) return;
                long i = wrong / dtype.size();
                double got = Values.get(dtype, at, i), wanted = Values.get(dtype, expected.address(), i);
                fail("%s of %s[%d] on rank %d of %d: value %d is %s instead of %s"
                        .formatted(what, dtype, count, c.rank(), size(), first + i, got, wanted));
            }
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
                case F16 -> Half.fromF16(Half.toF16((float) mean));
                case BF16 -> Half.fromBf16(Half.toBf16((float) mean));
                default -> (long) mean;
            };
        }

        void allReduce(Reduction reduction, Options options) {
            try (Tensor t = tensor(count, c.rank())) {
                world().allReduce(t, reduction, options).await();
                check("all-reduce " + reduction, t, 0, count, i -> combined(reduction, i));
            }
        }

        private void reduce(Reduction reduction, int root) {
            try (Tensor t = tensor(count, c.rank())) {
                world().reduce(Elements.of(t), reduction, root, Options.DEFAULT).await();
                if (c.rank() != root) return;
                check("reduce", t, 0, count, i -> combined(reduction, i));
            }
        }

        private void reduceScatter(Reduction reduction) {
            long[] counts = world().even(count);
            long first = Arrays.stream(counts).limit(c.rank()).sum();
            try (Tensor t = tensor(count, c.rank())) {
                world().reduceScatter(Elements.of(t), counts, reduction, Options.DEFAULT)
                        .await();
                check("reduce-scatter", t, first, counts[c.rank()], i -> combined(reduction, first + i));
            }
        }

        /** Gathers and scatters; rank r brings r more elements than count / size. */
        private void gathers(int root) {
            long[] counts = IntStream.range(0, size())
                    .mapToLong(r -> count / size() + r)
                    .toArray();
            long total = Arrays.stream(counts).sum();
            long first = Arrays.stream(counts).limit(c.rank()).sum();
            try (Tensor whole = tensor(total, 99);
                    Tensor mine = tensor(counts[c.rank()], c.rank())) {
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
                try (Tensor rooted = tensor(total, 99)) {
                    Memory.copy(mine.address(), rooted.address() + first * dtype.size(), mine.byteSize());
                    Elements x = Elements.of(isRoot ? rooted : mine);
                    world().gather(x, counts, root, Options.DEFAULT).await();
                    if (isRoot) checkGathered("gather", rooted, counts);
                }
                try (Tensor segment = tensor(counts[c.rank()], 99)) {
                    Elements x = Elements.of(isRoot ? whole : segment);
                    world().scatter(x, counts, root, Options.DEFAULT).await();
                    if (!isRoot) check("scatter", segment, 0, segment.size(), i -> value(c.rank(), i));
                }
            }
        }

        private void checkGathered(String what, Tensor t, long[] counts) {
            long at = 0;
            for (int r = 0; r < size(); at += counts[r++]) {
                int from = r;
                check(what, t, at, counts[r], i -> value(from, i));
            }
        }

        private void broadcast(int root) {
            try (Tensor t = tensor(count, c.rank())) {
                world().broadcast(t, root, Options.DEFAULT).await();
                check("broadcast", t, 0, count, i -> value(root, i));
            }
        }

        /** Rank p sends (p + q) % 3 elements more than count / size to rank q. */
        private void allToAll() {
            int me = c.rank();
            long[] sends = new long[size()], receives = new long[size()];
            for (int q = 0; q < size(); q++) sends[q] = receives[q] = count / size() + (me + q) % 3;
            try (Tensor in = tensor(Arrays.stream(sends).sum(), me);
                    Tensor out = tensor(Arrays.stream(receives).sum(), 99)) {
                world().allToAll(Elements.of(in), sends, Elements.of(out), receives, Options.DEFAULT)
                        .await();
                long at = 0;
                for (int p = 0; p < size(); at += receives[p++]) {
                    int from = p;
                    long skipped = IntStream.range(0, me)
                            .mapToLong(q -> count / size() + (from + q) % 3)
                            .sum();
                    check("all-to-all", out, at, receives[p], i -> value(from, skipped + i));
                }
            }
        }

        private void ring() {
            if (size() == 1) return;
            int me = c.rank(), right = (me + 1) % size(), left = (me + size() - 1) % size();
            try (Tensor out = tensor(count, me);
                    Tensor in = tensor(count, 99)) {
                Pending sent = world().send(Elements.of(out), right, Options.DEFAULT);
                world().receive(Elements.of(in), left, Options.DEFAULT).await();
                sent.await();
                check("send", in, 0, count, i -> value(left, i));
            }
        }
    }
}
