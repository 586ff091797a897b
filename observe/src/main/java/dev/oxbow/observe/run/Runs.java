package dev.oxbow.observe.run;

import dev.oxbow.wire.event.EventFile;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The runs below some folders, looked for and read again and again by one thread. */
public final class Runs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Runs.class);
    private static final int DEPTH = 5, MOST = 2_000;

    /** What is read of one process before it is the turn of the next. */
    private static final long TURN = 8 << 20;

    private static final long PAUSE_MILLIS = 250;

    private final List<Path> roots;
    private final Map<String, Run> runs = new TreeMap<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;
    private volatile boolean truncated;

    private Runs(List<Path> roots) {
        this.roots = roots.stream().map(r -> r.toAbsolutePath().normalize()).toList();
        this.thread = Thread.ofPlatform().daemon().name("runs").unstarted(this::follow);
    }

    /** Reads once what there is, whole. */
    public static Runs read(List<Path> roots) {
        Runs r = new Runs(roots);
        while (r.turn()) {
            continue;
        }
        return r;
    }

    /** Reads what there is, and goes on reading what comes. */
    public static Runs follow(List<Path> roots) {
        Runs r = new Runs(roots);
        r.thread.start();
        return r;
    }

    private void follow() {
        try {
            while (true) {
                boolean more = turn();
                if (closing.await(more ? 0 : PAUSE_MILLIS, TimeUnit.MILLISECONDS)) return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Looks for runs and reads a little of each; whether there was something. */
    private boolean turn() {
        long read = 0;
        try {
            for (Path root : roots) look(root);
        } catch (IOException e) {
            LOG.warn("runs can not be looked for: {}", e.toString());
        }
        for (Run r : all()) {
            try {
                read += r.scan(TURN);
            } catch (IOException | RuntimeException e) {
                LOG.warn("{} can not be read: {}", r.name(), e.toString());
            }
        }
        return read > 0;
    }

    private void look(Path root) throws IOException {
        if (!Files.isDirectory(root)) return;
        Set<Path> found = new TreeSet<>();
        Files.walkFileTree(root, Set.of(), DEPTH, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes a) {
                if (a.isRegularFile() && file.getFileName().toString().contains(EventFile.PREFIX))
                    found.add(owner(file.getParent(), root));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }
        });
        synchronized (this) {
            for (Path f : found) {
                if (runs.size() >= MOST) {
                    truncated = true;
                    return;
                }
                String base =
                        root.getFileName() == null ? "runs" : root.getFileName().toString();
                String name = f.equals(root)
                        ? base
                        : roots.size() == 1 ? root.relativize(f).toString() : base + "/" + root.relativize(f);
                runs.computeIfAbsent(name, n -> new Run(n, f));
            }
        }
    }

    /** The folder of the run that a folder with event files belongs to. */
    private static Path owner(Path folder, Path root) {
        boolean worker = Run.WORKER.matcher(folder.getFileName().toString()).matches();
        return worker && !folder.equals(root) ? folder.getParent() : folder;
    }

    public synchronized List<Run> all() {
        return new ArrayList<>(runs.values());
    }

    /** The run of a name; null where there is none. */
    public synchronized Run get(String name) {
        return runs.get(name);
    }

    /** Whether there are more runs than are shown. */
    public boolean isTruncated() {
        return truncated;
    }

    @Override
    public void close() {
        closing.countDown();
        try {
            if (thread.isAlive()) thread.join(5_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
