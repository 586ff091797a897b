package dev.oxbow.testing.conformance;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Runs recorded TensorFlow cases on an engine and compares the answers. */
public final class Conformance {

    /*
     * Each case runs on a daemon thread of its own while a worker waits for it. A case that does not
     * end by its deadline is failed with the place where its thread is, and the thread is left behind:
     * there is no safe way to stop it, and the next cases do not need it.
     */

    /** How long a run may take of which TensorFlow said that it never ended. */
    private static final Duration EXPECTED_TIMEOUT = Duration.ofMillis(300);

    private final Engine engine;
    private final Duration deadline;
    private final int threads;

    /** Gives each case {@code deadline} and runs {@code threads} of them at a time. */
    public Conformance(Engine engine, Duration deadline, int threads) {
        this.engine = engine;
        this.deadline = deadline;
        this.threads = threads;
    }

    /** Runs the first {@code limit} cases whose name contains a match of {@code only}; {@code each} sees the results in order of name. */
    public Report run(Path file, Pattern only, int limit, Consumer<Result> each) throws InterruptedException {
        List<Result> results = new ArrayList<>();
        try (CaseArchive archive = new CaseArchive(file);
                ExecutorService workers = Executors.newFixedThreadPool(threads)) {
            List<Future<Result>> pending = archive.names().stream()
                    .filter(name -> only.matcher(name).find())
                    .limit(limit)
                    .map(name -> workers.submit(() -> check(archive, name)))
                    .toList();
            try {
                for (Future<Result> future : pending) {
                    results.add(future.get());
                    each.accept(results.getLast());
                }
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            } finally {
                workers.shutdownNow();
            }
        }
        return new Report(results);
    }

    private Result check(CaseArchive archive, String name) throws InterruptedException {
        long start = System.nanoTime();
        FutureTask<Result> task = new FutureTask<>(() -> {
            Set<String> missing = engine.missingOps(archive.graph(name));
            if (!missing.isEmpty()) return new Result.Blocked(name, missing);
            String difference = difference(archive, name);
            return difference == null
                    ? new Result.Passed(name, since(start))
                    : new Result.Failed(name, since(start), difference);
        });
        Thread thread = Thread.ofPlatform().name("case-" + name).daemon().start(task);
        try {
            return task.get(deadline.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            String place = Arrays.stream(thread.getStackTrace())
                    .limit(4)
                    .map(StackTraceElement::toString)
                    .collect(Collectors.joining(" < "));
            thread.interrupt();
            return new Result.Failed(
                    name, since(start), "did not end in " + seconds(deadline) + " s; it is at " + place);
        } catch (ExecutionException e) {
            return new Result.Failed(name, since(start), describe(e.getCause()));
        }
    }

    private String difference(CaseArchive archive, String name) {
        try (Case c = archive.read(name)) {
            Engine.Program program;
            try {
                program = engine.open(c.graph());
            } catch (OxbowException e) {
                // A graph that is refused gives the same answer to each of its runs.
                return c.runs().stream().allMatch(r -> pythonName(e.code()).equals(r.error()))
                        ? null
                        : "opening the graph: " + describe(e);
            }
            try (program) {
                for (int i = 0; i < c.runs().size(); i++) {
                    String difference = difference(program, c.runs().get(i), c.tolerance());
                    if (difference != null) return c.runs().size() == 1 ? difference : "run " + i + ": " + difference;
                }
                return null;
            }
        }
    }

    private String difference(Engine.Program program, Case.Run run, Tolerance tolerance) {
        boolean neverEnds = pythonName(ErrorCode.DEADLINE_EXCEEDED).equals(run.error());
        List<Tensor> outputs;
        try {
            outputs = program.run(run.feeds(), run.fetches(), run.targets(), neverEnds ? EXPECTED_TIMEOUT : deadline);
        } catch (OxbowException e) {
            if (pythonName(e.code()).equals(run.error())) return null;
            return (run.error() == null ? "" : "wanted " + run.error() + ", got ") + describe(e);
        }
        try {
            if (run.error() != null)
                return "wanted " + run.error() + ", got values "
                        + outputs.stream().map(Tensor::describe).toList();
            if (outputs.size() != run.fetches().size()) {
                return "wanted " + run.fetches().size() + " values, got " + outputs.size();
            }
            for (int i = 0; i < outputs.size(); i++) {
                String difference = tolerance.difference(run.outputs().get(i), outputs.get(i));
                if (difference != null) return run.fetches().get(i) + ": " + difference;
            }
            return null;
        } finally {
            outputs.forEach(Tensor::close);
        }
    }

    /** The class that TensorFlow's Python raises for a status code: INVALID_ARGUMENT is InvalidArgumentError. */
    static String pythonName(ErrorCode code) {
        return Arrays.stream(code.name().split("_"))
                        .map(w -> w.charAt(0) + w.substring(1).toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining())
                + "Error";
    }

    private static String describe(Throwable e) {
        String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        if (e instanceof OxbowException oxbow) return oxbow.code() + ": " + message;
        StackTraceElement[] stack = e.getStackTrace();
        return e.getClass().getSimpleName() + ": " + message + (stack.length == 0 ? "" : " at " + stack[0]);
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static String seconds(Duration d) {
        return Double.toString(d.toMillis() / 1000.0);
    }
}
