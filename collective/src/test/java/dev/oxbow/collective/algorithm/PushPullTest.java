package dev.oxbow.collective.algorithm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.Sink;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** Segments by which all links carry the same. */
final class PushPullTest {

    @Test
    void everyElementHasOneOwner() {
        for (int n = 1; n <= 9; n++)
            for (int k = 0; k <= 12; k++)
                for (int count : new int[] {0, 1, 5, 1000, 100_003})
                    for (int grain : new int[] {1, 1024}) {
                        long[] counts = PushPullAllReduce.counts(count, n, k, grain);
                        assertEquals(n + k, counts.length);
                        assertEquals(count, Arrays.stream(counts).sum(), n + " workers, " + k + " helpers");
                        for (long c : counts) assertTrue(c >= 0);
                    }
    }

    @Test
    void noLinkCarriesMoreThanTheFormulaSays() {
        double s = 1e9;
        for (int n = 2; n <= 16; n++)
            for (int k = 0; k <= n; k++) {
                long[] counts = PushPullAllReduce.counts((long) s, n, k, 1);
                double most = 2 * s * n * (n - 1) / (n * n + k * n - 2.0 * k);
                for (int r = 0; r < n + k; r++) {
                    double sent = r < n ? s - counts[r] + (n - 1.0) * counts[r] : (double) n * counts[r];
                    assertTrue(sent <= most + n + k, n + " workers, " + k + " helpers: " + sent + " of " + most);
                }
            }
    }

    /** Worker 0 of two beside one helper, whose messages to and from the other worker end at once, and those of the helper when told. */
    private static final class Links implements Exchange {
        final Queue<Runnable> soon = new ArrayDeque<>();
        final Queue<Runnable> helper = new ArrayDeque<>();
        final int[] sent = new int[3];
        boolean finished;

        void run() {
            while (!soon.isEmpty()) soon.poll().run();
        }

        @Override
        public int rank() {
            return 0;
        }

        @Override
        public int size() {
            return 3;
        }

        @Override
        public int width() {
            return 4;
        }

        @Override
        public void send(int to, int slot, long address, long count, Runnable then) {
            if (slot % 2 == 0) sent[to]++; // else it is a result
            soon.add(then);
        }

        @Override
        public void receive(int from, int slot, long address, long count, Runnable then) {
            (from == 2 ? helper : soon).add(then);
        }

        @Override
        public void receive(int from, int slot, long count, Sink sink, Runnable then) {
            throw new AssertionError();
        }

        @Override
        public void reduce(long from, long to, long count) {}

        @Override
        public void complete(long address, long count) {}

        @Override
        public void copy(long from, long to, long count) {}

        @Override
        public long scratch(long count) {
            return 0;
        }

        @Override
        public void finish() {
            finished = true;
        }
    }

    @Test
    void workersSendEachOtherNothingThatTheHelpersHaveNotComeAsFarAs() {
        Links links = new Links();
        new PushPullAllReduce(0, 3_000, 1, 10)
                .start(links); // 750 elements of each worker and 1,500 of the helper: 150 chunks
        for (int done = 0; done < 150; done++) {
            links.run();
            assertEquals(Math.min(150, done + PushPullAllReduce.OPEN), links.sent[1], "the helper has done " + done);
            assertEquals(links.sent[1], links.sent[2]);
            links.helper.remove().run();
        }
        links.run();
        assertTrue(links.finished);
    }

    @Test
    void withoutHelpersSegmentsAreEvenAndWithOneForEachTheWorkersHaveNone() {
        assertArrayEquals(new long[] {25, 25, 25, 25}, PushPullAllReduce.counts(100, 4, 0, 1));
        assertArrayEquals(new long[] {0, 0, 50, 50}, PushPullAllReduce.counts(100, 2, 2, 1));
        assertArrayEquals(new long[] {0, 25, 25, 25, 25}, PushPullAllReduce.counts(100, 1, 4, 1));
        // 4 workers and 2 helpers: (4 - 2) / (16 + 4) of all for a worker, and 3 / 10 for a helper
        assertArrayEquals(new long[] {10, 10, 10, 10, 30, 30}, PushPullAllReduce.counts(100, 4, 2, 1));
    }
}
