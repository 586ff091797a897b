package dev.oxbow.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.observe.diagnosis.Diagnosis;
import dev.oxbow.observe.diagnosis.Timeline;
import dev.oxbow.observe.report.Report;
import dev.oxbow.observe.run.Run;
import dev.oxbow.observe.run.Runs;
import dev.oxbow.observe.run.WorkerLog;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Examples;
import dev.oxbow.train.Input;
import dev.oxbow.train.Model;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.layer.Layers;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.loss.Metrics;
import dev.oxbow.train.optimizer.Optimizer;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class ObserverTest {
    private static final int STEPS = 40, EPOCHS = 2;

    @TempDir
    private Path home;

    private static Trainer.Config config() {
        Model model =
                Model.of(Input.floats("x", 8), Layers.sequential(Layers.dense(16, Value::tanh), Layers.dense(2)), 1);
        return Trainer.of(model, Losses.sparseCrossEntropy(), Optimizer.adam(0.01))
                .metrics(Metrics.accuracy());
    }

    private static Examples examples() {
        Tensor x = Tensor.zeros(DType.F32, Shape.of(4L * STEPS, 8));
        for (long i = 0; i < x.size(); i++) x.set(i, Math.sin(i));
        return Examples.of(x, Tensor.zeros(DType.I32, Shape.of(4L * STEPS)));
    }

    private Run run() {
        List<Run> all = Runs.read(List.of(home)).all();
        assertEquals(1, all.size());
        return all.getFirst();
    }

    @Test
    void aTrainersRunIsWrittenDownWithGraphTraceAndHistograms() throws IOException {
        try (Observer observer = Observer.in(home.resolve("run"), Map.of("rate", 0.01));
                Trainer trainer = config().callbacks(observer).start()) {
            trainer.fit(examples().batches(4), EPOCHS);
        }
        Run run = run();
        WorkerLog w = run.first();
        assertEquals(STEPS * EPOCHS, w.points("train/loss"));
        assertEquals(STEPS * EPOCHS, w.step());
        assertEquals(EPOCHS, w.points("epoch/accuracy"));
        assertTrue(w.last("rate/examples") > 0);
        assertEquals(0, w.last("health/lost_events"));
        assertTrue(
                w.histograms().contains("dense1/kernel"), () -> w.histograms().toString());
        assertEquals("0.01", w.settings().get("rate"));
        assertFalse(w.graphs().isEmpty());
        Timeline t = Timeline.of(run, 20);
        List<Timeline.Span> spans = t.workers().getFirst().spans();
        assertTrue(spans.stream().anyMatch(s -> s.op().equals("MatMul")), spans::toString);
        assertTrue(spans.stream().anyMatch(s -> s.origin().contains(".java:")), spans::toString);
        assertEquals(Run.State.DONE, run.state(1e12));
        assertEquals(3, Diagnosis.of(run).sentences().size());
        String report = new String(Report.of(run, List.of(), Report.Format.HTML), StandardCharsets.UTF_8);
        assertTrue(report.contains("train/loss") && report.contains("<polyline") && report.contains("What held it up"));
        assertFalse(report.contains("http://") || report.contains("https://"));
    }

    @Test
    void aRunThatIsAskedToStopStops() throws IOException {
        Files.createDirectories(home.resolve("run"));
        Files.writeString(home.resolve("run/stop.request"), "stop\n");
        try (Observer observer = Observer.in(home.resolve("run"), Map.of());
                Trainer trainer = config().callbacks(observer).start()) {
            trainer.fit(examples().batches(4), 1_000_000);
        }
        assertEquals(Run.State.DONE, run().state(1e12));
    }

    @Test
    void aRunThatFailsSaysWhy() {
        Observer observer = Observer.in(home.resolve("run"), Map.of());
        observer.close("the loss is not finite <&>");
        Run run = run();
        assertEquals(Run.State.FAILED, run.state(1e12));
        assertEquals("the loss is not finite <&>", run.first().ended());
    }

    @Test
    void aReportIsAPageOrAPictureWithTheSameFiguresAndEscapesWhatItIsTold() throws Exception {
        try (Observer observer = Observer.in(home.resolve("run"), Map.of("note", "<script>alert(1)</script>"));
                Trainer trainer = config().callbacks(observer).start()) {
            trainer.fit(examples().batches(4), 1);
        }
        Run run = run();
        for (Report.Format f : List.of(Report.Format.HTML, Report.Format.SVG)) {
            String text = new String(Report.of(run, List.of(run), f), StandardCharsets.UTF_8);
            for (String part :
                    List.of("train/loss", "scaling", "planner", "What held it up", "MatMul", "&lt;script&gt;"))
                assertTrue(text.contains(part), () -> part + " is not in the " + f);
            assertFalse(text.contains("<script"), f.toString());
        }
        String svg = new String(Report.of(run, List.of(), Report.Format.SVG), StandardCharsets.UTF_8);
        DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
        BufferedImage png = ImageIO.read(new ByteArrayInputStream(Report.of(run, List.of(), Report.Format.PNG)));
        assertEquals(1960, png.getWidth());
        assertTrue(png.getHeight() > 1_000);
        Set<Integer> colours = new HashSet<>();
        for (int y = 0; y < png.getHeight(); y += 3)
            for (int x = 0; x < png.getWidth(); x += 3) colours.add(png.getRGB(x, y) & 0xffffff);
        for (int c : new int[] {0xffffff, 0x2f7dd1, 0x0f766e, 0x9aa7b4})
            assertTrue(colours.contains(c), () -> "nothing has the colour " + Integer.toHexString(c));
    }

    @Test
    void whatThePlannerExpectsAndWhereThingsAreIsInTheRun() {
        try (Observer observer = Observer.in(home.resolve("run"), Map.of());
                Trainer trainer = config().callbacks(observer).start()) {
            trainer.fit(examples().batches(4), 1);
        }
        WorkerLog w = run().first();
        double kernels = w.last("planner/compute_ms");
        assertTrue(kernels > 0);
        assertEquals(kernels, w.last("planner/step_ms"));
        assertEquals(4 * (8 * 16 + 16 + 16 * 2 + 2), w.last("planner/gradient_bytes"));
        assertTrue(w.last("health/device_bytes/CPU:0") >= 0);
        assertFalse(w.settings().get("host").isEmpty());
    }
}
