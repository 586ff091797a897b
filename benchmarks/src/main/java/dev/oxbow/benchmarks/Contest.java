package dev.oxbow.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ObjDoubleConsumer;

/** Systems in processes of their own, timed one at a time in rounds that go back and forth. */
final class Contest implements AutoCloseable {
    static final double PREPARE_SECONDS = 240;
    private static final double SPARE_SECONDS = 120;
    private static final double MOST_WARM = 5;
    private static final double TOLERANCE = 1e-3;
    private static final double CHANGE_TOLERANCE = 2e-2;

    private final Rounds rounds;
    private final double warm;
    private final double seconds;
    private final Path folder;
    private final Path work;
    private final Map<String, ChildProcess> running = new LinkedHashMap<>();
    private boolean failed;

    /** One system at one task within a group that is timed together. */
    record Entry(Contestant contestant, String label, int threads, Task task, Row row, String column) {}

    /** What is done at the beginning of a round. */
    interface Beginning {
        void run() throws IOException, InterruptedException;
    }

    /** Data are in {@code folder}; {@code work} keeps caches and logs. */
    Contest(Rounds rounds, double warm, double seconds, Path folder, Path work) {
        this.rounds = rounds;
        this.warm = warm;
        this.seconds = seconds;
        this.folder = folder;
        this.work = work;
    }

    /** Whether Oxbow itself failed somewhere. */
    boolean hasFailed() {
        return failed;
    }

    /** Compares the first results, warms up, and runs rounds; is told when one begins, and each rate. */
    void run(List<Entry> group, Beginning begins, ObjDoubleConsumer<Entry> measured)
            throws IOException, InterruptedException {
        List<Entry> entries = new ArrayList<>(group);
        List<double[]> checks = new ArrayList<>();
        entries.removeIf(e -> !ready(e, checks));
        entries.removeIf(e -> !attempt(e, () -> {
            progress("warming up " + e.row.name() + ", " + e.label);
            ask(e, MOST_WARM * warm + SPARE_SECONDS, "warm", warm + " " + MOST_WARM * warm);
        }));
        List<Row> timed = entries.stream().map(Entry::row).distinct().toList();
        for (int round = 1; goOn(round, timed); round++) {
            begins.run();
            int number = round;
            for (Entry e : Rounds.inTurn(round, entries)) {
                boolean done = attempt(e, () -> {
                    progress("round " + number + ": " + e.row.name() + ", " + e.label);
                    double rate = Double.parseDouble(ask(e, seconds + SPARE_SECONDS, "run", "" + seconds)[0]);
                    e.row.add(e.column, e.task.figure(rate));
                    measured.accept(e, rate);
                });
                if (!done) entries.remove(e);
            }
        }
        entries.forEach(e -> attempt(e, () -> ask(e, SPARE_SECONDS, "release", "")));
        compared(timed);
    }

    /** Builds the task and compares its first results with Oxbow's. */
    private boolean ready(Entry e, List<double[]> checks) {
        return attempt(e, () -> {
            progress("preparing " + e.row.name() + ", " + e.label);
            String[] words = ask(e, PREPARE_SECONDS, "prepare", "");
            double[] numbers = new double[words.length];
            for (int i = 0; i < numbers.length; i++) numbers[i] = Double.parseDouble(words[i]);
            if (!checks.isEmpty()) compare(checks.getFirst(), numbers, e.task);
            checks.add(numbers);
        });
    }

    /** Numbers of different counts are of different forms of training, which must agree at their end. */
    private static void compare(double[] wanted, double[] got, Task w) throws ChildProcess.Failure {
        boolean same = wanted.length == got.length, trains = w.isTraining();
        for (int i = same ? 0 : got.length - 1; i < got.length; i++) {
            double want = same ? wanted[i] : wanted[wanted.length - 1];
            boolean close = Math.abs(got[i] - want) <= TOLERANCE * Math.abs(want);
            if (close && trains && same && i > 0) {
                double change = wanted[i] - wanted[0];
                close = Math.abs(got[i] - got[0] - change)
                        <= CHANGE_TOLERANCE * Math.abs(change) + 1e-6 * Math.abs(want);
            }
            if (!close)
                throw new ChildProcess.Failure(String.format(
                        Locale.ROOT, "number %d to compare is %.7g, Oxbow's is %.7g", i + 1, got[i], want));
        }
    }

    /** Whether another round follows for these rows. */
    boolean goOn(int round, List<Row> timed) {
        return rounds.goOn(round - 1, timed.stream().map(this::pairs));
    }

    /** Takes note of rows that have all rounds. */
    void compared(List<Row> timed) {
        for (Row r : timed) rounds.compared(r.name(), pairs(r));
    }

    private Optional<Pairs> pairs(Row row) {
        return rounds.other().flatMap(row::pairs);
    }

    /** Something that a system may fail at. */
    interface Attempt {
        void run() throws ChildProcess.Failure, ChildProcess.Absent;
    }

    private boolean attempt(Entry e, Attempt what) {
        return attempt(e.row, e.column, what);
    }

    /** Whether it worked; else the row says why not. */
    boolean attempt(Row row, String column, Attempt what) {
        try {
            what.run();
            return true;
        } catch (ChildProcess.Absent e) {
            row.fail(column, "absent: " + e.getMessage());
        } catch (ChildProcess.Failure e) {
            row.fail(column, "failed: " + e.getMessage());
            failed |= column.equals("oxbow");
        }
        return false;
    }

    private String[] ask(Entry e, double deadline, String command, String rest)
            throws ChildProcess.Failure, ChildProcess.Absent {
        String question = (command + " " + e.task.key() + " " + rest).strip();
        ChildProcess child = running.get(e.label);
        if (child == null || !child.isAlive()) {
            if (!command.equals("prepare")) throw new ChildProcess.Failure("died before '" + question + "'");
            try {
                child = e.contestant.start(e.threads, folder, work);
            } catch (IOException x) {
                throw new ChildProcess.Failure("does not start: " + x.getMessage());
            }
            running.put(e.label, child);
        }
        return child.ask(deadline, question);
    }

    static void progress(String what) {
        if (System.console() != null && System.console().isTerminal()) System.err.print("\r\033[K" + what);
        else if (!what.isEmpty() && !what.startsWith("round")) System.err.println(what);
    }

    @Override
    public void close() {
        running.values().forEach(ChildProcess::close);
        running.clear();
    }
}
