package dev.oxbow.cli;

import dev.oxbow.wire.trace.Span;
import dev.oxbow.wire.trace.TraceFile;
import dev.oxbow.wire.trace.Waits;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code oxbow trace FILE}: says what a traced step did, and who waited for whom in it. */
@Command(
        name = "trace",
        description = "Say what a traced step did: time by device and op, and with --waits who waited for whom.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "FILE is a trace of ours (server --trace-every, StepTrace.write), which ui.perfetto.dev opens, too, or"
                    + " TensorFlow's RunMetadata as bytes.",
            "",
            "Examples:",
            "  oxbow trace step.json",
            "  oxbow trace step.json --waits"
        })
final class TraceCommand implements Callable<Integer> {
    private static final int MOST = 12;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "A trace.")
    private Path file;

    @Option(names = "--waits", description = "Say who waited for whom, and for what.")
    private boolean waits;

    @Override
    public Integer call() {
        List<Span> spans;
        try {
            spans = TraceFile.read(file);
        } catch (IOException e) {
            throw new ParameterException(spec.commandLine(), "can not read %s: %s".formatted(file, e.getMessage()), e);
        }
        PrintWriter out = spec.commandLine().getOut();
        if (waits) waits(spans, out);
        else summary(spans, out);
        out.flush();
        return 0;
    }

    private static void summary(List<Span> spans, PrintWriter out) {
        long from = spans.stream().mapToLong(Span::from).min().orElse(0);
        long to = spans.stream().mapToLong(Span::to).max().orElse(0);
        out.printf("%.3f ms from the first to the last of %,d spans%n", (to - from) / 1e6, spans.size());
        Map<String, List<Span>> devices =
                spans.stream().collect(Collectors.groupingBy(Span::device, TreeMap::new, Collectors.toList()));
        devices.forEach((device, all) -> {
            out.println(device);
            Map<String, long[]> ops = new TreeMap<>();
            for (Span s : all) {
                if (s.kind() != Span.Kind.RUN) continue;
                long[] sum = ops.computeIfAbsent(String.join(" + ", s.ops()), _ -> new long[3]);
                sum[0]++;
                sum[1] += s.length();
                sum[2] += s.from() - s.ready();
            }
            ops.entrySet().stream()
                    .sorted(Comparator.comparingLong((Map.Entry<String, long[]> e) -> -e.getValue()[1]))
                    .limit(MOST)
                    .forEach(e -> out.printf(
                            "  %10.3f ms  %,6d x  %s%s%n",
                            e.getValue()[1] / 1e6,
                            e.getValue()[0],
                            e.getKey(),
                            e.getValue()[2] < 1e5 ? "" : ", %.3f ms in line".formatted(e.getValue()[2] / 1e6)));
        });
    }

    private static void waits(List<Span> spans, PrintWriter out) {
        List<Waits.Pair> pairs = Waits.of(spans);
        if (pairs.isEmpty()) out.println("no device waited for another");
        for (Waits.Pair p : pairs) {
            out.printf("%s waited for %s%n", p.who(), p.whom());
            out.printf(
                    "  %.3f ms until values were made, %.3f ms until they had come: %,d values, %,d bytes%n",
                    p.unmade() / 1e6, p.moving() / 1e6, p.values(), p.bytes());
            out.printf("  longest for %s: %.3f ms%n", p.longest(), p.most() / 1e6);
        }
    }
}
