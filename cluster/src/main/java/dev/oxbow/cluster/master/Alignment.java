package dev.oxbow.cluster.master;

import dev.oxbow.cluster.worker.ClockReading;
import dev.oxbow.cluster.worker.Worker;
import dev.oxbow.wire.proto.ClockOffset;
import dev.oxbow.wire.proto.DeviceStepStats;
import dev.oxbow.wire.proto.NodeExecStats;
import dev.oxbow.wire.proto.StepStats;
import dev.oxbow.wire.trace.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Turns what tasks say of a step, each by its own clock, to the clock of the master. */
final class Alignment {

    /*
     * Clocks are asked for after the step, so that a trace holds nothing up; how far a clock may run apart in the time of a
     * step is far below what asking can tell. What is left of the error is put right where it shows: no value comes before it
     * was sent, so a task whose values seem to have come too early is moved until they have not. The true times need no such
     * move, so a few rounds over the tasks suffice. That gives order also to TensorFlow's tasks, which can not be asked.
     */

    /** What one task says. */
    record Told(Worker worker, StepStats stats) {}

    /** A value that went from one task to another, by the clock of each. */
    private record Moved(int from, int to, long sent, long came) {}

    private Alignment() {}

    /** Gives {@code then} all of it on one clock. */
    static void run(List<Told> told, Consumer<StepStats> then) {
        ClockReading[] clocks = new ClockReading[told.size()];
        AtomicInteger left = new AtomicInteger(told.size());
        if (told.isEmpty()) then.accept(StepStats.getDefaultInstance());
        for (int i = 0; i < clocks.length; i++) {
            int at = i;
            told.get(i).worker.clock((reading, _) -> {
                clocks[at] = reading;
                if (left.decrementAndGet() == 0) then.accept(aligned(told, clocks));
            });
        }
    }

    static StepStats aligned(List<Told> told, ClockReading[] clocks) {
        long[] offsets = new long[clocks.length];
        for (int i = 0; i < offsets.length; i++) offsets[i] = clocks[i] == null ? 0 : clocks[i].offset();
        List<Moved> moved = told.size() == 1 ? List.of() : moved(told);
        boolean early = true;
        for (int round = 0; early && round <= offsets.length; round++) {
            early = false;
            for (Moved m : moved) {
                long before = (m.sent - offsets[m.from]) - (m.came - offsets[m.to]);
                if (before <= 0) continue;
                offsets[m.to] -= before;
                early = true;
            }
        }
        StepStats.Builder all = StepStats.newBuilder();
        for (int i = 0; i < offsets.length; i++) {
            for (DeviceStepStats d : told.get(i).stats.getDevStatsList()) all.addDevStats(shifted(d, offsets[i]));
            ClockReading c = clocks[i];
            all.addClock(ClockOffset.newBuilder()
                    .setTask(told.get(i).worker.task().toString())
                    .setOffsetNanos(offsets[i])
                    .setErrorNanos(c == null ? -1 : c.error() + Math.abs(offsets[i] - c.offset())));
        }
        return all.build();
    }

    private static List<Moved> moved(List<Told> told) {
        Map<String, Long> sent = new HashMap<>();
        Map<String, Integer> by = new HashMap<>();
        for (int i = 0; i < told.size(); i++)
            for (DeviceStepStats d : told.get(i).stats.getDevStatsList())
                for (NodeExecStats n : d.getNodeStatsList())
                    if (!n.getRendezvousKey().isEmpty() && n.getNodeName().equals(Span.SEND)) {
                        sent.put(n.getRendezvousKey(), n.getAllStartNanos());
                        by.put(n.getRendezvousKey(), i);
                    }
        List<Moved> all = new ArrayList<>();
        for (int i = 0; i < told.size(); i++)
            for (DeviceStepStats d : told.get(i).stats.getDevStatsList())
                for (NodeExecStats n : d.getNodeStatsList()) {
                    Integer from = n.getRendezvousKey().isEmpty() ? null : by.get(n.getRendezvousKey());
                    if (from != null && from != i && n.getNodeName().equals(Span.RECEIVE))
                        all.add(new Moved(
                                from, i, sent.get(n.getRendezvousKey()), n.getAllStartNanos() + n.getAllEndRelNanos()));
                }
        return all;
    }

    private static DeviceStepStats shifted(DeviceStepStats d, long offset) {
        if (offset == 0) return d;
        DeviceStepStats.Builder b = d.toBuilder();
        for (NodeExecStats.Builder n : b.getNodeStatsBuilderList())
            n.setAllStartNanos(n.getAllStartNanos() - offset)
                    .setScheduledNanos(n.getScheduledNanos() - offset)
                    .setAllStartMicros((n.getAllStartMicros() * 1_000 - offset) / 1_000)
                    .setScheduledMicros((n.getScheduledMicros() * 1_000 - offset) / 1_000);
        return b.build();
    }
}
