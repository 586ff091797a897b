package dev.oxbow.benchmarks;

import dev.oxbow.parallel.Plan;
import dev.oxbow.parallel.planner.Estimate;
import dev.oxbow.parallel.planner.Network;
import dev.oxbow.parallel.planner.Simulator;
import dev.oxbow.parallel.planner.Way;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Option;

/** {@code bench distributed} of a network known by name: compute is a wait, gradients are real. */
final class NetworkBench {
    private static final double LATENCY = 1e-4;

    @Option(
            names = "--netns",
            split = ",",
            paramLabel = "LIST",
            description = "Networks: run on so many hosts made of network namespaces, one after the other.")
    private List<Integer> netns = List.of();

    @Option(
            names = "--rate",
            split = ",",
            paramLabel = "LIST",
            description = "Networks: the speed of their links, such as 1gbit.")
    private List<String> rates = List.of();

    @Option(
            names = "--compute",
            defaultValue = "0.55",
            paramLabel = "S",
            description = "Networks: seconds of compute in a step, ${DEFAULT-VALUE}.")
    private double compute;

    @Option(
            names = "--bucket",
            paramLabel = "BYTES",
            description = "Networks: bytes of a bucket, ${DEFAULT-VALUE}; more than there are is no overlap.")
    private long bucket = Plan.ring().bucketBytes();

    @Option(
            names = "--wire",
            defaultValue = "none",
            paramLabel = "FORMAT",
            description = "Networks: none, bf16, f16, int8 or top-k:SHARE; ${DEFAULT-VALUE}.")
    private String wire;

    @Option(
            names = "--algorithm",
            split = ",",
            defaultValue = "ring",
            paramLabel = "LIST",
            description =
                    "Networks: the all-reduce, ring, direct, star or push-pull:K with K more hosts that help, or parameter-server:K"
                            + " with K more that hold the parameters, one after the other; ${DEFAULT-VALUE}.")
    private List<String> algorithms;

    @Option(
            names = "--calibrate",
            description =
                    "Networks: learn from the first rate which share of a link is payload, and judge the others by"
                            + " that.")
    private boolean calibrate;

    @Option(
            names = "--steps",
            defaultValue = "3",
            paramLabel = "N",
            description = "Networks: steps that are timed, each by itself, ${DEFAULT-VALUE}.")
    private int steps;

    /**
     * What was measured of one setting.
     *
     * @param rate bytes a second of a link, 0 where it is not limited
     * @param sent bytes that a worker sends in a step, the most of all
     * @param alone seconds of the exchange without compute
     */
    private record Measured(String algorithm, int workers, double rate, double step, double sent, double alone) {}

    private Network network;
    private double payload = Estimate.PAYLOAD;

    /** Times steps and holds them against the prediction; the exit status. */
    int run(Network network, int workers, String transport, Path work, Path json) throws IOException {
        this.network = network;
        List<Measured> all = new ArrayList<>();
        List<String> speeds = rates.isEmpty() ? Arrays.asList((String) null) : rates;
        System.out.println(text(
                "%s, %.1f MB of gradients, %.2f s of compute, wire %s, buckets of %.1f MB",
                network.name(), 4e-6 * network.parameters(), compute, wire, bucket / 1e6));
        System.out.println(text(
                "%-18s %7s %10s %9s %9s %9s %9s %9s %9s %8s",
                "algorithm",
                "workers",
                "link MB/s",
                "step s",
                "closed",
                "framed",
                "simulated",
                "error %",
                "sent MB",
                "exposed"));
        try {
            for (String speed : speeds) {
                for (int n : netns.isEmpty() ? List.of(workers) : netns)
                    for (String a : algorithms) {
                        all.add(measure(a, n, speed, transport, work));
                        print(all.getLast());
                    }
                if (calibrate && speed != null && speed.equals(speeds.getFirst())) calibrate(all);
            }
        } catch (ChildProcess.Failure e) {
            System.err.println("bench distributed: " + e.getMessage() + "; logs are in " + work);
            return 1;
        }
        if (json != null)
            Files.writeString(
                    json,
                    "[\n  " + String.join(",\n  ", all.stream().map(this::json).toList()) + "\n]\n");
        return 0;
    }

    /** Hosts beside the workers in an algorithm such as {@code push-pull:2}. */
    static int helpers(String algorithm) {
        return algorithm.contains(":") ? Integer.parseInt(algorithm.substring(algorithm.indexOf(':') + 1)) : 0;
    }

