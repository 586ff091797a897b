package dev.oxbow.parallel.planner;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What a job will do, by closed forms: a step computes, then exchanges. Weak scaling keeps the batch of each worker, so that
 * {@code Tp = Ts + Tt}; strong scaling shares one batch out, {@code Tp = Ts / n + Tt}.
 *
 * @param bytes of the gradients
 * @param compute seconds of a step of one worker alone
 * @param rate bytes a second of a link, each way
 * @param latency seconds of a message beside its bytes
 * @param servers hosts beside the workers
 */
public record Estimate(
        Way way,
        double bytes,
        double compute,
        long workers,
        double rate,
        double latency,
        long servers,
        boolean strong) {

    /**
     * What of the bits of an Ethernet is payload of TCP with timestamps: 1448 of the 1538 bytes that a full frame takes with
     * preamble and gap.
     */
    public static final double PAYLOAD = 1448.0 / 1538;

    public Estimate {
        require(
                bytes >= 0 && compute > 0 && workers > 0 && rate > 0 && latency >= 0 && servers >= 0,
                INVALID_ARGUMENT,
                "plan: parameters, compute, workers and rate must be positive, got %s bytes, %s s, %d and %s bytes/s",
                bytes,
                compute,
                workers,
                rate);
    }

    /** Of weak scaling, without latency or servers. */
    public static Estimate of(Way way, double bytes, double compute, long workers, double rate) {
        return new Estimate(way, bytes, compute, workers, rate, 0, 0, false);
    }

    public Estimate withWorkers(long n) {
        return new Estimate(way, bytes, compute, n, rate, latency, servers, strong);
    }

    public Estimate withWay(Way w) {
        return new Estimate(w, bytes, compute, workers, rate, latency, servers, strong);
    }

    public Estimate withRate(double r) {
        return new Estimate(way, bytes, compute, workers, r, latency, servers, strong);
    }

    /** With the framing and the protocol of an Ethernet counted. */
    public Estimate framed() {
        return withRate(rate * PAYLOAD);
    }

    /** Seconds in which nothing but gradients move, Tt. */
    public double exchange() {
        return way.busiestBytes(bytes, workers, servers) / rate + way.steps(workers) * latency;
    }

    private double computeOfEach() {
        return strong ? compute / workers : compute;
    }

    /** Seconds of a step, Tp. */
    public double step() {
        return computeOfEach() + exchange();
    }

    /** The share of a step in which workers compute, P. */
    public double efficiency() {
        return computeOfEach() / step();
    }

    /** How many times the rows of one worker alone all train in the same time. */
    public double speedUp() {
        return strong ? compute / step() : workers * efficiency();
    }

    /** The share of a step in which links are used. */
    public double linkUse() {
        return exchange() / step();
    }

    /** Bytes a second at which a step has this efficiency; infinite where latency alone is too much. */
    public double rateFor(double efficiency) {
        require(
                efficiency > 0 && efficiency < 1,
                INVALID_ARGUMENT,
                "plan: an efficiency must be between 0 and 1, got %s",
                efficiency);
        double left = computeOfEach() * (1 / efficiency - 1) - way.steps(workers) * latency;
        return left <= 0 ? Double.POSITIVE_INFINITY : way.busiestBytes(bytes, workers, servers) / left;
    }

    /** What a step waits for most. */
    public String bottleneck() {
        if (computeOfEach() >= exchange()) return "compute";
        if (way.steps(workers) * latency > way.busiestBytes(bytes, workers, servers) / rate) return "latency";
        return switch (way) {
            case STAR -> "the master's link";
            case PARAMETER_SERVER, OVERLAPPED_SERVER ->
                servers > 0 && workers > servers ? "the servers' links" : "links";
            case RING, TREE, HALVING_DOUBLING, PUSH_PULL -> "links";
        };
    }

    /** Bytes of a device for parameters, gradients and so many slots of an optimizer; activations come on top. */
    public double memory(int slots) {
        return bytes * (2 + slots);
    }

    /** The ways that can be had with these servers, the fastest first. */
    public List<Estimate> ranked() {
        List<Estimate> all = new ArrayList<>();
        for (Way w : Way.values()) if (servers > 0 || !w.usesServers()) all.add(withWay(w));
        all.sort(Comparator.comparingDouble(Estimate::step).thenComparing(e -> e.way));
        return all;
    }
}
