package dev.oxbow.testing.conformance;

import dev.oxbow.testing.conformance.Result.Blocked;
import dev.oxbow.testing.conformance.Result.Failed;
import dev.oxbow.testing.conformance.Result.Passed;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The results of a conformance run and what follows from them. */
public record Report(List<Result> results) {

    /** An op that the engine lacks: how many cases need it, and how many of those need nothing else. */
    public record MissingOp(String name, int blocked, int alone) {}

    public long passed() {
        return count(Passed.class);
    }

    public long failed() {
        return count(Failed.class);
    }

    public long blocked() {
        return count(Blocked.class);
    }

    /** The missing ops, those that block most cases first. */
    public List<MissingOp> missingOps() {
        Map<String, MissingOp> ops = new TreeMap<>();
        for (Result r : results) {
            if (!(r instanceof Blocked b)) continue;
            int alone = b.missing().size() == 1 ? 1 : 0;
            for (String op : b.missing()) {
                ops.merge(
                        op,
                        new MissingOp(op, 1, alone),
                        (x, y) -> new MissingOp(op, x.blocked() + y.blocked(), x.alone() + y.alone()));
            }
        }
        return ops.values().stream()
                .sorted(Comparator.comparingInt(MissingOp::blocked)
                        .thenComparingInt(MissingOp::alone)
                        .reversed()
                        .thenComparing(MissingOp::name))
                .toList();
    }

    /** Prints the table of missing ops and the summary line. */
    public void print(PrintWriter out) {
        List<MissingOp> missing = missingOps();
        if (!missing.isEmpty()) {
            out.printf("%-40s %7s %7s%n", "MISSING OP", "BLOCKS", "ALONE");
            missing.forEach(op -> out.printf("%-40s %7d %7d%n", op.name(), op.blocked(), op.alone()));
        }
        out.printf("passed %d of %d, %d need ops that are missing%n", passed(), results.size(), blocked());
    }

    /** The results as JSON: one object per case, and the missing ops. */
    public String json() {
        return results.stream()
                        .map(Report::json)
                        .collect(Collectors.joining(",\n    ", "{\n  \"cases\": [\n    ", "\n  ],\n"))
                + missingOps().stream()
                        .map(op -> "{\"op\": %s, \"blocks\": %d, \"alone\": %d}"
                                .formatted(Json.quote(op.name()), op.blocked(), op.alone()))
                        .collect(Collectors.joining(",\n    ", "  \"missing\": [\n    ", "\n  ],\n"))
                + "  \"passed\": %d, \"failed\": %d, \"blocked\": %d\n}\n".formatted(passed(), failed(), blocked());
    }

    private static String json(Result result) {
        return switch (result) {
            case Passed(String name, Duration time) ->
                "{\"case\": %s, \"result\": \"passed\", \"ms\": %d}".formatted(Json.quote(name), time.toMillis());
            case Failed(String name, Duration time, String reason) ->
                "{\"case\": %s, \"result\": \"failed\", \"ms\": %d, \"reason\": %s}"
                        .formatted(Json.quote(name), time.toMillis(), Json.quote(reason));
            case Blocked(String name, var missing) ->
                "{\"case\": %s, \"result\": \"blocked\", \"missing\": %s}"
                        .formatted(
                                Json.quote(name),
                                missing.stream().sorted().map(Json::quote).toList());
        };
    }

    private long count(Class<? extends Result> kind) {
        return results.stream().filter(kind::isInstance).count();
    }
}
