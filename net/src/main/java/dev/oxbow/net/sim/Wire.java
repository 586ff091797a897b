package dev.oxbow.net.sim;

import java.util.SplittableRandom;

/** The way of datagrams from one rank to another, on which all that can go wrong does. */
final class Wire {
    private final Simulation simulation;
    private final Network from;
    private final Network to;
    private Conditions conditions;
    private double freeAt;
    private long lastArrival;
    long bytes;
    long segments;
    long retransmitted;
    private long datagrams;
    private long lost;
    private long duplicated;
    private long reordered;

    Wire(Simulation simulation, Network from, Network to, Conditions conditions) {
        this.simulation = simulation;
        this.from = from;
        this.to = to;
        this.conditions = conditions;
    }

    void become(Conditions conditions) {
        this.conditions = conditions;
    }

    Conditions conditions() {
        return conditions;
    }

    /** Sends a datagram; {@code arrival} happens once, twice or never. */
    void send(long size, Runnable arrival) {
        if (from.isCrashed()) return;
        SplittableRandom random = simulation.random();
        datagrams++;
        freeAt = Math.max(freeAt, simulation.nanoTime()) + size * 1e9 / conditions.bytesPerSecond();
        boolean twice = happens(random, conditions.duplication());
        if (twice) duplicated++;
        for (int copy = 0; copy < (twice ? 2 : 1); copy++) {
            if (happens(random, conditions.loss()) || simulation.isCut(from.rank(), to.rank())) {
                lost++;
                continue;
            }
            long at = (long) Math.ceil(freeAt) + conditions.delay().sample(random);
            if (happens(random, conditions.reordering())) {
                at += random.nextLong(conditions.holdUp().toNanos() + 1);
                reordered++;
            } else {
                at = lastArrival = Math.max(at, lastArrival);
            }
            simulation.schedule(at, () -> arrive(arrival));
        }
    }

    private static boolean happens(SplittableRandom random, double share) {
        return share > 0 && random.nextDouble() < share;
    }

    private void arrive(Runnable arrival) {
        if (from.isCrashed() || to.isCrashed() || simulation.isCut(from.rank(), to.rank())) lost++;
        else arrival.run();
    }

    Counters counters() {
        return new Counters(bytes, segments, retransmitted, datagrams, lost, duplicated, reordered);
    }
}
