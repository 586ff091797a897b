package dev.oxbow.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** {@code bench one SYSTEM WORKLOAD}: runs one workload of one system in this process. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws Exception {
        List<String> given = List.of(arguments);
        if (given.size() < 3 || !given.get(0).equals("one")) {
            System.err.println("usage: bench one oxbow WORKLOAD [--seconds S] [--threads N]; workloads: "
                    + String.join(", ", Workload.keys()));
            System.exit(2);
        }
        Workload w = Workload.of(given.get(2)).orElseThrow();
        double seconds = Double.parseDouble(option(given, "--seconds", "5"));
        int threads = Integer.parseInt(option(given, "--threads", "2"));
        Path folder = Files.createTempDirectory("oxbow-bench");
        w.write(folder);
        try (Peer peer = new OxbowPeer(threads);
                Model m = peer.prepare(w, Inputs.read(folder, w.data()))) {
            System.out.println("check " + Arrays.toString(m.check()));
            for (int round = 0; round < 3; round++) {
                long start = System.nanoTime(), calls = 0;
                while (System.nanoTime() - start < seconds * 1e9) {
                    m.step();
                    calls++;
                }
                double rate = calls / ((System.nanoTime() - start) / 1e9);
                System.out.printf("%s %.4g %s%n", w.key(), w.figure(rate), w.unit());
            }
        } finally {
            try (var files = Files.walk(folder)) {
                for (Path f : files.sorted(java.util.Comparator.reverseOrder()).toList()) Files.delete(f);
            }
        }
    }

    private static String option(List<String> given, String name, String otherwise) {
        int at = given.indexOf(name);
        return at < 0 || at + 1 >= given.size() ? otherwise : given.get(at + 1);
    }
}
