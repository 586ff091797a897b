package dev.oxbow.observe.run;

import dev.oxbow.wire.event.EventFile;
import dev.oxbow.wire.proto.Event;
import dev.oxbow.wire.proto.Summary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event files of one process, read as they grow. Many bytes are read once: the index of them is kept beside the files, where
 * that is allowed, and the next one to look reads on behind it.
 */
public final class WorkerLog {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerLog.class);

    /** From how many bytes on an index is worth a file. */
    static final long WORTH = 4 << 20;

    /** The most bytes that a look at a part of a curve reads. */
    private static final long LOOK = 48 << 20;

    private static final int RECENT = 50;

    private final Path folder;
    private final String name;
    private WorkerIndex index;
    private List<Path> files = List.of();
    private long unsaved;
    private long size;
    private String damage = "";

    WorkerLog(Path folder, String name) {
        this.folder = folder;
        this.name = name;
        this.index = WorkerIndex.kept(folder);
    }

    /** What it is called in its run: {@code worker-0}, {@code worker-1}, ... */
    public String name() {
        return name;
    }

    /** Reads about so many bytes that are new; how many there were. */
    synchronized long scan(long budget) throws IOException {
        files = eventFiles();
        forgetOthers();
        long before = scanned();
        size = 0;
        for (int i = 0; i < files.size(); i++) {
            Path f = files.get(i);
            int number = i;
            size += Files.size(f);
            long from = index.files.getOrDefault(f.getFileName().toString(), 0L);
            long end = from + Math.max(0, budget - (scanned() - before));
            if (end == from || !damage.isEmpty()) continue;
            try {
                long to = RecordTail.read(f, from, (at, e) -> {
                    index.add(e, number, at);
                    return at < end;
                });
                index.files.put(f.getFileName().toString(), to);
            } catch (RecordTail.DamagedFileException e) {
                damage = e.getMessage();
                LOG.warn("{}", damage);
            }
        }
        long read = scanned() - before;
        unsaved += read;
        if (unsaved >= WORTH && read < budget) save();
        return read;
    }

    private List<Path> eventFiles() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(f -> f.getFileName().toString().contains(EventFile.PREFIX) && Files.isRegularFile(f))
                    .sorted()
                    .toList();
        }
    }

    /** Begins anew where files are gone, became shorter, or came in between: places count files. */
    private void forgetOthers() throws IOException {
        List<String> known = new ArrayList<>(index.files.keySet());
        boolean same = known.size() <= files.size();
        for (int i = 0; i < known.size() && same; i++) {
            Path f = files.get(i);
            same = f.getFileName().toString().equals(known.get(i)) && Files.size(f) >= index.files.get(known.get(i));
        }
        if (same) return;
        index = new WorkerIndex();
        damage = "";
    }

    private void save() {
        unsaved = index.keep(folder) ? 0 : Long.MIN_VALUE; // of a folder that is for reading only
    }

    /** The index of all there is, which must not be many bytes more than are known; null where it is. */
    synchronized WorkerIndex whole(long most) throws IOException {
        scan(most);
        return scanned() == size && damage.isEmpty() ? index : null;
    }

    private long scanned() {
        return index.files.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The share of the files that was read. */
    public synchronized double progress() {
        return size == 0 ? 1 : Math.min(1, (double) scanned() / size);
    }

    public synchronized long size() {
        return size;
    }

    /** What is wrong with a file; empty where nothing is. */
    public synchronized String damage() {
        return damage;
    }

    public synchronized Set<String> scalars() {
        return new TreeSet<>(index.scalars.keySet());
    }

    /** The newest value under a tag; NaN where there is none. */
    public synchronized double last(String tag) {
        Series s = index.scalars.get(tag);
        return s == null ? Double.NaN : s.last();
    }

    /** The mean of the newest values under a tag; NaN where there is none. */
    public synchronized double recent(String tag, int wanted) {
        Series s = index.scalars.get(tag);
        return s == null ? Double.NaN : s.recent(wanted);
    }

    /** The examples of a step, in the median of the newest; NaN where they are not counted. */
    public synchronized double examplesPerStep() {
        Series rates = index.scalars.get("rate/examples"), times = index.scalars.get("time/step_ms");
        if (rates == null || times == null) return Double.NaN;
        List<Series.Point> r = rates.range(0, Long.MAX_VALUE, Series.MOST),
                t = times.range(0, Long.MAX_VALUE, Series.MOST);
        int n = Math.min(r.size(), t.size()), from = Math.max(0, n - RECENT);
        double[] rows = IntStream.range(from, n)
                .mapToDouble(i -> r.get(i).mean() * t.get(i).mean() / 1e3)
                .sorted()
                .toArray();
        return rows.length == 0 ? Double.NaN : rows[rows.length / 2];
    }

    /** Of recent steps, by their mean time. */
    public double examplesPerSecond() {
        double rate = examplesPerStep() / recent("time/step_ms", RECENT) * 1e3;
        return Double.isFinite(rate) ? rate : Double.NaN;
    }

    public synchronized long points(String tag) {
        Series s = index.scalars.get(tag);
        return s == null ? 0 : s.points();
    }

    /** At most so many points of a curve in a range of steps; where the index is too coarse for that, from the files. */
    public List<Series.Point> points(String tag, long from, long to, int wanted) throws IOException {
        return points(tag, from, to, wanted, 1);
    }

    /** The same for one of so many curves that are asked for at once, which share what may be read of files. */
    public List<Series.Point> points(String tag, long from, long to, int wanted, int curves) throws IOException {
        long[] begin;
        synchronized (this) {
            Series s = index.scalars.get(tag);
            if (s == null) return List.of();
            List<Series.Point> known = s.range(from, to, wanted);
            if (s.each() == 1 || wanted > 1 && known.size() * 2 >= wanted) return known;
            begin = s.place(from);
        }
        Series fine = new Series();
        long left = LOOK / Math.max(1, curves);
        for (int f = (int) begin[0]; f < files().size() && left > 0; f++) {
            int number = f;
            long start = f == begin[0] ? begin[1] : 0, end = start + left;
            long[] at = {start};
            boolean[] beyond = {false};
            RecordTail.read(files().get(f), start, (offset, e) -> {
                at[0] = offset;
                beyond[0] = e.getStep() > to && e.hasSummary();
                if (e.getStep() >= from && e.getStep() <= to) pick(fine, tag, e, number, offset);
                return offset < end && !beyond[0];
            });
            left -= at[0] - start;
            if (beyond[0]) break;
        }
        synchronized (this) {
            // a range that is too long to be read is told as coarsely as it is known
            return left > 0
                    ? fine.range(from, to, wanted)
                    : index.scalars.get(tag).range(from, to, wanted);
        }
    }

    private static void pick(Series into, String tag, Event e, int file, long offset) {
        for (Summary.Value v : e.getSummary().getValueList())
            if (v.getTag().equals(tag) && v.hasSimpleValue())
                into.add(e.getStep(), e.getWallTime(), v.getSimpleValue(), file, offset);
    }

    private synchronized List<Path> files() {
        return files;
    }

    private synchronized Set<String> tags(WorkerIndex.Kind kind) {
        return new TreeSet<>(index.others.getOrDefault(kind, Map.of()).keySet());
    }

    public Set<String> histograms() {
        return tags(WorkerIndex.Kind.HISTOGRAM);
    }

    public Set<String> images() {
        return tags(WorkerIndex.Kind.IMAGE);
    }

    public Set<String> audio() {
        return tags(WorkerIndex.Kind.AUDIO);
    }

    public Set<String> texts() {
        return tags(WorkerIndex.Kind.TEXT);
    }

    private synchronized List<Place> places(WorkerIndex.Kind kind, String tag) {
        Places p = index.others.getOrDefault(kind, Map.of()).get(tag);
        return p == null ? List.of() : p.all();
    }

    /** Where histograms of a tag are, the oldest first, thinned. */
    public List<Place> histograms(String tag) {
        return places(WorkerIndex.Kind.HISTOGRAM, tag);
    }

    public List<Place> images(String tag) {
        return places(WorkerIndex.Kind.IMAGE, tag);
    }

    public List<Place> audio(String tag) {
        return places(WorkerIndex.Kind.AUDIO, tag);
    }

    public List<Place> texts(String tag) {
        return places(WorkerIndex.Kind.TEXT, tag);
    }

    public List<Place> traces() {
        return places(WorkerIndex.Kind.TRACE, "trace");
    }

    /** Where the graphs are; the newest is the last. */
    public List<Place> graphs() {
        return places(WorkerIndex.Kind.GRAPH, "graph");
    }

    /** The record at a place of this log; null where the file has changed. */
    public Event record(Place p) throws IOException {
        List<Path> all = files();
        return p.file() < all.size() ? RecordTail.one(all.get(p.file()), p.offset()) : null;
    }

    /** The value of a tag in the record at a place; null where there is none. */
    public Summary.Value value(Place p, String tag) throws IOException {
        Event e = record(p);
        if (e == null) return null;
        return e.getSummary().getValueList().stream()
                .filter(v -> v.getTag().equals(tag))
                .findFirst()
                .orElse(null);
    }

    public synchronized Map<String, String> settings() {
        return Map.copyOf(index.settings);
    }

    /** A line of the log: when, its level as TensorFlow's, and its text. */
    public record Line(double seconds, int level, String text) {}

    /** The newest lines of the log, the oldest of them first. */
    public synchronized List<Line> lines() {
        return index.lines.stream()
                .map(l -> new Line(l.seconds(), l.level(), l.text()))
                .toList();
    }

    /** The highest step; -1 before the first. */
    public synchronized long step() {
        return index.step;
    }

    /** When its first record was made, in seconds since 1970; NaN before there is one. */
    public synchronized double began() {
        return index.first;
    }

    /** When its newest record was made. */
    public synchronized double seen() {
        return index.last;
    }

    /** Whether it said that it begins, as our own runs do: these say when they end, too. */
    public synchronized boolean hasBegun() {
        return index.started;
    }

    /** Why it ended, empty for well; null where it has not. */
    public synchronized String ended() {
        return index.ended ? index.why : null;
    }

    /** How many values were left out, since there are too many tags. */
    public synchronized long dropped() {
        return index.dropped;
    }
}
