package dev.oxbow.observe.diagnosis;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.observe.run.Place;
import dev.oxbow.observe.run.Run;
import dev.oxbow.observe.run.WorkerLog;
import dev.oxbow.wire.proto.DeviceStepStats;
import dev.oxbow.wire.proto.Event;
import dev.oxbow.wire.proto.NodeExecStats;
import dev.oxbow.wire.proto.RunMetadata;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One step on all workers: what each device did and when, in nanoseconds since the first of it. */
public record Timeline(long step, List<Worker> workers) {
    private static final Set<String> EXCHANGES = Set.of(
            "AllGather",
            "AllReduce",
            "AllToAll",
            "Broadcast",
            "RankRecv",
            "RankSend",
            "Reduce",
            "ReduceScatter",
            "TopKAllReduce",
            "ViewAll",
            "ViewAllEnd",
            "_Send",
            "_Recv",
            "_HostSend",
            "_HostRecv");
    private static final Pattern LABEL = Pattern.compile("(?s).* = (\\w+)\\(.*?\\)(?: in one of \\d+)?(?: at (.*))?");

    /** What a span is about. */
    public enum Kind {
        COMPUTE,
        COMMUNICATION,
        WAITING
    }

    /** What one process did; offsets of its clock are taken off where they are known. */
    public record Worker(String name, List<Span> spans) {
        /** When its last span ends. */
        public long end() {
            return spans.stream().mapToLong(Span::to).max().orElse(0);
        }
    }

    /**
     * Something that a device did.
     *
     * @param name of its node, or of the first of those that ran as one kernel
     * @param nodes how many these are
     * @param origin the line of code that made it; empty where nobody knows
     */
    public record Span(String device, String name, String op, int nodes, String origin, Kind kind, long from, long to) {
        public long length() {
            return to - from;
        }
    }

    /** How long kernels ran on a worker, overlaps counted once. */
    public double computeMillis(String worker) {
        return workers.stream()
                .filter(w -> w.name.equals(worker))
                .mapToDouble(w -> Shares.of(w, Double.NaN, Double.NaN).compute())
                .sum();
    }

    /** The steps of which there are traces, and of how many workers. */
    public static Map<Long, Integer> steps(Run run) {
        Map<Long, Integer> steps = new TreeMap<>();
        for (WorkerLog w : run.workers()) for (Place p : w.traces()) steps.merge(p.step(), 1, Integer::sum);
        return steps;
    }

