package dev.oxbow.observe.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A run: a folder with the event files of its first process, and those of the others in folders of theirs. */
public final class Run {
    static final Pattern WORKER = Pattern.compile("worker-(\\d{1,6})");

    /** After how long without a word a process that has not ended is taken for lost. */
    public static final double LOST_SECONDS = 8;

    private static final int MOST_WORKERS = 1024;

    private final String name;
    private final Path folder;
    private final Map<Integer, WorkerLog> workers = new TreeMap<>();

    /** How a process does. */
    public enum State {
        RUNNING,
        DONE,
        FAILED,
        LOST,
        /** It says nothing any more, and never said that it would say when it ends: another program wrote it. */
        SILENT
    }

    Run(String name, Path folder) {
        this.name = name;
        this.folder = folder;
        workers.put(0, new WorkerLog(folder, "worker-0"));
    }

    public String name() {
        return name;
    }

    public Path folder() {
        return folder;
    }

    /** Its processes, by rank; the first one is always there. */
    public synchronized List<WorkerLog> workers() {
        return List.copyOf(workers.values());
    }

    public WorkerLog first() {
        return workers().getFirst();
    }

    /** The process of a name; null where there is none. */
    public WorkerLog worker(String of) {
        return workers().stream().filter(w -> w.name().equals(of)).findFirst().orElse(null);
    }

    /** Reads what is new, about so many bytes of each process; how many there were. */
    long scan(long budget) throws IOException {
        look();
        long read = 0;
        for (WorkerLog w : workers()) read += w.scan(budget);
        return read;
    }

    private void look() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            for (Path p : all.toList()) {
                Matcher m = WORKER.matcher(p.getFileName().toString());
                if (!m.matches() || !Files.isDirectory(p)) continue;
                int rank = Integer.parseInt(m.group(1));
                synchronized (this) {
                    if (workers.size() < MOST_WORKERS) workers.computeIfAbsent(rank, _ -> new WorkerLog(p, m.group()));
                }
            }
        }
    }

    /** How a process does at a time in seconds since 1970. */
    public static State state(WorkerLog w, double now) {
        String end = w.ended();
        if (end != null) return end.isEmpty() ? State.DONE : State.FAILED;
        if (now - w.seen() <= LOST_SECONDS) return State.RUNNING;
        return w.hasBegun() ? State.LOST : State.SILENT;
    }

    /** The worst of its processes: failed, lost, running, silent, done. */
    public State state(double now) {
        List<State> all = workers().stream().map(w -> state(w, now)).toList();
        for (State s : List.of(State.FAILED, State.LOST, State.RUNNING, State.SILENT)) if (all.contains(s)) return s;
        return State.DONE;
    }
}
