package dev.oxbow.train;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.Elastic;
import dev.oxbow.collective.Elastic.Generation;
import dev.oxbow.train.state.Position;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Which batches the processes of an elastic job have trained on, a file of lines for each of them.
 *
 * {@snippet :
 * ElasticLog.Account all = ElasticLog.account(Path.of("events"));
 * IO.println(all.steps() + " steps, done again " + all.again() + ", missing " + all.missing());
 * }
 */
public final class ElasticLog implements AutoCloseable {
    /** Writes nothing. */
    public static final ElasticLog NONE = new ElasticLog(null);

    private final Path folder;
    private Writer out;

    private ElasticLog(Path folder) {
        this.folder = folder;
    }

    /** Files in a folder that all processes see. */
    public static ElasticLog in(Path folder) {
        return new ElasticLog(folder);
    }

    void begins(Elastic job, Generation g, Position at) {
        Communicator ranks = g.ranks();
        open(job);
        write("\"event\":\"begin\",\"generation\":%d,\"step\":%d,\"rank\":%d,\"ranks\":%d,\"pid\":%d"
                .formatted(g.number(), at.step(), ranks.rank(), ranks.size(), pid()));
    }

    /** A worker begins that trains by itself. */
    void enters(Elastic job) {
        open(job);
        write("\"event\":\"enter\",\"slot\":%d,\"pid\":%d".formatted(job.slot(), pid()));
    }

    private static long pid() {
        return ProcessHandle.current().pid();
    }

