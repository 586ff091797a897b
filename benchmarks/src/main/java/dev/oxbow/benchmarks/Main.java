package dev.oxbow.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code oxbow bench mlp [--rounds N] [--threads N]}: times training beside TensorFlow Java in one interleaved run. */
public final class Main {
    private static final double WARM_UP_SECONDS = 6;
    private static final double ROUND_SECONDS = 1.5;

    private Main() {}

    public static void main(String[] arguments) {
        List<String> given = Arrays.asList(arguments);
        if (!given.contains("mlp") || given.contains("--help")) {
            System.out.println("""
                    Usage: oxbow bench mlp [--rounds N] [--threads N]
                    Trains the perceptron 784-512-256-10 on batches of 128 and prints steps per second: Oxbow fed by the caller, fed by
                    a queue, and as a loop inside one run, beside TensorFlow Java (without oneDNN) in the same, interleaved run.

                    Examples:
                      oxbow bench mlp
                      oxbow bench mlp --rounds 9 --threads 1""");
            System.exit(given.contains("--help") ? 0 : 2);
        }
        int rounds = option(given, "--rounds", 5), threads = option(given, "--threads", 2);
        List<Workload> all = new ArrayList<>();
        for (OxbowMlp.Form f : OxbowMlp.Form.values()) all.add(new OxbowMlp(f, threads));
        all.add(new TensorFlowMlp(threads));
        agree(all);
        for (Workload w : all) run(w, WARM_UP_SECONDS);
        Map<String, double[]> rates = new LinkedHashMap<>();
        for (Workload w : all) rates.put(w.name(), new double[rounds]);
        for (int r = 0; r < rounds; r++) for (Workload w : all) rates.get(w.name())[r] = run(w, ROUND_SECONDS);
        double plain = median(rates.get("oxbow plain")), peer = median(rates.get("tensorflow java"));
        System.out.printf(
                "%-18s %10s %18s %16s %18s%n",
                "MLP, batch 128", "steps/s", "min .. max", "to oxbow plain", "to tensorflow java");
        rates.forEach((name, v) -> System.out.printf(
                "%-18s %10.1f %8.1f .. %7.1f %16.2f %18.2f%n",
                name,
                median(v),
                Arrays.stream(v).min().orElse(0),
                Arrays.stream(v).max().orElse(0),
                median(v) / plain,
                median(v) / peer));
        all.forEach(Workload::close);
        System.exit(0);
    }

    /** All systems must have the same loss after the same twenty steps, or nothing is timed. */
    private static void agree(List<Workload> all) {
        double wanted = Double.NaN;
        for (Workload w : all) {
            for (int i = 0; i < OxbowMlp.LOOP_STEPS / steps(w); i++) w.step();
            if (Double.isNaN(wanted)) wanted = w.result();
            if (!(Math.abs(w.result() - wanted) <= 1e-3 * Math.abs(wanted))) {
                System.err.printf(
                        "%s has a loss of %f after %d steps, the first has %f%n",
                        w.name(), w.result(), OxbowMlp.LOOP_STEPS, wanted);
                System.exit(1);
            }
        }
    }

    private static int steps(Workload w) {
        return w instanceof OxbowMlp m ? m.stepsPerCall() : 1;
    }

    private static double run(Workload w, double seconds) {
        long start = System.nanoTime(), steps = 0;
        double elapsed;
        do {
            w.step();
            steps += steps(w);
            elapsed = (System.nanoTime() - start) / 1e9;
        } while (elapsed < seconds);
        return steps / elapsed;
    }

    private static double median(double[] v) {
        double[] sorted = v.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static int option(List<String> given, String name, int otherwise) {
        int at = given.indexOf(name);
        return at < 0 || at + 1 >= given.size() ? otherwise : Integer.parseInt(given.get(at + 1));
    }
}
