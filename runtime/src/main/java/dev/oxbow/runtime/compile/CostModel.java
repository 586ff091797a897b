package dev.oxbow.runtime.compile;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeInference;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.trace.Span;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the nodes of a graph and the ways between devices take, in nanoseconds: estimated from types, until runs have shown
 * it. Measured times belong to a node with its op and types, so what is kept from one session serves the next of the same
 * graph, and a graph that has changed there is estimated again.
 */
public final class CostModel {
    /** Scalar operations in a nanosecond, and what a call takes beside them: one thread of a common machine. */
    private static final double WORK_A_NANO = 2, CALL_NANOS = 1_500;

    /** What a message and its bytes take: between tasks, and within one, where values are handed over. */
    private static final double MESSAGE_NANOS = 150_000, BYTES_A_NANO = 1, HAND_OVER_NANOS = 10_000;

    /** Values below this tell how long a message takes, others how fast bytes go. */
    private static final long SMALL = 16 << 10;

    /** What a new measurement counts beside those before. */
    private static final double NEW = 0.5;

    /** The first number of what is written, and the longest name that is read. */
    private static final int FORMAT = 0x4f584331, LONGEST = 1 << 24;

    /** What a way takes. */
    private record Way(double message, double bytesANano) {}

    private final Map<String, Double> measured = new HashMap<>();
    private final Map<String, Way> ways = new HashMap<>();
    private long runs;

    /** How many runs it has learnt from since it was made or read. */
    public synchronized long runs() {
        return runs;
    }

    /** What a node takes on one thread. */
    public synchronized double nanos(Node n) {
        Double seen = measured.get(key(n));
        return seen != null ? seen : estimate(n);
    }

    /** Whether the time of a node was measured. */
    public synchronized boolean isMeasured(Node n) {
        return measured.containsKey(key(n));
    }

    private static String key(Node n) {
        return n.name() + " " + n.op().signature().name() + " " + n.outputs();
    }

    private static double estimate(Node n) {
        if (n.op() instanceof CoreOp) return n.op() instanceof Recv ? 0 : CALL_NANOS;
        for (Edge e : n.inputs()) if (!e.type().shape().isFullyKnown()) return CALL_NANOS;
        for (TensorType t : n.outputs()) if (!t.shape().isFullyKnown()) return CALL_NANOS;
        try {
            return CALL_NANOS + n.op().work(new Types(n), n.outputs()) / WORK_A_NANO;
        } catch (OxbowException e) {
            return CALL_NANOS; // what is wrong with it is said when it runs
        }
    }

    private record Types(Node node) implements NodeInference {
        @Override
        public TensorType input(int i) {
            return node.input(i).type().deref();
        }

        @Override
        public Tensor constant(int i) {
            return node.input(i).node().op() instanceof Const c ? c.value() : null;
        }
    }

    /** The bytes of a value, 0 where they are not known. */
    static long bytes(Edge e) {
        TensorType t = e.type();
        if (!t.isAllocatable() || t.dtype().isObject()) return 0;
        try {
            return t.byteSize();
        } catch (OxbowException x) {
            return 0; // no memory holds it
        }
    }

    /** What it takes to bring so many bytes from one device to another. */
    public synchronized double transfer(String from, String to, long bytes) {
        if (from.equals(to)) return 0;
        Way w = way(from, to);
        return w.message + bytes / w.bytesANano;
    }

    private Way way(String from, String to) {
        boolean one = task(from).equals(task(to));
        return ways.getOrDefault(
                task(from) + " " + task(to),
                one ? new Way(HAND_OVER_NANOS, Double.POSITIVE_INFINITY) : new Way(MESSAGE_NANOS, BYTES_A_NANO));
    }

    private static String task(String device) {
        int at = device.indexOf("/device:");
        return at < 0 ? device : device.substring(0, at);
    }

