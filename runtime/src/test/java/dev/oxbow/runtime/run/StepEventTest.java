package dev.oxbow.runtime.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.HandMade;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Java's flight recorder gets to know of steps. */
final class StepEventTest {
    @TempDir
    Path folder;

    private final HandMade made = new HandMade();

    /** The events of two steps on two devices, with these kinds asked for. */
    private List<RecordedEvent> recorded(String... kinds) throws Exception {
        Edge x = made.input("x", 4), there;
        try (var _ = made.graph.device("cpu:1")) {
            there = made.negate("there", x);
        }
        Edge y = made.negate("here", there);
        Path file = folder.resolve("steps.jfr");
        try (Recording r = new Recording();
                Session s = Session.open(made.graph, EngineOptions.defaults().withCpuDevices(2))) {
            for (String k : kinds) r.enable(k).withoutThreshold();
            r.start();
            for (int i = 0; i < 2; i++)
                s.feed(x, Tensor.of(Shape.of(4), 1f, 2f, 3f, 4f)).fetch(y).run().close();
            r.stop();
            r.dump(file);
        }
        List<RecordedEvent> all = new ArrayList<>();
        for (RecordedEvent e : RecordingFile.readAllEvents(file))
            if (e.getEventType().getName().startsWith("dev.oxbow.")) all.add(e);
        return all;
    }

    private static List<RecordedEvent> of(List<RecordedEvent> all, String kind) {
        return all.stream()
                .filter(e -> e.getEventType().getName().equals("dev.oxbow." + kind))
                .toList();
    }

    @Test
    void stepsKernelsAndTransfersAreEvents() throws Exception {
        List<RecordedEvent> all = recorded("dev.oxbow.Step", "dev.oxbow.Kernel", "dev.oxbow.Transfer");
        assertEquals(2, of(all, "Step").size());
        List<RecordedEvent> transfers = of(all, "Transfer");
        assertTrue(transfers.size() >= 2 && transfers.size() % 2 == 0, transfers::toString);
        for (RecordedEvent t : transfers) assertEquals(16, t.getLong("bytes"));
        long kernels = of(all, "Kernel").stream()
                .filter(k -> List.of(k.getString("nodes").split(" ")).contains("there"))
                .count();
        assertEquals(2, kernels);
    }

    @Test
    void whatNoRecordingWantsIsNotThere() throws Exception {
        List<RecordedEvent> all = recorded("dev.oxbow.Step");
        assertEquals(2, all.size(), all::toString);
    }
}
