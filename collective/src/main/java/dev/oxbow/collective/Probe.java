package dev.oxbow.collective;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/**
 * Measures what messages between neighbours cost: ranks 2i and 2i+1 pass a small message to and fro, then a large one, and
 * the best time counts. The result is the slowest pair's, on all ranks.
 */
final class Probe implements Algorithm {
    private static final int SMALL_ROUNDS = 60;
    private static final int LARGE_ROUNDS = 6;
    private static final int SMALL = 8;
    private static final int LARGE = 1 << 20;
    private static final double SLOWEST = 1e3;

    private final Communicator communicator;
    private Exchange exchange;
    private int peer;
    private boolean leads;
    private long memory;
    private int round;
    private long began;
    private long shortest = Long.MAX_VALUE;
    private long shortestLarge = Long.MAX_VALUE;

    private Probe(Communicator communicator) {
        this.communicator = communicator;
    }

    static CostModel measure(Group world) {
        Communicator c = world.communicator();
        Probe probe = new Probe(c);
        Signature s = Signature.of(Kind.BARRIER).withHow("measuring");
        world.submit(s, Options.named("measure links"), DType.U8, null, new Choice("probe", probe))
                .await();
        try (Tensor costs = Tensor.of(Shape.of(3), probe.latency(), probe.secondsPerByte(), combineSecondsPerByte())) {
            world.allReduce(
                            costs,
                            Reduction.MAX,
                            Options.named("measured costs").withAlgorithm("star"))
                    .await();
            double[] d = costs.doubles();
            return CostModel.measured(d[0], 1 / d[1], d[0], 1 / d[1], 1 / d[2]);
        }
    }

    @Override
    public void start(Exchange exchange) {
        this.exchange = exchange;
        peer = exchange.rank() ^ 1;
        leads = exchange.rank() < peer;
        if (peer >= exchange.size()) {
            exchange.finish();
            return;
        }
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
            else shortestLarge = Math.min(shortestLarge, nanos);
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
        return leads && shortest < Long.MAX_VALUE ? Math.clamp(shortest / 2e9, 1e-9, SLOWEST) : 1e-9;
    }

    private double secondsPerByte() {
        if (shortestLarge == Long.MAX_VALUE) return 1e-13;
        return Math.clamp((shortestLarge - shortest) / 1e9 / LARGE, 1e-13, SLOWEST);
    }

    private static double combineSecondsPerByte() {
        try (Tensor a = Tensor.zeros(DType.F32, Shape.of(LARGE / 4));
                Tensor b = Tensor.zeros(DType.F32, Shape.of(LARGE / 4))) {
            Combine sum = Reduction.SUM.combine(DType.F32);
            long best = Long.MAX_VALUE;
            for (int i = 0; i < LARGE_ROUNDS; i++) {
                long start = System.nanoTime();
                sum.combine(a.address(), b.address(), LARGE / 4);
                best = Math.min(best, System.nanoTime() - start);
            }
            return Math.clamp(best / 1e9 / LARGE, 1e-13, SLOWEST);
        }
    }
}
