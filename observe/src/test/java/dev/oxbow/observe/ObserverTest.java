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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
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
        String report = Report.html(run);
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
}
