package dev.oxbow.wire.trace;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.stream.JsonWriter;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.ClockOffset;
import dev.oxbow.wire.proto.RunMetadata;
import dev.oxbow.wire.proto.StepStats;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A step as a file for Perfetto and Chrome's tracing: events in JSON, a process for each device, a flow for each transfer. */
public final class TraceFile {

    /*
     * Times of the format are microseconds, with fractions; they are counted from the first span, whose time stands in
     * otherData, so that doubles keep nanoseconds. Tracks of threads have the numbers of the threads, those of transfers and
     * of what overlaps on one thread (a wait holds none) come behind. A flow begins at the send and ends within the receive,
     * one nanosecond before its end, so that it binds to that slice whatever follows it.
     */

    private static final long TRANSFERS = 1L << 33;
    private static final long MORE = 1L << 34;

    private TraceFile() {}

    public static void write(StepStats stats, Path file) throws IOException {
        try (Writer w = Files.newBufferedWriter(file)) {
            write(stats, w);
        }
    }

    public static void write(StepStats stats, Writer to) throws IOException {
        List<Span> spans = Spans.of(stats);
        long origin = spans.stream().mapToLong(Span::ready).min().orElse(0);
        JsonWriter out = new JsonWriter(to);
        out.beginObject().name("displayTimeUnit").value("ns");
        out.name("otherData").beginObject().name("origin").value(Long.toString(origin));
        for (ClockOffset c : stats.getClockList())
            out.name("clock of " + c.getTask())
                    .value("%d ns taken, %s".formatted(c.getOffsetNanos(), error(c.getErrorNanos())));
        out.endObject().name("traceEvents").beginArray();
        Map<String, List<Span>> devices = new LinkedHashMap<>();
        for (Span s : spans)
            devices.computeIfAbsent(s.device(), _ -> new ArrayList<>()).add(s);
        Map<String, Integer> flows = new HashMap<>();
        for (Span s : spans) if (s.kind() == Span.Kind.RECEIVE) flows.putIfAbsent(s.key(), flows.size() + 1);
        Map<String, Map<Long, String>> threads = new HashMap<>();
        stats.getDevStatsList().forEach(d -> {
            Map<Long, String> names = threads.computeIfAbsent(d.getDevice(), _ -> new HashMap<>());
            d.getThreadNamesMap().forEach((t, name) -> names.put(Integer.toUnsignedLong(t), name));
        });
        int pid = 0;
        for (var d : devices.entrySet())
            device(out, ++pid, d.getKey(), d.getValue(), threads.getOrDefault(d.getKey(), Map.of()), flows, origin);
        out.endArray().endObject();
        out.flush();
    }

    private static String error(long nanos) {
        return nanos < 0 ? "not measured" : "wrong by at most %d ns".formatted(nanos);
    }

    private static void device(
            JsonWriter out,
            int pid,
            String name,
            List<Span> spans,
            Map<Long, String> threads,
            Map<String, Integer> flows,
            long origin)
            throws IOException {
        named(out, "process_name", pid, 0, name);
        Map<Long, List<Span>> tracks = new LinkedHashMap<>();
        for (Span s : spans) {
            long track = s.kind() == Span.Kind.RUN ? s.thread() : TRANSFERS;
            tracks.computeIfAbsent(track, _ -> new ArrayList<>()).add(s);
        }
        for (var t : tracks.entrySet()) {
            List<Span> here = t.getValue();
            int[] lanes = Lanes.of(here);
            String track = t.getKey() == TRANSFERS ? "transfers" : threads.getOrDefault(t.getKey(), "thread");
            for (int i = 0, named = 0; i < lanes.length; i++) {
                long tid = lanes[i] == 0 ? t.getKey() : MORE + t.getKey() * 1_000 + lanes[i];
                if (lanes[i] == named) {
                    named(out, "thread_name", pid, tid, named == 0 ? track : track + ", beside " + named);
                    named++;
                }
                slice(out, pid, tid, here.get(i), flows.get(here.get(i).key()), origin);
            }
        }
    }

    private static void named(JsonWriter out, String what, int pid, long tid, String name) throws IOException {
        out.beginObject().name("ph").value("M").name("name").value(what);
        out.name("pid").value(pid).name("tid").value(tid);
        out.name("args").beginObject().name("name").value(name).endObject().endObject();
    }

