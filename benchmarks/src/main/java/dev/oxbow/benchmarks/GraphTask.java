package dev.oxbow.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A training graph from a file: {@code graph.pb}, the name of what initialises it in {@code init.txt}, and an array for
 * each placeholder, {@code x.npy} for {@code x}. A call fetches {@code loss:0} and runs {@code train}.
 *
 * @param source the folder that it comes from; null where its data have been written already
 */
record GraphTask(String key, Path source) implements Task {
    static final String GRAPH = "graph.pb";
    static final String INITIALISER = "init.txt";
    static final String ARRAY = ".npy";
    static final String LOSS = "loss";
    static final String STEP = "train";

    /** Calls whose losses are compared. */
    static final int CHECKED = 5;

    /** The graphs in the folders of {@code folder}, by name. */
    static List<GraphTask> in(Path folder) throws IOException {
        List<GraphTask> all = new ArrayList<>();
        try (var folders = Files.list(folder)) {
            for (Path f : folders.sorted().toList())
                if (Files.exists(f.resolve(GRAPH)))
                    all.add(new GraphTask(f.getFileName().toString().replaceAll("\\s+", "_"), f));
        }
        return all;
    }

    @Override
    public String title() {
        return key;
    }

    @Override
    public String unit() {
        return "steps/s";
    }

    @Override
    public boolean isLowerBetter() {
        return false;
    }

    @Override
    public double figure(double callsPerSecond) {
        return callsPerSecond;
    }

    @Override
    public boolean isTraining() {
        return true;
    }

    @Override
    public void write(Path folder) {
        try {
            Path to = Files.createDirectories(folder.resolve(key));
            for (Path f : files(source)) Files.copy(f, to.resolve(f.getFileName()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Model prepare(Peer peer, Path folder) throws IOException {
        return peer.graph(folder.resolve(key));
    }

    /** The arrays of a written graph; their names without the ending are those of placeholders. */
    static List<Path> arrays(Path folder) throws IOException {
        return files(folder).stream().filter(f -> f.toString().endsWith(ARRAY)).toList();
    }

    static String placeholder(Path array) {
        String name = array.getFileName().toString();
        return name.substring(0, name.length() - ARRAY.length());
    }

    private static List<Path> files(Path folder) throws IOException {
        try (var all = Files.list(folder)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }
}
