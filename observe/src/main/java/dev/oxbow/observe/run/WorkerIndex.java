package dev.oxbow.observe.run;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.wire.WholeFile;
import dev.oxbow.wire.proto.Event;
import dev.oxbow.wire.proto.HParamsPluginData;
import dev.oxbow.wire.proto.SessionLog;
import dev.oxbow.wire.proto.Summary;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is known of the event files of one process. Its size is bounded, whatever theirs is. */
final class WorkerIndex {
    static final String FILE = ".oxbow-index";

    /** The most tags of each kind, and the most lines of the log. */
    static final int TAGS = 5_000, LINES = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(WorkerIndex.class);
    private static final int VERSION = 1;
    private static final int LONGEST_LINE = 4_000;

    final Map<String, Long> files = new LinkedHashMap<>();
    final Map<String, Series> scalars = new TreeMap<>();
    final Map<Kind, Map<String, Places>> others = new TreeMap<>();
    final Map<String, String> settings = new LinkedHashMap<>();
    final Deque<Line> lines = new ArrayDeque<>();
    double first = Double.NaN;
    double last = Double.NaN;
    long step = -1;
    boolean started;
    boolean ended;
    String why = "";
    long dropped;

    /** What a place points to. */
    enum Kind {
        HISTOGRAM,
        IMAGE,
        AUDIO,
        TEXT,
        TENSOR,
        TRACE,
        GRAPH
    }

    /** A line of the log. */
    record Line(double seconds, int level, String text) {}

    void add(Event e, int file, long offset) {
        if (Double.isNaN(first)) first = e.getWallTime();
        last = Double.isNaN(last) ? e.getWallTime() : Math.max(last, e.getWallTime());
        switch (e.getWhatCase()) {
            case SUMMARY -> {
                step = Math.max(step, e.getStep());
                for (Summary.Value v : e.getSummary().getValueList()) value(e, v, file, offset);
            }
            case GRAPH_DEF -> place(Kind.GRAPH, "graph", e, file, offset);
            case TAGGED_RUN_METADATA -> place(Kind.TRACE, "trace", e, file, offset);
            case LOG_MESSAGE ->
                line(
                        e.getWallTime(),
                        e.getLogMessage().getLevel(),
                        e.getLogMessage().getMessage());
            case SESSION_LOG -> session(e);
            case FILE_VERSION, META_GRAPH_DEF, WHAT_NOT_SET -> {}
        }
    }

    private void session(Event e) {
        SessionLog s = e.getSessionLog();
        if (s.getStatus() == SessionLog.SessionStatus.START) {
            started = true;
            ended = false;
            why = "";
            line(e.getWallTime(), 20, "the run begins");
        }
        if (s.getStatus() == SessionLog.SessionStatus.STOP) {
            ended = true;
            why = s.getMsg();
            line(e.getWallTime(), why.isEmpty() ? 20 : 40, why.isEmpty() ? "the run has ended" : why);
        }
    }

    private void line(double seconds, int level, String text) {
        lines.add(new Line(
                seconds, level, text.length() > LONGEST_LINE ? text.substring(0, LONGEST_LINE) + "..." : text));
        if (lines.size() > LINES) lines.removeFirst();
    }

    private void value(Event e, Summary.Value v, int file, long offset) {
        switch (v.getValueCase()) {
            case SIMPLE_VALUE -> scalar(v.getTag(), e, v.getSimpleValue(), file, offset);
            case HISTO -> place(Kind.HISTOGRAM, v.getTag(), e, file, offset);
            case IMAGE -> place(Kind.IMAGE, v.getTag(), e, file, offset);
            case AUDIO -> place(Kind.AUDIO, v.getTag(), e, file, offset);
            case TENSOR -> tensor(e, v, file, offset);
            case OBSOLETE_OLD_STYLE_HISTOGRAM, VALUE_NOT_SET -> {}
        }
    }

    private void tensor(Event e, Summary.Value v, int file, long offset) {
        switch (v.getMetadata().getPluginData().getPluginName()) {
            case "text" -> place(Kind.TEXT, v.getTag(), e, file, offset);
            case "hparams" -> settings(v);
            case "scalars" -> {
                if (v.getTensor().getFloatValCount() > 0)
                    scalar(v.getTag(), e, v.getTensor().getFloatVal(0), file, offset);
                else if (v.getTensor().getTensorContent().size() == Float.BYTES)
                    scalar(
                            v.getTag(),
                            e,
                            Float.intBitsToFloat(Integer.reverseBytes(v.getTensor()
                                    .getTensorContent()
                                    .asReadOnlyByteBuffer()
                                    .getInt())),
                            file,
                            offset);
            }
            default -> place(Kind.TENSOR, v.getTag(), e, file, offset);
        }
    }

