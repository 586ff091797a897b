package dev.oxbow.collective.algorithm;

/** The steps of the ring algorithms: every rank sends to the next one and receives from the one before. */
final class Ring {

    /*
     * In step t rank r sends segment r + shift - t and receives segment r + shift - t - 1, which it sends in the next step.
     * The first `reducing` steps combine what they receive, the others replace. Chunks of a segment travel on their own:
     * a chunk goes on as soon as it has come, while the rest of its segment is still under way.
     *
     * All receives that combine are posted at the start. A receive that replaces a segment which this rank has sent
     * before is posted when that send has ended, so that the memory of a pending send is never touched.
     */

    private final Exchange exchange;
    private final Flow flow;
    private final long address;
    private final Split split;
    private final int shift;
    private final int reducing;
    private final int steps;
    private final int ranks;
    private final int slots;

    private Ring(Exchange exchange, Flow flow, long address, Split split, int shift, int reducing, int steps) {
        this.exchange = exchange;
        this.flow = flow;
        this.address = address;
        this.split = split;
        this.shift = shift;
        this.reducing = reducing;
        this.steps = steps;
        ranks = exchange.size();
        slots = split.mostChunks();
    }

    /** Runs a ring in which segment {@code r + shift} of rank r travels first. */
    static void run(Exchange exchange, long address, Split split, int shift, int reducing, int steps) {
        Flow.run(exchange, flow -> new Ring(exchange, flow, address, split, shift, reducing, steps).begin());
    }

    private void begin() {
        int first = reducing > 0 ? reducing : steps;
        for (int t = 0; t < first; t++) {
            for (int c = 0; c < split.chunks(segment(t + 1)); c++) receive(t, c);
        }
        if (steps > 0) for (int c = 0; c < split.chunks(segment(0)); c++) send(0, c);
    }

    private int segment(int t) {
        return Math.floorMod(exchange.rank() + shift - t, ranks);
    }

    private void send(int t, int c) {
        int segment = segment(t), later = t + ranks - 1, right = (exchange.rank() + 1) % ranks;
        boolean returns = t < reducing && later < steps;
        flow.send(right, t * slots + c, at(segment, c), split.length(segment, c), () -> {
            if (returns) receive(later, c);
        });
    }

    private void receive(int t, int c) {
        int segment = segment(t + 1), left = Math.floorMod(exchange.rank() - 1, ranks), slot = t * slots + c;
        long at = at(segment, c), length = split.length(segment, c);
        Runnable then = () -> {
            if (t == reducing - 1) exchange.complete(at, length);
            if (t + 1 < steps) send(t + 1, c);
        };
        if (t < reducing) flow.receiveReduce(left, slot, at, length, then);
        else flow.receive(left, slot, at, length, then);
    }

    private long at(int segment, int c) {
        return address + split.at(segment, c) * exchange.width();
    }
}