    private void open(Elastic job) {
        if (folder == null || out != null) return;
        try {
            Files.createDirectories(folder);
            out = Files.newBufferedWriter(folder.resolve("worker-%d-%d.jsonl".formatted(job.slot(), job.life())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes a line behind each step: where it is then, and which batches it was on; and one behind each epoch. */
    Callback steps(Generation g) {
        return new Callback() {
            private Position last = Position.START;

            @Override
            public void step(Trainer t, double loss) {
                Position now = t.position();
                boolean follows = now.step() == last.step() + 1 && now.epoch() == last.epoch();
                done(g, now, follows ? now.batch() - last.batch() : t.runs().stepBatches());
                last = now;
            }

            @Override
            public boolean epoch(Trainer t, Epoch e) {
                if (last.step() > 0 && last.epoch() == e.number()) ended(e.number(), last.batch());
                return false;
            }
        };
    }

    /** A step was done on the last {@code batches} batches before where it has led. */
    void done(Generation g, Position at, long batches) {
        write("\"event\":\"step\",\"generation\":%d,\"step\":%d,\"epoch\":%d,\"batch\":%d,\"of\":%d"
                .formatted(g.number(), at.step(), at.epoch(), at.batch(), batches));
    }

    /** A worker that trains by itself has pushed what a batch gave. */
    void pushed(long epoch, long batch) {
        write("\"event\":\"batch\",\"epoch\":%d,\"batch\":%d".formatted(epoch, batch));
    }

    /** An epoch has so many batches. */
    void ended(long epoch, long batches) {
        write("\"event\":\"epoch\",\"epoch\":%d,\"batches\":%d".formatted(epoch, batches));
    }

    private void write(String fields) {
        if (out == null) return;
        try {
            out.write("{" + fields + "}\n");
            out.flush(); // what a killed process has done counts
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            if (out != null) out.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A batch by its number in its epoch. */
    public record Numbered(long epoch, long batch) implements Comparable<Numbered> {
        @Override
        public int compareTo(Numbered other) {
            return epoch != other.epoch ? Long.compare(epoch, other.epoch) : Long.compare(batch, other.batch);
        }
    }

    /**
     * What the processes of a job have done together.
     *
     * @param generations how many there were; 0 where workers trained each by itself
     * @param steps that count
     * @param again steps that do not count, since they were done again from an earlier state
     * @param missing steps that count but that nobody has written down, where it should be none
     * @param batches how many different ones count
     * @param lost batches that nobody was trained on, of epochs that have ended and before the last one of that which has not
     * @param twice batches that count more than once: none where workers take steps together
     */
    public record Account(
            int generations,
            long steps,
            long again,
            List<Long> missing,
            long batches,
            List<Numbered> lost,
            List<Numbered> twice) {}

    /** What was written. */
    private static final class Lines {
        final TreeMap<Integer, Long> begins = new TreeMap<>();
        final Map<Integer, TreeMap<Long, List<Numbered>>> steps = new HashMap<>();
        final List<Numbered> pushed = new ArrayList<>();
        final TreeMap<Long, Long> sizes = new TreeMap<>();

        void read(JsonObject o) {
            switch (o.get("event").getAsString()) {
                case "begin" -> begins.merge((int) number(o, "generation"), number(o, "step"), Math::min);
                case "step" ->
                    steps.computeIfAbsent((int) number(o, "generation"), _ -> new TreeMap<>())
                            .put(number(o, "step"), trained(o));
                case "batch" -> pushed.add(new Numbered(number(o, "epoch"), number(o, "batch")));
                case "epoch" -> sizes.put(number(o, "epoch"), number(o, "batches"));
                default -> {
                    return;
                }
            }
        }

        private static long number(JsonObject o, String name) {
            return o.get(name).getAsLong();
        }

        private static List<Numbered> trained(JsonObject o) {
            List<Numbered> all = new ArrayList<>();
            long end = number(o, "batch");
            for (long b = end - number(o, "of"); b < end; b++) all.add(new Numbered(number(o, "epoch"), b));
            return all;
        }
    }

    /**
     * Adds up what lies in a folder. A generation goes on from where it began: what others had done beyond that does not count. So
     * each step, and each batch by its number, counts once if there is none missing, lost or twice. Of workers that train each by
     * itself all batches count that were pushed.
     */
    public static Account account(Path folder) throws IOException {
        Lines lines = new Lines();
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.filter(f -> f.getFileName().toString().startsWith("worker-"))
                    .toList();
        }
        for (Path f : files)
            for (String line : Files.readAllLines(f))
                if (line.endsWith("}"))
                    lines.read(JsonParser.parseString(line).getAsJsonObject()); // else it was killed
        TreeMap<Long, List<Numbered>> counted = new TreeMap<>();
        long again = 0;
        for (var e : lines.begins.entrySet()) {
            Map<Long, List<Numbered>> beyond = counted.tailMap(e.getValue(), false);
            again += beyond.size();
            beyond.clear();
            counted.putAll(lines.steps.getOrDefault(e.getKey(), new TreeMap<>()));
        }
        List<Long> missing = new ArrayList<>();
        if (!counted.isEmpty())
            for (long s = first(lines) + 1; s <= counted.lastKey(); s++) if (!counted.containsKey(s)) missing.add(s);
        List<Numbered> trained = new ArrayList<>(lines.pushed);
        counted.values().forEach(trained::addAll);
        TreeMap<Numbered, Integer> times = new TreeMap<>();
        for (Numbered n : trained) times.merge(n, 1, Integer::sum);
        return new Account(
                lines.begins.size(),
                counted.size() + lines.pushed.size(),
                again,
                missing,
                times.size(),
                lost(times, lines.sizes),
                times.entrySet().stream()
                        .filter(t -> t.getValue() > 1)
                        .map(Map.Entry::getKey)
                        .toList());
    }

    private static long first(Lines lines) {
        return lines.begins.values().stream().mapToLong(Long::longValue).min().orElse(0);
    }

    /** Batches between the first and the last that were trained on, and of epochs that have ended, that were not. */
    private static List<Numbered> lost(TreeMap<Numbered, Integer> times, TreeMap<Long, Long> sizes) {
        List<Numbered> lost = new ArrayList<>();
        if (times.isEmpty()) return lost;
        Numbered first = times.firstKey(), last = times.lastKey();
        for (long e = first.epoch; e <= last.epoch; e++) {
            long size = sizes.getOrDefault(e, e == last.epoch ? last.batch + 1 : Long.MAX_VALUE);
            if (size == Long.MAX_VALUE) { // nobody lived to say how many it has
                Numbered of = times.lowerKey(new Numbered(e + 1, 0));
                size = of == null || of.epoch != e ? 1 : of.batch + 1;
            }
            for (long b = e == first.epoch ? first.batch : 0; b < size; b++)
                if (!times.containsKey(new Numbered(e, b))) lost.add(new Numbered(e, b));
        }
        return lost;
    }
}