    private void settings(Summary.Value v) {
        try {
            HParamsPluginData d =
                    HParamsPluginData.parseFrom(v.getMetadata().getPluginData().getContent());
            if (!d.hasSessionStartInfo()) return;
            new TreeMap<>(d.getSessionStartInfo().getHparamsMap()).forEach((name, value) -> {
                String text = switch (value.getKindCase()) {
                    case NUMBER_VALUE -> number(value.getNumberValue());
                    case STRING_VALUE -> value.getStringValue();
                    case BOOL_VALUE -> Boolean.toString(value.getBoolValue());
                    case KIND_NOT_SET -> "";
                };
                if (settings.size() < TAGS) settings.put(name, text);
            });
        } catch (InvalidProtocolBufferException e) {
            dropped++;
        }
    }

    private static String number(double v) {
        return v == Math.rint(v) && Math.abs(v) < 1e15 ? Long.toString((long) v) : Double.toString(v);
    }

    private void scalar(String tag, Event e, double value, int file, long offset) {
        Series s = scalars.get(tag);
        if (s == null && scalars.size() >= TAGS) {
            dropped++;
            return;
        }
        if (s == null) scalars.put(tag, s = new Series());
        s.add(e.getStep(), e.getWallTime(), value, file, offset);
    }

    private void place(Kind kind, String tag, Event e, int file, long offset) {
        Map<String, Places> of = others.computeIfAbsent(kind, _ -> new TreeMap<>());
        Places p = of.get(tag);
        if (p == null && of.size() >= TAGS) {
            dropped++;
            return;
        }
        if (p == null) of.put(tag, p = new Places());
        p.add(new Place(e.getStep(), e.getWallTime(), file, offset));
    }

    /** The index that is kept in a folder; a new one where there is none that can be read. */
    static WorkerIndex kept(Path folder) {
        Path file = folder.resolve(FILE);
        if (!Files.isRegularFile(file)) return new WorkerIndex();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 16))) {
            return read(in);
        } catch (IOException | RuntimeException e) {
            LOG.info("{} is made anew: {}", file, e.toString());
            return new WorkerIndex();
        }
    }

    /** Keeps it in a folder; false where that can not be written. Writer and reader of a run may be one process. */
    boolean keep(Path folder) {
        synchronized (WorkerIndex.class) {
            try {
                WholeFile.write(folder.resolve(FILE), to -> {
                    DataOutputStream out = new DataOutputStream(new BufferedOutputStream(to, 1 << 16));
                    write(out);
                    out.flush();
                });
                return true;
            } catch (RuntimeException e) {
                LOG.debug("{} keeps no index: {}", folder, e.toString());
                return false;
            }
        }
    }

    private void write(DataOutput out) throws IOException {
        out.writeInt(VERSION);
        out.writeInt(files.size());
        for (var f : files.entrySet()) {
            out.writeUTF(f.getKey());
            out.writeLong(f.getValue());
        }
        out.writeInt(scalars.size());
        for (var s : scalars.entrySet()) {
            out.writeUTF(s.getKey());
            s.getValue().write(out);
        }
        out.writeInt(others.size());
        for (var k : others.entrySet()) {
            out.writeInt(k.getKey().ordinal());
            out.writeInt(k.getValue().size());
            for (var p : k.getValue().entrySet()) {
                out.writeUTF(p.getKey());
                p.getValue().write(out);
            }
        }
        out.writeInt(settings.size());
        for (var s : settings.entrySet()) {
            out.writeUTF(s.getKey());
            out.writeUTF(s.getValue());
        }
        out.writeInt(lines.size());
        for (Line l : lines) {
            out.writeDouble(l.seconds);
            out.writeInt(l.level);
            out.writeUTF(l.text);
        }
        out.writeDouble(first);
        out.writeDouble(last);
        out.writeLong(step);
        out.writeBoolean(started);
        out.writeBoolean(ended);
        out.writeUTF(why);
        out.writeLong(dropped);
    }

    private static WorkerIndex read(DataInput in) throws IOException {
        WorkerIndex i = new WorkerIndex();
        if (in.readInt() != VERSION) throw new IOException("an index of another version");
        for (int n = in.readInt(); n > 0; n--) i.files.put(in.readUTF(), in.readLong());
        for (int n = in.readInt(); n > 0; n--) i.scalars.put(in.readUTF(), Series.read(in));
        for (int n = in.readInt(); n > 0; n--) {
            Map<String, Places> of = new TreeMap<>();
            i.others.put(Kind.values()[in.readInt()], of);
            for (int m = in.readInt(); m > 0; m--) of.put(in.readUTF(), Places.read(in));
        }
        for (int n = in.readInt(); n > 0; n--) i.settings.put(in.readUTF(), in.readUTF());
        for (int n = in.readInt(); n > 0; n--) i.lines.add(new Line(in.readDouble(), in.readInt(), in.readUTF()));
        i.first = in.readDouble();
        i.last = in.readDouble();
        i.step = in.readLong();
        i.started = in.readBoolean();
        i.ended = in.readBoolean();
        i.why = in.readUTF();
        i.dropped = in.readLong();
        return i;
    }
}
