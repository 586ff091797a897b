package dev.oxbow.observe.dashboard;

import com.google.gson.stream.JsonWriter;
import dev.oxbow.observe.diagnosis.Diagnosis;
import dev.oxbow.observe.diagnosis.Shares;
import dev.oxbow.observe.run.Place;
import dev.oxbow.observe.run.Requests;
import dev.oxbow.observe.run.Run;
import dev.oxbow.observe.run.Runs;
import dev.oxbow.observe.run.Series;
import dev.oxbow.observe.run.WorkerLog;
import dev.oxbow.wire.proto.HistogramProto;
import dev.oxbow.wire.proto.Summary;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the page asks for, as JSON; docs/dashboard.md says what each answer holds. */
final class Api {
    private static final int MOST_POINTS = 2_000, MOST_RUNS = 200, RECENT = 50;

    private final Runs runs;
    private final String token;
    private final GraphView graphs = new GraphView();

    Api(Runs runs, String token) {
        this.runs = runs;
        this.token = token;
    }

    /** Writes an answer. */
    interface Body {
        void write(JsonWriter out) throws IOException;
    }

    static Site.Answer json(Body body) {
        StringWriter text = new StringWriter();
        try (JsonWriter out = new JsonWriter(text)) {
            out.setHtmlSafe(true);
            body.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Site.Answer.json(text.toString());
    }

    Site.Answer answer(String path, Query q) throws IOException {
        return switch (path) {
            case "/api/runs" -> json(this::runs);
            case "/api/run" -> json(out -> run(out, run(q)));
            case "/api/series" -> json(out -> series(out, q));
            case "/api/histograms" -> json(out -> histograms(out, q));
            case "/api/trace" -> json(out -> TraceView.write(out, run(q), q));
            case "/api/graph" -> json(out -> graphs.write(out, run(q), q.text("scope", "")));
            case "/api/media" -> json(out -> media(out, q));
            case "/api/log" -> json(out -> log(out, run(q)));
            case "/api/diagnosis" -> json(out -> diagnosis(out, run(q)));
            case "/api/image", "/api/audio" -> binary(path.endsWith("audio"), q);
            default -> throw new Refusal(404, "there is nothing here");
        };
    }

    private Run run(Query q) {
        return named(q.text("run"));
    }

    private Run named(String name) {
        Run r = runs.get(name);
        if (r == null) throw new Refusal(404, "there is no such run");
        return r;
    }

    private static WorkerLog worker(Run r, Query q) {
        WorkerLog w = r.worker(q.text("worker", "worker-0"));
        if (w == null) throw new Refusal(404, "the run has no such worker");
        return w;
    }

    private static double now() {
        return System.currentTimeMillis() / 1000.0;
    }

    private void runs(JsonWriter out) throws IOException {
        out.beginObject().name("now").value(now()).name("truncated").value(runs.isTruncated());
        out.name("runs").beginArray();
        for (Run r : runs.all()) {
            WorkerLog w = r.first();
            out.beginObject();
            out.name("name").value(r.name());
            out.name("state").value(r.state(now()).name());
            out.name("step").value(w.step());
            number(out, "loss", w.recent("train/loss", RECENT));
            number(out, "began", w.began());
            number(out, "seen", w.seen());
            out.name("workers").value(r.workers().size());
            out.name("progress").value(w.progress());
            out.name("bytes")
                    .value(r.workers().stream().mapToLong(WorkerLog::size).sum());
            out.endObject();
        }
        out.endArray().endObject();
    }

    /** A number, or null where there is none: JSON knows no others. */
    static void number(JsonWriter out, String name, double v) throws IOException {
        out.name(name);
        if (Double.isFinite(v)) out.value(v);
        else out.nullValue();
    }

    private static void run(JsonWriter out, Run r) throws IOException {
        WorkerLog first = r.first();
        out.beginObject();
        out.name("name").value(r.name()).name("state").value(r.state(now()).name());
        number(out, "began", first.began());
        out.name("deadline").value(Run.LOST_SECONDS);
        out.name("settings").beginObject();
        for (var s : new TreeMap<>(first.settings()).entrySet())
            out.name(s.getKey()).value(s.getValue());
        out.endObject();
        names(out, "scalars", first.scalars());
        names(out, "histograms", first.histograms());
        names(out, "images", first.images());
        names(out, "audio", first.audio());
        names(out, "texts", first.texts());
        out.name("hasGraph").value(!first.graphs().isEmpty());
        out.name("workers").beginArray();
        for (WorkerLog w : r.workers()) worker(out, w);
        out.endArray().endObject();
    }

    private static void names(JsonWriter out, String name, Iterable<String> all) throws IOException {
        out.name(name).beginArray();
        for (String s : all) out.value(s);
        out.endArray();
    }

    private static void worker(JsonWriter out, WorkerLog w) throws IOException {
        out.beginObject();
        out.name("name").value(w.name());
        out.name("state").value(Run.state(w, now()).name());
        out.name("step").value(w.step());
        number(out, "seen", w.seen());
        number(out, "stepMillis", w.recent("time/step_ms", RECENT));
        number(out, "inputMillis", w.recent("time/input_ms", RECENT));
        number(out, "examplesPerSecond", w.recent("rate/examples", RECENT));
        number(out, "memoryBytes", w.last("health/memory_bytes"));
        number(out, "heapBytes", w.last("health/heap_bytes"));
        number(out, "cpu", w.last("health/cpu"));
        number(out, "lostEvents", w.last("health/lost_events"));
        out.name("dropped").value(w.dropped());
        out.name("why").value(w.ended());
        out.name("damage").value(w.damage());
        out.name("waits").beginObject();
        for (String tag : w.scalars())
            if (tag.startsWith("health/waited_for_")) number(out, tag.replaceAll("\\D+", ""), w.last(tag));
        out.endObject().endObject();
    }

    private void series(JsonWriter out, Query q) throws IOException {
        String tag = q.text("tag");
        long from = q.number("from", 0, 0, Long.MAX_VALUE), to = q.number("to", Long.MAX_VALUE, 0, Long.MAX_VALUE);
        List<String> names = q.all("run");
        if (names.size() > MOST_RUNS) throw new Refusal(400, "more than " + MOST_RUNS + " runs at once");
        int points = (int) q.number("points", 500, 1, MOST_POINTS);
        out.beginObject().name("tag").value(tag).name("series").beginArray();
        for (String name : names) {
            WorkerLog w = worker(named(name), q);
            out.beginObject().name("run").value(name).name("count").value(w.points(tag));
            out.name("points").beginArray();
            for (Series.Point p : w.points(tag, from, to, points)) {
                out.beginArray().value(p.step()).value(p.seconds());
                for (double v : new double[] {p.mean(), p.least(), p.largest()})
                    if (Double.isFinite(v)) out.value(Math.abs(v) < 1e-30 ? 0 : (float) v);
                    else out.nullValue();
                out.endArray();
            }
            out.endArray().endObject();
        }
        out.endArray().endObject();
    }

    private void histograms(JsonWriter out, Query q) throws IOException {
        Run r = run(q);
        WorkerLog w = worker(r, q);
        String tag = q.text("tag");
        List<Place> all = w.histograms(tag);
        int most = (int) q.number("points", 40, 1, 200), join = Math.max(1, Math.ceilDiv(all.size(), most));
        out.beginObject().name("tag").value(tag).name("histograms").beginArray();
        for (int i = (all.size() - 1) % join; i < all.size(); i += join) {
            Summary.Value v = w.value(all.get(i), tag);
            if (v == null || !v.hasHisto()) continue;
            HistogramProto h = v.getHisto();
            out.beginObject().name("step").value(all.get(i).step());
            number(out, "min", h.getMin());
            number(out, "max", h.getMax());
            number(out, "mean", h.getNum() == 0 ? Double.NaN : h.getSum() / h.getNum());
            number(out, "deviation", deviation(h));
            out.name("limits").beginArray();
            for (double l : h.getBucketLimitList()) out.value(Math.clamp(l, -1e300, 1e300));
            out.endArray().name("counts").beginArray();
            for (double c : h.getBucketList()) out.value(c);
            out.endArray().endObject();
        }
        out.endArray().endObject();
    }

    private static double deviation(HistogramProto h) {
        double mean = h.getSum() / h.getNum();
        return Math.sqrt(Math.max(0, h.getSumSquares() / h.getNum() - mean * mean));
    }

    /** Pictures, sounds and texts of a tag: where they are, or what they say. */
    private void media(JsonWriter out, Query q) throws IOException {
        WorkerLog w = worker(run(q), q);
        String tag = q.text("tag");
        Map<String, List<Place>> kinds = Map.of("image", w.images(tag), "audio", w.audio(tag), "text", w.texts(tag));
        out.beginObject().name("tag").value(tag);
        for (var k : kinds.entrySet()) {
            out.name(k.getKey()).beginArray();
            List<Place> all = k.getValue();
            for (int i = Math.max(0, all.size() - 50); i < all.size(); i++) {
                out.beginObject()
                        .name("index")
                        .value(i)
                        .name("step")
                        .value(all.get(i).step());
                if (k.getKey().equals("text")) out.name("text").value(text(w.value(all.get(i), tag)));
                out.endObject();
            }
            out.endArray();
        }
        out.endObject();
    }

    private static String text(Summary.Value v) {
        return v == null || v.getTensor().getStringValCount() == 0
                ? ""
                : v.getTensor().getStringVal(0).toString(StandardCharsets.UTF_8);
    }

    private Site.Answer binary(boolean audio, Query q) throws IOException {
        WorkerLog w = worker(run(q), q);
        String tag = q.text("tag");
        List<Place> all = audio ? w.audio(tag) : w.images(tag);
        int index = (int) q.number("index", 0, 0, Integer.MAX_VALUE);
        Summary.Value v = index < all.size() ? w.value(all.get(index), tag) : null;
        if (v == null) throw new Refusal(404, "there is no such record");
        // the type is ours, not the file's: what it holds must never be taken for a page
        return audio
                ? new Site.Answer(
                        "audio/wav", v.getAudio().getEncodedAudioString().toByteArray())
                : new Site.Answer(
                        "image/png", v.getImage().getEncodedImageString().toByteArray());
    }

    private static void log(JsonWriter out, Run r) throws IOException {
        out.beginObject().name("lines").beginArray();
        for (WorkerLog w : r.workers()) {
            for (WorkerLog.Line l : w.lines()) {
                out.beginObject().name("worker").value(w.name());
                number(out, "seconds", l.seconds());
                out.name("level").value(l.level()).name("text").value(l.text()).endObject();
            }
        }
        out.endArray().endObject();
    }

    private static void diagnosis(JsonWriter out, Run r) throws IOException {
        Diagnosis d = Diagnosis.of(r);
        out.beginObject().name("bound").value(d.bound().name()).name("worker").value(d.worker());
        names(out, "sentences", d.sentences());
        out.name("shares").beginArray();
        for (Shares s : d.shares()) {
            out.beginObject().name("worker").value(s.worker());
            number(out, "step", s.step());
            number(out, "input", s.input());
            number(out, "compute", s.compute());
            number(out, "exchange", s.exchange());
            number(out, "hidden", s.hidden());
            number(out, "waiting", s.waiting());
            out.endObject();
        }
        out.endArray().endObject();
    }

    /** Asks a run for something; only with the token. */
    Site.Answer change(String path, Query q, String authorization) throws IOException {
        String given = authorization == null ? "" : authorization.replaceFirst("^Bearer ", "");
        if (!MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.UTF_8)))
            throw new Refusal(401, "this needs the token");
        Run r = run(q);
        Path folder = r.folder();
        switch (path) {
            case "/api/stop" -> Requests.stop(folder);
            case "/api/trace" -> {
                double millis = Math.max(0.01, r.first().recent("time/step_ms", RECENT));
                long ahead = Double.isNaN(millis) ? 20 : 2 + (long) (3_000 / millis); // all workers look each second
                Requests.trace(folder, r.first().step() + ahead);
            }
            default -> throw new Refusal(404, "there is nothing here");
        }
        return json(out -> out.beginObject().name("asked").value(true).endObject());
    }
}