    /** Takes in what a run of this graph has shown. Nodes of it that did not run by themselves take nothing. */
    public synchronized void learn(Graph ran, List<Span> spans) {
        runs++;
        Map<String, Double> took = new HashMap<>();
        for (Span s : spans) {
            if (s.kind() != Span.Kind.RUN) continue;
            for (String n : s.nodes())
                took.merge(n, s.length() / (double) s.nodes().size(), Double::sum);
        }
        for (Node n : ran.nodes()) {
            double now = took.getOrDefault(n.name(), 0.0);
            measured.merge(key(n), now, (old, fresh) -> old + NEW * (fresh - old));
        }
        learnWays(spans);
    }

    private void learnWays(List<Span> spans) {
        Map<String, Long> sent = new HashMap<>();
        for (Span s : spans) if (s.kind() == Span.Kind.SEND) sent.put(s.key(), s.from());
        Map<String, List<Double>> messages = new HashMap<>(), rates = new HashMap<>();
        for (Span s : spans) {
            Long at = sent.get(s.key());
            if (s.kind() != Span.Kind.RECEIVE || at == null) continue;
            String way = task(s.peer()) + " " + task(s.device());
            double nanos = Math.max(1, s.to() - Math.max(at, s.from()));
            if (s.bytes() < SMALL)
                messages.computeIfAbsent(way, _ -> new ArrayList<>()).add(nanos);
            else
                rates.computeIfAbsent(way, _ -> new ArrayList<>())
                        .add(s.bytes() / Math.max(1, nanos - way(s.peer(), s.device()).message / 2));
        }
        messages.forEach((w, all) -> ways.compute(
                w,
                (_, old) -> new Way(
                        mixed(old == null ? null : old.message, middle(all)),
                        old == null ? BYTES_A_NANO : old.bytesANano)));
        rates.forEach((w, all) -> ways.compute(
                w,
                (_, old) -> new Way(
                        old == null ? MESSAGE_NANOS : old.message,
                        mixed(old == null ? null : old.bytesANano, middle(all)))));
    }

    private static double mixed(Double old, double fresh) {
        return old == null || Double.isInfinite(old) ? fresh : old + NEW * (fresh - old);
    }

    private static double middle(List<Double> all) {
        return all.stream().sorted().skip(all.size() / 2).findFirst().orElseThrow();
    }

    /** Writes what was measured. */
    public synchronized void write(DataOutput to) throws IOException {
        to.writeInt(FORMAT);
        to.writeInt(measured.size());
        for (var e : measured.entrySet()) {
            text(to, e.getKey());
            to.writeDouble(e.getValue());
        }
        to.writeInt(ways.size());
        for (var e : ways.entrySet()) {
            text(to, e.getKey());
            to.writeDouble(e.getValue().message);
            to.writeDouble(e.getValue().bytesANano);
        }
    }

    /** Reads what {@link #write} wrote. */
    public static CostModel read(DataInput from) throws IOException {
        int format = from.readInt();
        if (format != FORMAT) throw new IOException("costs of format %d, and %d is known".formatted(format, FORMAT));
        CostModel m = new CostModel();
        for (int n = from.readInt(); n > 0; n--) m.measured.put(text(from), number(from.readDouble()));
        for (int n = from.readInt(); n > 0; n--)
            m.ways.put(text(from), new Way(number(from.readDouble()), number(from.readDouble())));
        return m;
    }

    private static double number(double d) throws IOException {
        if (d >= 0) return d;
        throw new IOException("a cost of %s".formatted(d));
    }

    private static void text(DataOutput to, String s) throws IOException {
        byte[] b = s.getBytes(StandardCharsets.UTF_8);
        to.writeInt(b.length);
        to.write(b);
    }

    private static String text(DataInput from) throws IOException {
        int length = from.readInt();
        if (length < 0 || length > LONGEST) throw new IOException("a name of %d bytes".formatted(length));
        byte[] b = new byte[length];
        from.readFully(b);
        return new String(b, StandardCharsets.UTF_8);
    }
}