    /** The closed form of an algorithm: direct exchanges move the ring's bytes. */
    private static Way way(Measured m) {
        return m.algorithm.equals("direct") ? Way.RING : Way.named(m.algorithm.split(":")[0]);
    }

    private Measured measure(String algorithm, int n, String speed, String transport, Path work)
            throws IOException, ChildProcess.Failure {
        List<String> what = List.of(network.name(), "" + compute, "" + bucket, wire, algorithm);
        int beside = helpers(algorithm), all = n + beside;
        boolean served = algorithm.startsWith(ServedNetworkRank.NAME);
        try (Site site = netns.isEmpty() ? Site.loopback(null) : Site.hosts(all, 1, speed, null);
                DistributedTeam team = served
                        ? DistributedTeam.served(site, n, beside, what, work)
                        : DistributedTeam.network(site, all, transport, what, work)) {
            team.losses();
            double[] costs = team.costs();
            for (int i = 0; i < steps; i++) team.add(team.run(1));
            return new Measured(algorithm, n, site.bytesPerSecond(), 1 / team.median(), costs[0], costs[1]);
        }
    }

    /** Bytes on the wire for each byte of gradients. */
    private double share(Measured m) {
        double most = way(m).workerBytes(4.0 * network.parameters(), m.workers, helpers(m.algorithm));
        if (m.algorithm.equals("star")) most *= m.workers - 1; // it is the master that sends most
        return m.sent / most;
    }

    private Estimate closed(Measured m) {
        double bytes = 4.0 * network.parameters() * share(m);
        return new Estimate(way(m), bytes, compute, m.workers, m.rate, 0, helpers(m.algorithm), false);
    }

    /** Seconds of a step by the simulator where it knows the algorithm, and else by the closed form. */
    private double predicted(Measured m, double payload) {
        if (way(m) != Way.RING) return closed(m).withRate(m.rate * payload).step();
        double share = share(m);
        boolean overlap = bucket < 4.0 * network.parameters();
        return Simulator.of(network, compute, 4 * share, bucket * share, overlap, m.rate * payload, LATENCY)
                .play(m.workers)
                .step();
    }

    /** Takes the share of a link that is payload with which the predictions are what was measured, in the median. */
    private void calibrate(List<Measured> all) {
        double[] found = new double[all.size()];
        for (int i = 0; i < found.length; i++) {
            double low = 0.05, high = 2;
            for (int step = 0; step < 60; step++) {
                double middle = (low + high) / 2;
                if (predicted(all.get(i), middle) > all.get(i).step) low = middle;
                else high = middle;
            }
            found[i] = low;
        }
        payload = Pairs.quantile(found, 0.5);
        System.out.println(text("calibrated: %.1f %% of a link is payload", 100 * payload));
    }

    /** The share of the exchange alone that a step takes beside its compute. */
    private double exposed(Measured m) {
        return (m.step - compute) / m.alone;
    }

    private void print(Measured m) {
        boolean limited = m.rate > 0;
        System.out.println(text(
                "%-18s %7d %10s %9.3f %9s %9s %9s %9s %9.1f %8.2f",
                m.algorithm,
                m.workers,
                limited ? text("%.2f", m.rate / 1e6) : "-",
                m.step,
                limited ? text("%.3f", closed(m).step()) : "-",
                limited ? text("%.3f", closed(m).framed().step()) : "-",
                limited ? text("%.3f", predicted(m, payload)) : "-",
                limited ? text("%+.1f", 100 * (m.step / predicted(m, payload) - 1)) : "-",
                m.sent / 1e6,
                exposed(m)));
    }

    private String json(Measured m) {
        Double predicted = m.rate > 0 ? 1 / predicted(m, payload) : null;
        return text(
                "{\"system\": \"oxbow\", \"plan\": \"%s\", \"model\": \"%s\", \"workers\": %d, \"threads\": 1, \"batch\": %d,"
                        + " \"wire\": \"%s\", \"link_bytes_per_s\": %.0f, \"steps_per_s\": %.4f,"
                        + " \"predicted_steps_per_s\": %s, \"bytes_per_step\": %.0f, \"exchange_s\": %.4f, \"overlap\": %.3f}",
                m.algorithm,
                network.name(),
                m.workers,
                m.workers,
                wire,
                m.rate,
                1 / m.step,
                Report.value(predicted),
                m.sent,
                m.alone,
                1 - exposed(m));
    }

    private static String text(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }
}
