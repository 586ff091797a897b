package dev.oxbow.benchmarks;

import dev.oxbow.parallel.planner.Estimate;
import dev.oxbow.parallel.planner.Network;
import dev.oxbow.parallel.planner.Simulator;
import dev.oxbow.parallel.planner.Way;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Option;

/** {@code bench distributed} of a network known by name: compute is a wait, gradients are real. */
final class NetworkBench {
    @Option(names = "--netns", paramLabel = "N", description = "Networks: run on N hosts made of network namespaces.")
    private int netns;

    @Option(names = "--rate", paramLabel = "RATE", description = "Networks: the speed of their links, such as 1gbit.")
    private String rate;

    @Option(
            names = "--compute",
            defaultValue = "0.55",
            paramLabel = "S",
            description = "Networks: seconds of compute in a step, ${DEFAULT-VALUE}.")
    private double compute;

    @Option(
            names = "--bucket",
            defaultValue = "33554432",
            paramLabel = "BYTES",
            description = "Networks: bytes of a bucket, ${DEFAULT-VALUE}; more than there are is no overlap.")
    private long bucket;

    @Option(
            names = "--wire",
            defaultValue = "none",
            paramLabel = "FORMAT",
            description = "Networks: none, bf16, f16, int8 or top-k:SHARE; ${DEFAULT-VALUE}.")
    private String wire;

    @Option(
            names = "--steps",
            defaultValue = "3",
            paramLabel = "N",
            description = "Networks: steps that are timed, each by itself, ${DEFAULT-VALUE}.")
    private int steps;

    /** Times steps and holds them against the prediction; the exit status. */
    int run(Network network, int workers, String transport, Path work, Path json) throws IOException {
        int n = netns > 0 ? netns : workers;
        try (Site site = netns > 0 ? Site.hosts(netns, 1, rate, null) : Site.loopback(null);
                DistributedTeam team = DistributedTeam.network(
                        site, n, transport, List.of(network.name(), "" + compute, "" + bucket, wire), work)) {
            System.out.println(site.describe());
            team.losses();
            double sent = team.costs()[0];
            for (int i = 0; i < steps; i++) team.add(team.run(1));
            report(network, n, site.bytesPerSecond(), sent, team, json);
            return 0;
        } catch (ChildProcess.Failure e) {
            System.err.println("bench distributed: " + e.getMessage() + "; logs are in " + work);
            return 1;
        }
    }

    private void report(Network network, int n, double rate, double sent, DistributedTeam team, Path json)
            throws IOException {
        double bytes = 4.0 * network.parameters(),
                measured = 1 / team.median(),
                share = sent / (2 * bytes * (n - 1) / n);
        System.out.println(text(
                "%s, %d workers, %.1f MB of gradients, %.2f s of compute, wire %s: %.3f s a step, each sends %.1f MB",
                network.name(), n, bytes / 1e6, compute, wire, measured, sent / 1e6));
        Double predicted = null;
        if (rate > 0) {
            Estimate whole = Estimate.of(Way.RING, bytes * share, compute, n, rate);
            double played = Simulator.of(
                            network, compute, 4 * share, bucket * share, bucket < bytes, rate * Estimate.PAYLOAD, 1e-4)
                    .play(n)
                    .step();
            predicted = 1 / played;
            System.out.println(text(
                    "  closed form %.3f s, with framing %.3f s, simulated with overlap %.3f s: measured %+.1f %%",
                    whole.step(), whole.framed().step(), played, 100 * (measured / played - 1)));
        }
        if (json != null)
            Files.writeString(
                    json,
                    text(
                            "[\n"
                                    + "  {\"system\": \"oxbow\", \"plan\": \"ring\", \"model\": \"%s\", \"workers\": %d,"
                                    + " \"threads\": 1, \"batch\": %d, \"wire\": \"%s\", \"steps_per_s\": %.4f,"
                                    + " \"predicted_steps_per_s\": %s, \"bytes_per_step\": %.0f}\n"
                                    + "]\n",
                            network.name(), n, n, wire, 1 / measured, Report.value(predicted), sent));
    }

    private static String text(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }
}