    private static void slice(JsonWriter out, int pid, long tid, Span s, Integer flow, long origin) throws IOException {
        String name = s.kind() == Span.Kind.RUN
                ? String.join(" + ", s.ops())
                : (s.kind() == Span.Kind.SEND ? "send " : "receive ") + s.tensor();
        begin(out, "X", name, s.kind().name().toLowerCase(), pid, tid, s.from() - origin);
        out.name("dur").value(s.length() / 1e3).name("args").beginObject();
        out.name("nodes").beginArray();
        for (String n : s.nodes()) out.value(n);
        out.endArray().name("ops").beginArray();
        for (String o : s.ops()) out.value(o);
        out.endArray();
        if (s.kind() == Span.Kind.RUN) out.name("queued").value((s.from() - s.ready()) / 1e3);
        else
            out.name("key")
                    .value(s.key())
                    .name("bytes")
                    .value(s.bytes())
                    .name("peer")
                    .value(s.peer());
        out.endObject().endObject();
        if (s.kind() == Span.Kind.RUN || flow == null) return;
        boolean sends = s.kind() == Span.Kind.SEND;
        long at = sends ? s.from() : Math.max(s.from(), s.to() - 1);
        begin(out, sends ? "s" : "f", "transfer", "transfer", pid, tid, at - origin);
        if (!sends) out.name("bp").value("e");
        out.name("id").value(flow).endObject();
    }

    private static void begin(JsonWriter out, String ph, String name, String kind, int pid, long tid, long at)
            throws IOException {
        out.beginObject()
                .name("ph")
                .value(ph)
                .name("name")
                .value(name)
                .name("cat")
                .value(kind);
        out.name("pid").value(pid).name("tid").value(tid).name("ts").value(at / 1e3);
    }

    /** The spans of a file: one of ours, or TensorFlow's RunMetadata as bytes. */
    public static List<Span> read(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        if (bytes.length == 0 || bytes[0] != '{')
            return Spans.of(RunMetadata.parseFrom(bytes).getStepStats());
        try {
            return spans(JsonParser.parseString(new String(bytes, StandardCharsets.UTF_8))
                    .getAsJsonObject());
        } catch (JsonParseException | IllegalStateException | NumberFormatException | NullPointerException e) {
            throw new OxbowException(DATA_LOSS, "trace: %s is none that was written here: %s".formatted(file, e), e);
        }
    }

    private static List<Span> spans(JsonObject o) {
        long origin =
                Long.parseLong(o.getAsJsonObject("otherData").get("origin").getAsString());
        Map<Integer, String> devices = new HashMap<>();
        List<Span> all = new ArrayList<>();
        for (JsonElement x : o.getAsJsonArray("traceEvents")) {
            JsonObject e = x.getAsJsonObject();
            int pid = e.get("pid").getAsInt();
            if (e.get("name").getAsString().equals("process_name"))
                devices.put(pid, e.getAsJsonObject("args").get("name").getAsString());
            if (e.get("ph").getAsString().equals("X")) all.add(span(e, devices.get(pid), origin));
        }
        return all;
    }

    private static Span span(JsonObject e, String device, long origin) {
        JsonObject args = e.getAsJsonObject("args");
        long from = origin + Math.round(e.get("ts").getAsDouble() * 1e3);
        long length = Math.round(e.get("dur").getAsDouble() * 1e3);
        long queued = args.has("queued") ? Math.round(args.get("queued").getAsDouble() * 1e3) : 0;
        boolean transfer = args.has("key");
        return new Span(
                Span.Kind.valueOf(e.get("cat").getAsString().toUpperCase()),
                device,
                e.get("tid").getAsLong(),
                strings(args.getAsJsonArray("nodes")),
                strings(args.getAsJsonArray("ops")),
                from - queued,
                from,
                from + length,
                transfer ? args.get("key").getAsString() : "",
                transfer ? args.get("bytes").getAsLong() : 0);
    }

    private static List<String> strings(JsonArray a) {
        List<String> all = new ArrayList<>();
        for (JsonElement e : a) all.add(e.getAsString());
        return all;
    }
}
