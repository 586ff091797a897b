package dev.oxbow.collective;

import dev.oxbow.collective.algorithm.Algorithm;
import dev.oxbow.collective.algorithm.Exchange;
import dev.oxbow.collective.cost.CostModel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Measures what messages cost: two ranks pass a small message to and fro, then a large one, and the best time counts. First
 * ranks 2i and 2i+1 of each host do so, then the first ranks of hosts 2i and 2i+1. The results are the slowest pair's, on
 * all ranks.
 */
final class Probe implements Algorithm {

    /*
     * A link that is shaped lets a burst go at once after a rest, and a connection that is new begins slowly. So the first
     * large messages do not count; those behind them follow without a rest.
     */

    private static final int SMALL_ROUNDS = 60;
    private static final int LARGE_ROUNDS = 8;
    private static final int FIRST_COUNTED = SMALL_ROUNDS + 2;
    private static final int SMALL = 8;
    private static final int LARGE = 1 << 20;
    private static final double SLOWEST = 1e3;
    /**
     * Combining reads two buffers and writes one, where copying reads one. Loops that combine can not be timed here: they are
     * interpreted until the JIT compiler has had them, and choices made by that would last for the whole job.
     */
    private static final double COMBINE_TO_COPY = 1.5;
    /** Faster than anything: what a rank says that has measured nothing. */
    private static final double NOTHING = 1e-13;

    private final Communicator communicator;
    private final int peer;
    private Exchange exchange;
    private boolean leads;
    private long memory;
    private int round;
    private long began;
    private long shortest = Long.MAX_VALUE;
    private long shortestLarge = Long.MAX_VALUE;

    private Probe(Communicator communicator, int peer) {
        this.communicator = communicator;
        this.peer = peer;
    }

    static CostModel measure(Group world) {
        int[] hostOf = world.communicator().hosts(world.members());
        Probe inside = run(world, inside(hostOf, world.rank()), "measure links inside hosts");
        Probe between = run(world, between(hostOf, world.rank()), "measure links between hosts");
        try (Tensor costs = Tensor.of(
                Shape.of(5),
                inside.latency(),
                inside.secondsPerByte(),
                between.latency(),
                between.secondsPerByte(),
                combineSecondsPerByte())) {
            world.allReduce(
                            costs,
                            Reduction.MAX,
                            Options.named("measured costs").withAlgorithm("star"))
                    .await();
            double[] d = costs.doubles();
            int in = d[0] > NOTHING ? 0 : 2, out = d[2] > NOTHING ? 2 : 0;
            return CostModel.measured(d[in], 1 / d[in + 1], d[out], 1 / d[out + 1], 1 / d[4]);
        }
    }

    private static Probe run(Group world, int peer, String name) {
        Probe probe = new Probe(world.communicator(), peer);
        Signature s = Signature.of(Kind.BARRIER).withHow("measuring");
        world.submit(s, Options.named(name), DType.U8, null, new Choice("probe", probe))
                .await();
        return probe;
    }

    /** The neighbour of a rank on its host, or -1: the other of ranks 2i and 2i+1 there. */
    static int inside(int[] hostOf, int rank) {
        int before = 0, last = -1;
        for (int r = 0; r < rank; r++) {
            if (hostOf[r] != hostOf[rank]) continue;
            before++;
            last = r;
        }
        if (before % 2 == 1) return last;
        for (int r = rank + 1; r < hostOf.length; r++) if (hostOf[r] == hostOf[rank]) return r;
        return -1;
    }

    /** The first rank of the neighbouring host for the first rank of a host, or -1. */
    static int between(int[] hostOf, int rank) {
        int[] firsts = IntStream.range(0, hostOf.length)
                .filter(r -> isFirst(hostOf, r))
                .toArray();
        int host = Arrays.binarySearch(firsts, rank);
        return host < 0 || (host ^ 1) >= firsts.length ? -1 : firsts[host ^ 1];
    }

    private static boolean isFirst(int[] hostOf, int rank) {
        for (int r = 0; r < rank; r++) if (hostOf[r] == hostOf[rank]) return false;
        return true;
    }

    @Override
    public void start(Exchange exchange) {
        this.exchange = exchange;
        if (peer < 0) {
            exchange.finish();
            return;
        }
        leads = exchange.rank() < peer;
        memory = exchange.scratch(2L * LARGE);
        Memory.zero(memory, 2L * LARGE);
        began = communicator.nanoTime();
        if (leads) ping();
        else pong();
    }

    private boolean isOver() {
        if (round < SMALL_ROUNDS + LARGE_ROUNDS) return false;
        exchange.finish();
        return true;
    }

    private int length() {
        return round < SMALL_ROUNDS ? SMALL : LARGE;
    }

    /** The leader sends, and measures until the answer has come. */
    private void ping() {
        if (isOver()) return;
        began = communicator.nanoTime();
        int[] open = {2};
        Runnable ended = () -> {
            if (--open[0] > 0) return;
            long nanos = communicator.nanoTime() - began;
            if (round < SMALL_ROUNDS) shortest = Math.min(shortest, nanos);
            else if (round >= FIRST_COUNTED) shortestLarge = Math.min(shortestLarge, nanos);
            round++;
            ping();
        };
        exchange.receive(peer, 2 * round + 1, memory + LARGE, SMALL, ended);
        exchange.send(peer, 2 * round, memory, length(), ended);
    }

    private void pong() {
        if (isOver()) return;
        exchange.receive(
                peer,
                2 * round,
                memory,
                length(),
                () -> exchange.send(peer, 2 * round + 1, memory + LARGE, SMALL, () -> {
                    round++;
                    pong();
                }));
    }

    private double latency() {
        return shortest == Long.MAX_VALUE ? NOTHING : Math.clamp(shortest / 2e9, 1e-9, SLOWEST);
    }

    private double secondsPerByte() {
        if (shortestLarge == Long.MAX_VALUE) return NOTHING;
        return Math.clamp((shortestLarge - shortest) / 1e9 / LARGE, NOTHING, SLOWEST);
    }

    private static double combineSecondsPerByte() {
        try (Tensor a = Tensor.zeros(DType.F32, Shape.of(LARGE / 4));
                Tensor b = Tensor.zeros(DType.F32, Shape.of(LARGE / 4))) {
            long best = Long.MAX_VALUE;
            for (int i = 0; i < LARGE_ROUNDS; i++) {
                long start = System.nanoTime();
                Memory.copy(b.address(), a.address(), LARGE);
                best = Math.min(best, System.nanoTime() - start);
            }
            return Math.clamp(COMBINE_TO_COPY * best / 1e9 / LARGE, NOTHING, SLOWEST);
        }
    }
}