    /** The steps that most workers have a trace of. */
    static List<Long> common(Run run) {
        Map<Long, Integer> steps = steps(run);
        int most = steps.values().stream().mapToInt(i -> i).max().orElse(0);
        return steps.entrySet().stream()
                .filter(e -> e.getValue() == most)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The newest step that most workers have a trace of; -1 where there is none. */
    public static long newest(Run run) {
        List<Long> common = common(run);
        return common.isEmpty() ? -1 : common.getLast();
    }

    /** The trace of a step; one without workers where there is none. */
    public static Timeline of(Run run, long step) throws IOException {
        Map<String, RunMetadata> traces = new LinkedHashMap<>();
        Map<String, Long> offsets = new HashMap<>();
        for (WorkerLog w : run.workers()) {
            for (Place p : w.traces()) {
                if (p.step() != step) continue;
                Event e = w.record(p);
                if (e != null && e.hasTaggedRunMetadata()) traces.put(w.name(), parse(e));
            }
        }
        String host = run.first().settings().getOrDefault("host", "");
        for (WorkerLog w : run.workers())
            if (!w.settings().getOrDefault("host", host).equals(host))
                offsets.put(w.name(), ahead(traces.get(run.first().name()), traces.get(w.name())));
        return of(step, traces, offsets);
    }

    /**
     * How many nanoseconds the clock behind one trace is ahead of that behind another: nobody is done with an exchange before all
     * have come to it, so it ends at about the same time everywhere. The median over those that both have; 0 where there is none.
     */
    static long ahead(RunMetadata first, RunMetadata other) {
        if (first == null || other == null) return 0;
        Map<String, Long> ends = new HashMap<>();
        for (Span s : spans(first, 0)) if (s.kind == Kind.COMMUNICATION) ends.put(s.name, s.to);
        long[] apart = spans(other, 0).stream()
                .filter(s -> s.kind == Kind.COMMUNICATION && ends.containsKey(s.name))
                .mapToLong(s -> s.to - ends.get(s.name))
                .sorted()
                .toArray();
        return apart.length == 0 ? 0 : apart[apart.length / 2];
    }

    private static RunMetadata parse(Event e) throws IOException {
        try {
            return RunMetadata.parseFrom(e.getTaggedRunMetadata().getRunMetadata());
        } catch (InvalidProtocolBufferException wrong) {
            throw new IOException("a trace of step " + e.getStep() + " is no message: " + wrong.getMessage(), wrong);
        }
    }

    /** Of a trace for each worker, and how many nanoseconds the clock of each is ahead; 0 where it is not named. */
    public static Timeline of(long step, Map<String, RunMetadata> traces, Map<String, Long> aheadNanos) {
        List<Worker> workers = new ArrayList<>();
        traces.forEach((name, trace) -> workers.add(new Worker(name, spans(trace, aheadNanos.getOrDefault(name, 0L)))));
        long zero = workers.stream()
                .flatMap(w -> w.spans.stream())
                .mapToLong(Span::from)
                .min()
                .orElse(0);
        List<Worker> shifted = workers.stream()
                .map(w -> new Worker(
                        w.name,
                        w.spans.stream()
                                .map(s -> new Span(
                                        s.device, s.name, s.op, s.nodes, s.origin, s.kind, s.from - zero, s.to - zero))
                                .toList()))
                .toList();
        return new Timeline(step, apart(shifted));
    }

    private static List<Span> spans(RunMetadata trace, long ahead) {
        List<Span> all = new ArrayList<>();
        for (DeviceStepStats d : trace.getStepStats().getDevStatsList()) {
            Map<List<Long>, List<NodeExecStats>> together = new LinkedHashMap<>();
            for (NodeExecStats n : d.getNodeStatsList()) {
                long start = n.getAllStartNanos() != 0 ? n.getAllStartNanos() : n.getAllStartMicros() * 1000;
                long length = n.getAllEndRelNanos() != 0 ? n.getAllEndRelNanos() : n.getAllEndRelMicros() * 1000;
                together.computeIfAbsent(List.of(start - ahead, length), _ -> new ArrayList<>())
                        .add(n);
            }
            together.forEach((time, nodes) -> {
                NodeExecStats n = nodes.getFirst();
                Matcher label = LABEL.matcher(n.getTimelineLabel());
                boolean known = label.matches();
                String op = known ? label.group(1) : "";
                all.add(new Span(
                        d.getDevice(),
                        n.getNodeName(),
                        op,
                        nodes.size(),
                        known && label.group(2) != null ? label.group(2) : "",
                        EXCHANGES.contains(op) ? Kind.COMMUNICATION : Kind.COMPUTE,
                        time.get(0),
                        time.get(0) + time.get(1)));
            });
        }
        all.sort(Comparator.comparingLong(Span::from));
        return all;
    }

    /** Parts an exchange in two, where the others came to it later: until then it waits. */
    private static List<Worker> apart(List<Worker> workers) {
        Map<String, Long> arrived = new HashMap<>();
        Map<String, Integer> count = new HashMap<>();
        for (Worker w : workers) {
            Set<String> own = new TreeSet<>();
            for (Span s : w.spans) {
                if (s.kind != Kind.COMMUNICATION || !own.add(s.name)) continue;
                arrived.merge(s.name, s.from, Math::max);
                count.merge(s.name, 1, Integer::sum);
            }
        }
        List<Worker> out = new ArrayList<>();
        for (Worker w : workers) {
            List<Span> spans = new ArrayList<>();
            for (Span s : w.spans) {
                long all = s.kind == Kind.COMMUNICATION && count.getOrDefault(s.name, 0) > 1 ? arrived.get(s.name) : 0;
                if (all > s.from && all < s.to) {
                    spans.add(part(s, Kind.WAITING, s.from, all));
                    spans.add(part(s, Kind.COMMUNICATION, all, s.to));
                } else {
                    spans.add(s);
                }
            }
            out.add(new Worker(w.name, spans));
        }
        return out;
    }

    private static Span part(Span s, Kind kind, long from, long to) {
        return new Span(s.device, s.name, s.op, s.nodes, s.origin, kind, from, to);
    }
}
