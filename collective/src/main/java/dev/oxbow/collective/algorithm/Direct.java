package dev.oxbow.collective.algorithm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The steps of the direct algorithms: every rank sends each segment to the rank that owns it, which combines in rank order. */
final class Direct {

    /*
     * The result must be ((x0 op x1) op x2) ... bit for bit, so the owner takes the contributions to a chunk in the order
     * of the ranks, its own in its place. They come in any order, into places that stay in the caches, and the sum grows in
     * the place of x0 until it is the own chunk's turn.
     *
     * A few chunks of each segment are under way at a time: the next one is sent to its owner when the result of an earlier
     * one has come from there, and so finds its receive posted. A result replaces a segment whose sending to its owner has
     * ended: only then is its receive posted.
     *
     * The last ranks may be helpers, which own segments but have no values and want no result. Their segments are larger, and
     * all are to end together, or links of the workers are half idle in the end: so a worker sends no chunk of another's
     * segment before the helpers have come as far.
     */

    /** Chunks of a segment that are under way at the same time, where that is not said: all of them stay in the caches. */
    private static final int OPEN = 2;

    /** Contributions to a chunk that are received at the same time; later ones of more ranks are held by the mesh. */
    private static final int AHEAD = 4;

    private final Exchange exchange;
    private final Flow flow;
    private final long address;
    private final Split split;
    private final boolean gathers;
    private final int rank;
    private final int ranks;
    /** Those that have values: the first ones. */
    private final int givers;

    private final int chunks;
    private final int window;
    private final Chunk[] open;
    /** Results of each segment that have come. */
    private final int[] results;
    /** Contributions that the helpers have not come as far as. */
    private List<Runnable> early = new ArrayList<>();

    /** A chunk of the own segment that is being combined. */
    private final class Chunk {
        private final long places;
        private final long bytes;
        private final boolean[] came = new boolean[givers];
        private int c;
        private long at;
        private long length;
        /** The next rank in order. */
        private int next;
        /** Where the sum is that grows. */
        private long sum;

        Chunk(long count) {
            bytes = count * exchange.width();
            places = exchange.scratch(count * (Math.min(AHEAD, givers - 1) + 1));
        }

        void begin(int c) {
            this.c = c;
            at = Direct.this.at(rank, c);
            length = split.length(rank, c);
            next = 0;
            Arrays.fill(came, false);
            for (int r = 0; r <= Math.min(AHEAD, givers - 1); r++) receive(r);
            combine();
        }

        private void receive(int from) {
            if (from == rank) came[from] = true;
            else
                flow.receive(from, 2 * c, place(from), length, () -> {
                    came[from] = true;
                    combine();
                });
        }

        /** The sum has the first place; the others are taken in turns. */
        private long place(int from) {
            return from == 0 ? places : places + bytes * (1 + (from - 1) % AHEAD);
        }

        private void combine() {
            while (next < givers && came[next]) {
                take(next);
                if (next > 0 && next + AHEAD < givers) receive(next + AHEAD);
                next++;
            }
            if (next == givers) close(this);
        }

        private void take(int from) {
            if (from == 0) {
                sum = rank == 0 ? at : places;
            } else if (from != rank) {
                exchange.reduce(place(from), sum, length);
            } else if (exchange.isCommutative()) {
                exchange.reduce(sum, at, length);
                sum = at;
            } else {
                exchange.reduce(at, sum, length);
            }
        }
    }

    private Direct(Exchange exchange, Flow flow, long address, Split split, int givers, boolean gathers, int window) {
        this.exchange = exchange;
        this.flow = flow;
        this.address = address;
        this.split = split;
        this.givers = givers;
        this.gathers = gathers;
        rank = exchange.rank();
        ranks = exchange.size();
        results = new int[ranks];
        this.window = window;
        chunks = split.chunks(rank);
        open = new Chunk[Math.min(window, chunks)];
        for (int i = 0; i < open.length; i++) open[i] = new Chunk(split.length(rank, 0));
    }

    /** Segment r of rank r ends with the result, and when {@code gathers} all segments of all ranks do. */
    static void run(Exchange exchange, long address, Split split, boolean gathers) {
        run(exchange, address, split, exchange.size(), gathers, OPEN);
    }

    /** The same of the values of the first {@code givers} ranks, which alone get results, with so many chunks of a segment under way. */
    static void run(Exchange exchange, long address, Split split, int givers, boolean gathers, int window) {
        Flow.run(exchange, flow -> {
            if (exchange.size() > 1) new Direct(exchange, flow, address, split, givers, gathers, window).begin();
        });
    }

    private void begin() {
        for (int c = 0; c < open.length; c++) open[c].begin(c);
        if (rank >= givers) return;
        for (int c = 0; c < window; c++) for (int d = 1; d < ranks; d++) contribute((rank + d) % ranks, c);
    }

    private void contribute(int owner, int c) {
        if (c >= split.chunks(owner)) return;
        if (owner < givers && c >= helped() + window) {
            early.add(() -> contribute(owner, c));
            return;
        }
        long at = at(owner, c), length = split.length(owner, c);
        Runnable next = () -> {
            if (owner >= givers) helped(owner);
            contribute(owner, c + window);
        };
        flow.send(owner, 2 * c, at, length, gathers ? () -> flow.receive(owner, 2 * c + 1, at, length, next) : next);
    }

    /** How many chunks all helpers are done with. */
    private int helped() {
        int least = split.mostChunks();
        for (int r = givers; r < ranks; r++) if (results[r] < split.chunks(r)) least = Math.min(least, results[r]);
        return least;
    }

    private void helped(int owner) {
        results[owner]++;
        List<Runnable> now = early;
        early = new ArrayList<>();
        now.forEach(Runnable::run);
    }

    private void close(Chunk chunk) {
        long at = chunk.at, length = chunk.length;
        exchange.copy(chunk.sum, at, length);
        exchange.complete(at, length);
        if (gathers)
            for (int d = 1; d <= givers; d++) {
                int to = (rank + d) % givers;
                if (to != rank) flow.send(to, 2 * chunk.c + 1, at, length);
            }
        if (chunk.c + window < chunks) chunk.begin(chunk.c + window);
    }

    private long at(int segment, int c) {
        return address + split.at(segment, c) * exchange.width();
    }
}
