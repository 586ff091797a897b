package dev.oxbow.data.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a function throws, an error of the machine or a checked exception of another language, comes to who takes elements. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD, unit = TimeUnit.SECONDS)
final class ThrownTest {
    private static final int SIZE = 40, BAD = 21;

    /** Throws anything, as Kotlin does. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException thrown(Throwable e) throws E {
        throw (E) e;
    }

    private static long bad(long x, boolean checked) {
        if (x == BAD) throw thrown(checked ? new IOException("gone") : new StackOverflowError("deep"));
        return x;
    }

    /** Writes a number where the batch has it. */
    private record Written(boolean checked) implements RowMapper<Long> {
        @Override
        public Optional<List<Row.Column>> columns() {
            return Optional.of(List.of(new Row.Column(DType.I64, Shape.SCALAR)));
        }

        @Override
        public void write(Long x, Draw draw, Row row) {
            row.setLong(0, 0, bad(x, checked));
        }
    }

    /** How many elements came, and the messages of errors. */
    private static List<String> told(Pipeline<?> p, int threads) {
        List<String> errors = new ArrayList<>();
        int good = 0;
        try (Feed<?> feed = p.threads(threads).open()) {
            while (feed.hasNext()) {
                try {
                    Ownership.close(feed.next());
                    good++;
                } catch (OxbowException e) {
                    assertEquals(ErrorCode.INTERNAL, e.code());
                    errors.add(e.getMessage());
                }
            }
        }
        errors.add(Integer.toString(good));
        return errors;
    }

