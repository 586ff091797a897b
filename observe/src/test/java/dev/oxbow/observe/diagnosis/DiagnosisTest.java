package dev.oxbow.observe.diagnosis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.observe.diagnosis.Diagnosis.Bound;
import dev.oxbow.wire.proto.DeviceStepStats;
import dev.oxbow.wire.proto.NodeExecStats;
import dev.oxbow.wire.proto.RunMetadata;
import dev.oxbow.wire.proto.StepStats;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Steps whose times are known, in microseconds. */
final class DiagnosisTest {
    private static final double NONE = Double.NaN;
    private static final Planned PLANNED = new Planned(2, NONE, NONE, NONE, NONE, NONE, NONE);

    /** The trace of one worker being put together. */
    private static final class Trace {
        private final DeviceStepStats.Builder device =
                DeviceStepStats.newBuilder().setDevice("/job:localhost/replica:0/task:0/device:CPU:0");

        Trace span(String name, String op, long from, long to) {
            device.addNodeStats(NodeExecStats.newBuilder()
                    .setNodeName(name)
                    .setTimelineLabel(name + " = " + op + "() at Model.build(Model.java:12)")
                    .setAllStartNanos(1_000_000_000L + from * 1_000)
                    .setAllEndRelNanos((to - from) * 1_000));
            return this;
        }

        RunMetadata done() {
            return RunMetadata.newBuilder()
                    .setStepStats(StepStats.newBuilder().addDevStats(device))
                    .build();
        }
    }

    private static Diagnosis diagnosed(double stepMillis, double inputMillis, Trace... workers) {
        Map<String, RunMetadata> traces = new LinkedHashMap<>();
        for (int i = 0; i < workers.length; i++) traces.put("worker-" + i, workers[i].done());
        List<Shares> shares = new ArrayList<>();
        for (Timeline.Worker w : Timeline.of(1, traces, Map.of()).workers())
            shares.add(Shares.of(w, stepMillis, inputMillis));
        return Diagnosis.of(shares, PLANNED);
    }

    private static void says(Diagnosis d, Bound bound, String... parts) {
        assertEquals(bound, d.bound(), () -> d.sentences().toString());
        assertEquals(3, d.sentences().size());
        String all = String.join(" ", d.sentences());
        for (String p : parts) assertTrue(all.contains(p), () -> p + " is not in: " + all);
    }

    @Test
    void slowInputIsNamed() {
        Trace t = new Trace().span("m", "MatMul", 0, 4_000);
        says(diagnosed(20, 15, t), Bound.INPUT, "15.0 ms of a step of 20.0 ms", "75 % of the time", "about 5.0 ms");
    }

    @Test
    void aSlowLinkIsNamedWithWhatWasHidden() {
        Trace a = new Trace().span("m", "MatMul", 0, 4_000).span("g", "AllReduce", 2_000, 18_000);
        Trace b = new Trace().span("m", "MatMul", 0, 4_000).span("g", "AllReduce", 2_000, 18_000);
        says(
                diagnosed(18.5, 0.1, a, b),
                Bound.COMMUNICATION,
                "exchanges take 16.0 ms",
                "14.0 ms of that is not behind kernels",
                "13 % of the exchange was hidden",
                "bf16 would bring a step to about 10.5 ms");
    }

    @Test
    void aSlowWorkerIsNamedByWhomTheOthersWaitFor() {
        Trace fast = new Trace().span("m", "MatMul", 0, 4_000).span("g", "AllReduce", 4_000, 13_000);
        Trace slow = new Trace().span("m", "MatMul", 0, 12_000).span("g", "AllReduce", 12_000, 13_000);
        Trace other = new Trace().span("m", "MatMul", 0, 4_100).span("g", "AllReduce", 4_100, 13_000);
        Diagnosis d = diagnosed(13.2, 0.1, fast, slow, other);
        says(d, Bound.STRAGGLER, "worker-1 holds the others up", "12.0 ms a step", "8.0 ms of each step");
        assertEquals("worker-1", d.worker());
    }

    @Test
    void aTinyBatchIsNamed() {
        Trace t = new Trace();
        for (int i = 0; i < 40; i++) t.span("n" + i, "AddV2", 10L * i, 10L * i + 5);
        says(diagnosed(0.6, 0.02, t), Bound.SMALL_STEPS, "too small", "0.200 ms are kernels of less than 20");
    }

    @Test
    void aGoodRunIsBoundByCompute() {
        Trace a = new Trace().span("m", "MatMul", 0, 10_000).span("g", "AllReduce", 4_000, 9_000);
        Trace b = new Trace().span("m", "MatMul", 0, 10_200).span("g", "AllReduce", 4_000, 9_000);
        says(
                diagnosed(10.8, 0.1, a, b),
                Bound.COMPUTE,
                "10.0 ms of a step of 10.8 ms",
                "100 % of the exchange was hidden");
    }

    @Test
    void clocksThatAreAheadAreSetBack() {
        Map<String, RunMetadata> traces = new LinkedHashMap<>();
        traces.put("worker-0", new Trace().span("g", "AllReduce", 0, 100).done());
        traces.put("worker-1", new Trace().span("g", "AllReduce", 5_000, 5_100).done());
        Timeline t = Timeline.of(1, traces, Map.of("worker-1", 5_000_000L));
        assertEquals(0, t.workers().get(1).spans().getFirst().from());
        assertEquals(100_000, t.workers().get(1).end());
    }

    @Test
    void howFarAClockIsAheadIsSeenFromTheEndsOfExchanges() {
        Trace a = new Trace(), b = new Trace();
        for (int i = 0; i < 9; i++) {
            a.span("g" + i, "AllReduce", 1_000 * i, 1_000 * i + 500);
            b.span("g" + i, "AllReduce", 70_300 + 1_000 * i, 70_500 + 1_000 * i + (i == 4 ? 400 : i % 3));
        }
        b.span("other", "MatMul", 0, 90_000).span("alone", "AllReduce", 0, 90_000);
        assertEquals(70_001_000, Timeline.ahead(a.done(), b.done()));
        assertEquals(0, Timeline.ahead(a.done(), new Trace().done()));
        assertEquals(0, Timeline.ahead(null, b.done()));
    }

    @Test
    void anExchangeWaitsUntilAllHaveComeToIt() {
        Map<String, RunMetadata> traces = new LinkedHashMap<>();
        traces.put("worker-0", new Trace().span("g", "AllReduce", 0, 100).done());
        traces.put("worker-1", new Trace().span("g", "AllReduce", 60, 100).done());
        List<Timeline.Span> spans =
                Timeline.of(1, traces, Map.of()).workers().getFirst().spans();
        assertEquals(
                List.of(Timeline.Kind.WAITING, Timeline.Kind.COMMUNICATION),
                spans.stream().map(Timeline.Span::kind).toList());
        assertEquals(60_000, spans.getFirst().length());
        assertEquals("Model.build(Model.java:12)", spans.getFirst().origin());
    }
}
