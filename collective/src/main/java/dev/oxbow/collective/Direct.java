package dev.oxbow.collective;

/** The steps of the direct algorithms: every rank sends each segment to the rank that owns it, which combines in rank order. */
final class Direct {

    /*
     * The result must be ((x0 op x1) op x2) ... bit for bit, so the owner takes the contributions of a chunk in the order
     * of the ranks, its own in its place. For that it saves its own chunk and lets x0 take its place; all others are
     * combined straight out of the transport's memory. Everyone sends first chunks to all peers before second ones, so
     * that contributions to a chunk come at about the same time, and little waits for its turn.
     *
     * A result replaces a segment whose sending to its owner has ended: only then is its receive posted.
     */

    /** Chunks of the own segment that are combined at the same time. */
    private static final int OPEN = 4;

    private final Exchange exchange;
    private final Flow flow;
    private final long address;
    private final Split split;
    private final boolean gathers;
    private final int rank;
    private final int ranks;
    private final int chunks;
    private final long saved;
    private final long savedLength;

    private Direct(Exchange exchange, Flow flow, long address, Split split, boolean gathers) {
        this.exchange = exchange;
        this.flow = flow;
        this.address = address;
        this.split = split;
        this.gathers = gathers;
        rank = exchange.rank();
        ranks = exchange.size();
        chunks = split.chunks(rank);
        savedLength = chunks == 0 ? 0 : split.length(rank, 0);
        saved = rank == 0 || chunks == 0 ? 0 : exchange.scratch(savedLength * Math.min(OPEN, chunks));
    }

    /** Segment r of rank r ends with the result, and when {@code gathers} all segments of all ranks do. */
    static void run(Exchange exchange, long address, Split split, boolean gathers) {
        Flow.run(exchange, flow -> {
            if (exchange.size() > 1) new Direct(exchange, flow, address, split, gathers).begin();
        });
    }

    private void begin() {
        for (int c = 0; c < Math.min(OPEN, chunks); c++) open(c);
        int most = split.mostChunks();
        for (int c = 0; c < most; c++) {
            for (int d = 1; d < ranks; d++) {
                int owner = (rank + d) % ranks;
                if (c < split.chunks(owner)) contribute(owner, c);
            }
        }
    }

    private void contribute(int owner, int c) {
        long at = at(owner, c), length = split.length(owner, c);
        flow.send(owner, 2 * c, at, length, () -> {
            if (gathers) flow.receive(owner, 2 * c + 1, at, length, () -> {});
        });
    }

    private void open(int c) {
        if (rank > 0) exchange.copy(at(rank, c), saved(c), split.length(rank, c));
        take(c, 0);
    }

    /** Combines the contribution of a rank to a chunk, and then those of the ranks behind it. */
    private void take(int c, int from) {
        long at = at(rank, c), length = split.length(rank, c);
        if (from == ranks) close(c);
        else if (from == rank) {
            if (rank > 0) exchange.reduce(saved(c), at, length);
            take(c, from + 1);
        } else if (from == 0) flow.receive(from, 2 * c, at, length, () -> take(c, 1));
        else flow.receiveReduce(from, 2 * c, at, length, () -> take(c, from + 1));
    }

    private void close(int c) {
        long at = at(rank, c), length = split.length(rank, c);
        exchange.complete(at, length);
        if (gathers) for (int d = 1; d < ranks; d++) flow.send((rank + d) % ranks, 2 * c + 1, at, length);
        if (c + OPEN < chunks) open(c + OPEN);
    }

    private long at(int segment, int c) {
        return address + split.at(segment, c) * exchange.width();
    }

    private long saved(int c) {
        return saved + c % OPEN * savedLength * exchange.width();
    }
}