    private static void assertTold(int good, String place, UnaryOperator<Pipeline<Long>> stage, int threads) {
        for (boolean checked : new boolean[] {false, true}) {
            String thrown = checked ? "java.io.IOException: gone" : "java.lang.StackOverflowError: deep";
            Pipeline<Long> p = Pipeline.range(SIZE).map(x -> bad(x, checked));
            assertEquals(List.of(place + thrown, Integer.toString(good)), told(stage.apply(p), threads));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8})
    void aFunctionThatThrowsAnythingCostsItsElement(int threads) {
        String place = "map of element 21 of epoch 0: ";
        assertTold(SIZE - 1, place, p -> p, threads);
        assertTold(SIZE - 1, place, p -> p.filter(_ -> true), threads);
        assertTold(SIZE - 1, place, p -> p.shuffle(1).cache(1 << 20), threads);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8})
    void aBatchWithARowThatThrowsAnythingIsAnError(int threads) {
        for (boolean checked : new boolean[] {false, true}) {
            String thrown = checked ? "java.io.IOException: gone" : "java.lang.StackOverflowError: deep";
            Pipeline<Batch> stacked = Pipeline.range(SIZE)
                    .map(x -> RandomPipelines.sample(bad(x, checked)))
                    .batch(8);
            assertEquals(List.of("map of element 21 of epoch 0: " + thrown, "4"), told(stacked, threads));
            Pipeline<Batch> written =
                    Pipeline.range(SIZE).map("write", 0, new Written(checked)).batch(8);
            assertEquals(List.of("write of element 21 of epoch 0: " + thrown, "4"), told(written, threads));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8})
    void whatLooksAtElementsMayThrowAnything(int threads) {
        Pipeline<Long> all = Pipeline.range(SIZE);
        String deep = "input: java.lang.StackOverflowError: deep";
        assertEquals(List.of(deep, "39"), told(all.filter(x -> bad(x, false) >= 0), threads));
        assertEquals(List.of(deep, "39"), told(all.flatMap(x -> List.of(bad(x, false))), threads));
        assertEquals(
                List.of(deep, "21"), told(all.interleave(1, 1, x -> Pipeline.of(List.of(bad(x, false)))), threads));
        assertEquals(
                List.of("input: java.io.IOException: gone", "21"),
                told(
                        Pipeline.iterating(_ ->
                                LongStream.range(0, SIZE).map(x -> bad(x, true)).iterator()),
                        threads));
    }

    @Test
    void anErrorOfTheOrderComesOnceToALoopAndStaysForWhoeverAsksAgain() {
        Iterator<Long> broken = new Iterator<>() {
            @Override
            public boolean hasNext() {
                return true;
            }

            @Override
            public Long next() {
                throw new IllegalStateException("no more");
            }
        };
        for (int threads : new int[] {0, 2})
            try (Feed<Long> feed =
                    Pipeline.iterating(_ -> broken).threads(threads).open()) {
                assertTrue(feed.hasNext());
                assertThrows(IllegalStateException.class, feed::next);
                assertFalse(feed.hasNext());
                assertThrows(IllegalStateException.class, feed::next);
            }
        Feed<Long> ended = Pipeline.range(0).open();
        assertThrows(NoSuchElementException.class, ended::next);
    }

    /** A source that can not be closed. */
    private static Pipeline<Long> stuck() {
        return Pipeline.of(_ -> new Cursor<Long>() {
            private long at;

            @Override
            public Lazy<Long> next() {
                return Lazy.of(at++);
            }

            @Override
            public void close() {
                throw new OxbowException(ErrorCode.UNAVAILABLE, "the source is stuck");
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8})
    void whatGoesWrongWhenASourceIsClosedIsToldAndEndsAllThreads(int threads) throws InterruptedException {
        List<Integer> closed = new ArrayList<>();
        Pipeline<Long> good = Pipeline.of(_ -> new Cursor<>() {
            @Override
            public Lazy<Long> next() {
                return Lazy.of(1L);
            }

            @Override
            public void close() {
                closed.add(1);
            }
        });
        for (Pipeline<?> p :
                List.of(stuck(), stuck().filter(_ -> true), Pipeline.zip(List.of(stuck(), good)), stuck().then(good))) {
            Workers workers = threads == 0 ? Workers.NONE : new Workers(threads);
            Feed<?> feed = new Running<>(p.stage(), new Setting(0, 0, 1, workers), Limits.ofMachine(), 0, new Work());
            feed.next();
            assertEquals(
                    "the source is stuck",
                    assertThrows(OxbowException.class, feed::close).getMessage());
            assertTrue(workers.await(20));
            feed.close();
        }
        assertEquals(2, closed.size());
    }

    @Test
    void whatCanBeClosedIsClosedBehindAnyStage() {
        List<Long> open = new ArrayList<>();
        class Rows implements Iterator<Long>, AutoCloseable {
            private long at;

            Rows(long epoch) {
                open.add(epoch);
            }

            @Override
            public boolean hasNext() {
                return at < 20;
            }

            @Override
            public Long next() {
                return at++;
            }

            @Override
            public void close() {
                open.removeFirst();
            }
        }
        Pipeline<Long> rows = Pipeline.iterating(Rows::new);
        List<Pipeline<?>> all = List.of(
                rows,
                rows.map(x -> x),
                rows.filter(x -> x % 2 == 0),
                rows.skipBad(_ -> {}),
                rows.flatMap(List::of),
                rows.buckets(x -> x, List.of(5L), List.of(2, 2)),
                rows.shuffle(5, 1),
                rows.cache(1 << 20),
                rows.repeat(3),
                rows.take(4),
                rows.shard(1, 2),
                rows.window(2, 1, false),
                rows.zip(rows, Long::sum),
                rows.then(rows),
                rows.interleave(2, 2, _ -> rows),
                Pipeline.mix(List.of(rows, rows), List.of(1.0, 2.0), 3),
                rows.map(RandomPipelines::sample).batch(3),
                Pipeline.padded(rows.map(RandomPipelines::sample).window(2, 2, false), Shape.SCALAR, Shape.of(2)));
        for (Pipeline<?> p : all)
            for (int taken : new int[] {0, 3, 100}) {
                try (Feed<?> feed = p.threads(1).open()) {
                    for (int i = 0; i < taken && feed.hasNext(); i++) Ownership.close(feed.next());
                }
                assertEquals(List.of(), open, "after %d of%n%s".formatted(taken, p));
            }
    }
}
