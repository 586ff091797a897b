package dev.oxbow.observe.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.observe.RunLog;
import dev.oxbow.ops.Ops;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.event.EventFile;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.Event;
import dev.oxbow.wire.proto.SessionLog;
import dev.oxbow.wire.proto.Summary;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class RunsTest {
    @TempDir
    private Path home;

    private static byte[] scalar(long step, double value) {
        return EventFile.event(step)
                .setSummary(Summary.newBuilder().addValue(Summaries.scalar("loss", value)))
                .build()
                .toByteArray();
    }

    private Run only() {
        List<Run> all = Runs.read(List.of(home)).all();
        assertEquals(1, all.size(), () -> all.toString());
        return all.getFirst();
    }

    @Test
    void everythingThatIsLoggedIsFoundAgain() throws IOException {
        Graph graph = new Graph();
        Ops.in(graph).placeholder("x", DType.F32, Shape.of(2));
        try (RunLog log = RunLog.open(home.resolve("one"));
                Tensor w = Tensor.of(Shape.of(4), 1f, 2f, 3f, 4f);
                Tensor picture = Tensor.zeros(DType.F32, Shape.of(1, 4, 4, 1));
                Tensor sound = Tensor.zeros(DType.F32, Shape.of(1, 100))) {
            log.settings(Map.of("rate", 0.1, "name", "x", "deep", true));
            log.scalar("accuracy", 5, 0.9);
            log.histogram("w", 5, w);
            log.images("picture", 5, picture);
            log.audio("sound", 5, sound, 8000);
            log.text("notes", 5, "**good**");
            log.graph(graph);
            log.say("hello");
            log.projector("words", w.reshaped(Shape.of(2, 2)), List.of("a", "b\tc"));
        }
        Run run = only();
        WorkerLog w = run.first();
        assertEquals("one", run.name());
        assertEquals(Run.State.DONE, run.state(1e12));
        assertEquals(Map.of("rate", "0.1", "name", "x", "deep", "true"), w.settings());
        assertEquals(0.9, w.last("accuracy"), 1e-6);
        assertEquals(List.of("w"), List.copyOf(w.histograms()));
        assertEquals(10, w.value(w.histograms("w").getFirst(), "w").getHisto().getSum());
        assertEquals(
                4,
                w.value(w.images("picture/image/0").getFirst(), "picture/image/0")
                        .getImage()
                        .getWidth());
        assertEquals(
                100,
                w.value(w.audio("sound/audio/0").getFirst(), "sound/audio/0")
                        .getAudio()
                        .getLengthFrames());
        assertEquals(
                "**good**",
                w.value(w.texts("notes").getFirst(), "notes")
                        .getTensor()
                        .getStringVal(0)
                        .toStringUtf8());
        Event graphed = w.record(w.graphs().getLast());
        assertTrue(graphed.getGraphDef().size() > 10);
        assertEquals(
                List.of("the run begins", "hello", "the run has ended"),
                w.lines().stream().map(WorkerLog.Line::text).toList());
        assertEquals("1.0\t2.0\n3.0\t4.0\n", Files.readString(home.resolve("one/words.tsv")));
        assertEquals("a\nb c\n", Files.readString(home.resolve("one/words-labels.tsv")));
    }

    @Test
    void whatIsBeingWrittenIsReadAsFarAsItIsWhole() throws IOException {
        try (EventFile f = EventFile.create(home.resolve("run"), "")) {
            f.write(scalar(1, 10));
            f.flush();
            byte[] before = Files.readAllBytes(f.path());
            f.write(scalar(2, 20));
            f.flush();
            byte[] whole = Files.readAllBytes(f.path());
            for (int cut = before.length; cut <= whole.length; cut++) {
                Path part = home.resolve("part/events.out.tfevents.1");
                Files.createDirectories(part.getParent());
                byte[] some = new byte[cut];
                System.arraycopy(whole, 0, some, 0, cut);
                Files.write(part, some);
                try (Runs runs = Runs.read(List.of(home.resolve("part")))) {
                    WorkerLog w = runs.all().getFirst().first();
                    assertEquals(cut == whole.length ? 20 : 10, w.last("loss"), "cut at " + cut);
                    assertEquals("", w.damage());
                }
            }
            assertArrayEquals(before, Arrays.copyOf(whole, before.length));
        }
    }

    @Test
    void aDamagedRecordEndsItsFileAndIsToldByPlace() throws IOException {
        Path path;
        long second;
        try (EventFile f = EventFile.create(home.resolve("run"), "")) {
            path = f.path();
            f.write(scalar(1, 10));
            f.flush();
            second = Files.size(path);
            f.write(scalar(2, 20));
        }
        try (RandomAccessFile f = new RandomAccessFile(path.toFile(), "rw")) {
            f.seek(second + 20);
            f.write(0x7f);
        }
        WorkerLog w = only().first();
        assertEquals(10, w.last("loss"));
        assertTrue(w.damage().contains("is damaged at byte " + second), w.damage());
    }

    @Test
    void workersOfARunAreFoundInItsFolderAndOneThatIsSilentIsLost() throws IOException {
        for (String folder : List.of("job", "job/worker-1", "job/worker-2")) {
            try (EventFile f = EventFile.create(home.resolve(folder), "")) {
                f.write(EventFile.event(0)
                        .setSessionLog(SessionLog.newBuilder().setStatus(SessionLog.SessionStatus.START))
                        .build()
                        .toByteArray());
                f.write(scalar(1, 10));
            }
        }
        Run run = only();
        assertEquals(
                List.of("worker-0", "worker-1", "worker-2"),
                run.workers().stream().map(WorkerLog::name).toList());
        WorkerLog w = run.worker("worker-2");
        assertEquals(Run.State.RUNNING, Run.state(w, w.seen() + Run.LOST_SECONDS - 1));
        assertEquals(Run.State.LOST, Run.state(w, w.seen() + Run.LOST_SECONDS + 1));
        assertNull(run.worker("worker-3"));
    }

    @Test
    void aRunOfAnotherProgramIsNotLostWhenItSaysNoMore() throws IOException {
        try (EventFile f = EventFile.create(home.resolve("theirs"), "")) {
            f.write(scalar(1, 10));
        }
        Run run = only();
        assertEquals(Run.State.RUNNING, run.state(run.first().seen() + 1));
        assertEquals(Run.State.SILENT, run.state(run.first().seen() + Run.LOST_SECONDS + 1));
    }

    @Test
    void aLongCurveIsReadFromItsIndexAndZoomedFromItsFile() throws IOException {
        int n = 200_000;
        try (EventFile f = EventFile.create(home.resolve("run"), "")) {
            for (int i = 0; i < n; i++) f.write(scalar(i, i % 1000));
        }
        WorkerLog first = only().first();
        assertTrue(Files.exists(home.resolve("run").resolve(WorkerIndex.FILE)), "no index is kept");
        assertEquals(n, first.points("loss"));
        // the next one to look must not read the file again: it would find another number of points
        Path file;
        try (var all = Files.list(home.resolve("run"))) {
            file = all.filter(p -> p.toString().contains("tfevents"))
                    .findFirst()
                    .orElseThrow();
        }
        WorkerLog second = only().first();
        assertEquals(n, second.points("loss"));
        List<Series.Point> zoomed = second.points("loss", 150_000, 150_099, 100);
        assertEquals(100, zoomed.size());
        assertEquals(150_000, zoomed.getFirst().step());
        assertEquals(42, zoomed.get(42).mean());
        // a file that changed is read anew
        Files.delete(file);
        Files.writeString(home.resolve("run/other"), "x", StandardCharsets.UTF_8);
        try (EventFile f = EventFile.create(home.resolve("run"), "")) {
            f.write(scalar(3, 7));
        }
        assertEquals(1, only().first().points("loss"));
    }

    @Test
    void anIndexThatIsDamagedIsMadeAnew() throws IOException {
        try (EventFile f = EventFile.create(home.resolve("run"), "")) {
            f.write(scalar(1, 10));
        }
        Files.write(home.resolve("run").resolve(WorkerIndex.FILE), new byte[] {0, 0, 0, 1, 127, 127, 127, 127, 1});
        assertEquals(1, only().first().points("loss"));
    }

    private Path file(String folder) throws IOException {
        try (var all = Files.list(home.resolve(folder))) {
            return all.filter(p -> p.toString().contains("tfevents"))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void whoWritesALargeRunKeepsItsIndexSoThatNobodyReadsItWhole() throws IOException {
        int n = 10_000;
        String text = "x".repeat(60_000);
        for (int part = 0; part < 2; part++) { // a run that was stopped, and went on in the same folder
            try (RunLog log = RunLog.open(home.resolve("run"))) {
                for (int i = 0; i < n; i++) {
                    log.scalar("loss", part * n + i, i % 1000);
                    if (i % 100 == 0) log.text("notes", part * n + i, text);
                }
                assertEquals(0, log.stream().lost());
            }
        }
        assertTrue(Files.exists(home.resolve("run").resolve(WorkerIndex.FILE)), "no index is kept");
        try (RandomAccessFile f = new RandomAccessFile(file("run").toFile(), "rw")) {
            f.seek(1_000_000);
            f.write(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}); // who reads it stumbles over this
        }
        WorkerLog w = only().first();
        assertEquals("", w.damage());
        assertEquals(2 * n, w.points("loss"));
        assertEquals(2 * n - 1, w.step());
        List<Series.Point> zoomed = w.points("loss", n + 3_000, n + 3_049, 50);
        assertEquals(50, zoomed.size());
        assertEquals(n + 3_000, zoomed.getFirst().step());
        Files.delete(home.resolve("run").resolve(WorkerIndex.FILE));
        assertTrue(only().first().damage().contains("is damaged at byte"));
    }
}
