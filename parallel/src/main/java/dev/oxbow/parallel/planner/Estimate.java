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
 * @param devices workers on each host, which share its link; they exchange among themselves first
 * @param inside bytes a second between the workers of a host, each way
 */
public record Estimate(
        Way way,
        double bytes,
        double compute,
        long workers,
        double rate,
        double latency,
        long servers,
        boolean strong,
        long devices,
        double inside) {

    /**
     * What of the bits of an Ethernet is payload of TCP with timestamps: 1448 of the 1538 bytes that a full frame takes with
     * preamble and gap.
     */
    public static final double PAYLOAD = 1448.0 / 1538;

    public Estimate {
        require(
                devices > 0 && (devices == 1 || inside > 0),
                INVALID_ARGUMENT,
                "plan: hosts of %d devices need a rate between them, got %s",
                devices,
                inside);
        require(
                bytes >= 0 && compute > 0 && workers > 0 && rate > 0 && latency >= 0 && servers >= 0,
                INVALID_ARGUMENT,
                "plan: parameters, compute, workers and rate must be positive, got %s bytes, %s s, %d and %s bytes/s",
                bytes,
                compute,
                workers,
                rate);
    }

    /** With a host for each worker. */
    public Estimate(
            Way way,
            double bytes,
            double compute,
            long workers,
            double rate,
            double latency,
            long servers,
            boolean strong) {
        this(way, bytes, compute, workers, rate, latency, servers, strong, 1, 0);
    }

    /** Of weak scaling, without latency or servers. */
    public static Estimate of(Way way, double bytes, double compute, long workers, double rate) {
        return new Estimate(way, bytes, compute, workers, rate, 0, 0, false);
    }

    public Estimate withWorkers(long n) {
        return new Estimate(way, bytes, compute, n, rate, latency, servers, strong, devices, inside);
    }

    public Estimate withWay(Way w) {
        return new Estimate(w, bytes, compute, workers, rate, latency, servers, strong, devices, inside);
    }

    public Estimate withRate(double r) {
        return new Estimate(way, bytes, compute, workers, r, latency, servers, strong, devices, inside);
    }

    /** With the framing and the protocol of an Ethernet counted. */
    public Estimate framed() {
        return withRate(rate * PAYLOAD);
    }

    /** The same workers, so many on each host, with a rate between those. */
    public Estimate withHosts(long devices, double inside) {
        return new Estimate(way, bytes, compute, workers, rate, latency, servers, strong, devices, inside);
    }

    /** Hosts that have workers. */
    public long hosts() {
        return (workers + devices - 1) / devices;
    }

    /** Seconds in which nothing but gradients move, Tt: inside the hosts, and then between them. */
    public double exchange() {
        return insideSeconds() + way.busiestBytes(bytes, hosts(), servers) / rate + way.steps(hosts()) * latency;
    }

    /** Bytes that a worker sends to others of its host in a step. */
    public double insideBytes() {
        return Way.RING.busiestBytes(bytes, Math.min(devices, workers), 0);
    }

    private double insideSeconds() {
        return devices == 1 ? 0 : insideBytes() / inside;
    }

    /** Bytes that the link of a host carries each way in a step. */
    public double hostBytes() {
        return way.workerBytes(bytes, hosts(), servers);
    }

    /** Bytes that the busiest link carries in its busier direction in a step. */
    public double busiestBytes() {
        return way.busiestBytes(bytes, hosts(), servers);
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
        double left = computeOfEach() * (1 / efficiency - 1) - way.steps(hosts()) * latency - insideSeconds();
        return left <= 0 ? Double.POSITIVE_INFINITY : busiestBytes() / left;
    }

    /** What a step waits for most. */
    public String bottleneck() {
        if (computeOfEach() >= exchange()) return "compute";
        if (insideSeconds() > exchange() / 2) return "links inside hosts";
        if (way.steps(hosts()) * latency > busiestBytes() / rate) return "latency";
        return switch (way) {
            case STAR -> "the master's link";
            case PARAMETER_SERVER, OVERLAPPED_SERVER ->
                servers > 0 && hosts() > servers ? "the servers' links" : "links";
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
