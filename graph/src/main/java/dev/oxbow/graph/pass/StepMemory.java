package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.Park;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.graph.core.Send;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.util.Arrays;
import java.util.List;

/** The values of a graph with their sizes, and a simulated step that tells what they hold at each moment. */
final class StepMemory {

    /*
     * Nodes and values are numbers: node i of the graph has the values first[i] to first[i + 1]. A node may be computed
     * twice: anchor[i] is then the node before which its copy runs, and whoever runs from there on reads the copy. So an
     * array of anchors, -1 for nodes without a copy, says all about a plan. In a sequence, node i stands as i and its copy
     * as ~i; the values of copies are numbered after all others. Nodes that are one kernel read until the last of them runs.
     */

    private static final int END = Integer.MAX_VALUE;
    private static final int SHARED = -2;

    final Graph graph;
    final List<Node> nodes;
    final int[] first;
    final int[] owner;
    final int[][] inputs;

    /** By node: the values whose memory it reads, each once. */
    final int[][] read;

    final long[] bytes;

    /** By value: the value whose memory it shows, a view of it or written over it; -1 for none. */
    final int[] shows;

    /** By value: the value whose memory it is; itself when it is no view. */
    final int[] root;

    /** By node: whether its outputs lie outside of the step's memory. */
    final boolean[] outside;

    /** By node: whether it stands behind control flow, where values may be dead or come in many versions. */
    final boolean[] flow;

    /** By node: whether computing it once more changes nothing. */
    final boolean[] repeatable;

    final boolean[] fetched;
    final double[] work;
    final int[] region;
    int unknown;

    /** What is known of kernels of several nodes; null for nothing. */
    private final JoinedNodes joined;

    /** By value: one more than the last node that was seen to read it. */
    private final int[] stamp;

    /** {@code region} has a number for each node: nodes with the same number run in order, by one thread at a time. */
    StepMemory(Graph graph, int[] region) {
        this(graph, region, null);
    }

    /** With what is known of kernels of several nodes, or null. */
    StepMemory(Graph graph, int[] region, JoinedNodes joined) {
        this.graph = graph;
        this.joined = joined;
        this.region = region;
        nodes = graph.nodes();
        int n = nodes.size();
        first = new int[n + 1];
        for (int i = 0; i < n; i++) first[i + 1] = first[i] + nodes.get(i).outputCount();
        int values = first[n];
        owner = new int[values];
        bytes = new long[values];
        root = new int[values];
        fetched = new boolean[values];
        inputs = new int[n][];
        read = new int[n][];
        stamp = new int[values];
        shows = new int[values];
        outside = new boolean[n];
        flow = new boolean[n];
        repeatable = new boolean[n];
        work = new double[n];
        for (int i = 0; i < n; i++) read(i, nodes.get(i));
    }

    private void read(int i, Node node) {
        Op op = node.op();
        int[] in = inputs[i] = new int[node.inputCount()];
        boolean flows = isFlow(op), refs = false, handles = false;
        for (int k = 0; k < in.length; k++) {
            Edge e = node.input(k);
            in[k] = e.node().id() >= i ? -1 : first[e.node().id()] + e.port();
            if (in[k] >= 0) flows |= flow[e.node().id()];
            refs |= e.type().isRef();
            if ((op instanceof Retval || op instanceof Send) && in[k] >= 0) fetched[root[in[k]]] = true;
        }
        int count = 0;
        int[] roots = new int[in.length];
        for (int v : in) {
            if (v < 0 || stamp[root[v]] == i + 1) continue;
            stamp[root[v]] = i + 1;
            roots[count++] = root[v];
        }
        read[i] = Arrays.copyOf(roots, count);
        for (Node c : node.controls()) flows |= flow[c.id()];
        flow[i] = flows;
        boolean known = true;
        for (Edge e : node.inputs()) known &= e.type().shape().isFullyKnown();
        for (TensorType t : node.outputs()) {
            known &= t.isAllocatable();
            handles |= t.isHandle();
        }
        Fold.Types types = Fold.Types.of(node);
        int view = passesOn(op) ? 0 : known ? op.viewOf(types, node.outputs()) : op.view();
        if (view >= 0 && in[view] < 0) view = -1;
        outside[i] = op instanceof Arg
                || op instanceof Const
                || op instanceof Park
                || op.suppliesOutputs() && op.effects() == Effects.READS
                || passesOn(op) && view < 0;
        for (int p = 0; p < node.outputCount(); p++) {
            int v = first[i] + p;
            owner[v] = i;
            shows[v] = view >= 0 ? in[view] : joined == null ? -1 : over(i, p);
            root[v] = shows[v] >= 0 ? root[shows[v]] : v;
            boolean written = joined == null || joined.isWritten(i, p);
            if (view < 0 && !outside[i] && written) bytes[v] = size(node.output(p));
        }
        boolean core = op instanceof CoreOp && !(op instanceof Identity);
        repeatable[i] = known
                && !core
                && !flows
                && !refs
                && !handles
                && op.effects() == Effects.NONE
                && !op.waits()
                && node.outputCount() > 0;
        if (known && !core) work[i] = op.work(types, node.outputs());
    }

    /** The value of an earlier node that an output is written over; -1 for none. */
    private int over(int i, int port) {
        Edge e = joined.over(i, port);
        return e == null || e.node().id() >= i ? -1 : first[e.node().id()] + e.port();
    }

    private long size(TensorType t) {
        if (t.dtype().isObject() || t.isHandle()) return 0;
        try {
            if (t.shape().isFullyKnown()) {
                long size = MemoryPool.byteSize(t.dtype(), t.shape());
                return joined == null ? MemoryPool.blockSize(size) : size; // a plan cuts its places from one block
            }
        } catch (OxbowException e) {
            return Long.MAX_VALUE / 4; // no memory holds it
        }
        unknown++;
        return 0;
    }

    private static boolean isFlow(Op op) {
        return passesOn(op) || op instanceof LoopCond || op instanceof Recv;
    }

    /** Whether an op of control flow gives its first input's memory on. */
    private static boolean passesOn(Op op) {
        return Frames.isSwitch(op)
                || Frames.isMerge(op)
                || Frames.isEnter(op)
                || Frames.isExit(op)
                || Frames.isNext(op);
    }

    int size() {
        return nodes.size();
    }

    /** What a reader that runs at node {@code at} reads for value {@code v}. */
    int source(int v, int at, int[] anchor) {
        int a = anchor == null ? -1 : anchor[owner[v]];
        return a >= 0 && a <= at ? v + owner.length : v;
    }

    /** The bytes of a node's inputs and outputs, which are there at once in any order; 0 where it may not run. */
    long least(int i) {
        long sum = 0;
        for (int v = first[i]; v < first[i + 1]; v++) if (shows[v] < 0) sum += certain(v);
        for (int r : read[i]) sum += certain(r);
        return flow[i] ? 0 : sum;
    }

    /** The bytes of a value, 0 when its kernel may pass other memory on instead. */
    private long certain(int v) {
        return nodes.get(owner[v]).op().suppliesOutputs() ? 0 : bytes[v];
    }

    /** The nodes in order, each with the copies that run before it. */
    int[] sequence(int[] anchor) {
        int n = size(), copies = 0;
        int[] start = new int[n + 1];
        for (int a : anchor) {
            if (a < 0) continue;
            start[a + 1]++;
            copies++;
        }
        for (int i = 0; i < n; i++) start[i + 1] += start[i];
        int[] sequence = new int[n + copies], filled = new int[n];
        for (int i = 0; i < n; i++) {
            sequence[start[i + 1] + i] = i;
            if (anchor[i] >= 0) sequence[start[anchor[i]] + anchor[i] + filled[anchor[i]]++] = ~i;
        }
        return sequence;
    }

    /** What a step did. */
    static final class Trace {
        int[] sequence;
        long peak;
        int peakAt;

        /** By place in the sequence: what was held while that node ran. */
        long[] held;

        /** By value, copies included: where its memory was made and given back; -1 for never made. */
        int[] made;

        int[] freed;

        /** By value, copies included: the value whose memory it is. */
        int[] roots;
    }

    Trace simulate(int[] sequence, int[] anchor) {
        int values = owner.length;
        int[] last = ends(sequence, anchor);
        Trace t = new Trace();
        t.sequence = sequence;
        t.held = new long[sequence.length];
        t.made = new int[2 * values];
        t.freed = new int[2 * values];
        t.roots = new int[2 * values];
        Arrays.fill(t.made, -1);
        Arrays.fill(t.roots, -1);
        Arrays.fill(t.freed, END);
        int[] slots = new int[2 * values], next = new int[2 * values], ending = new int[sequence.length];
        Arrays.fill(ending, -1);
        for (int v = 2 * values - 1; v >= 0; v--) {
            if (last[v] < 0 || last[v] == END) continue;
            next[v] = ending[last[v]];
            ending[last[v]] = v;
        }
        long now = 0;
        for (int k = 0; k < sequence.length; k++) {
            boolean copy = sequence[k] < 0;
            int i = copy ? ~sequence[k] : sequence[k], at = copy ? anchor[i] : i;
            for (int v = first[i]; v < first[i + 1]; v++) {
                int o = copy ? v + values : v;
                int shown = shows[v] < 0 ? -1 : t.roots[source(shows[v], at, anchor)];
                t.roots[o] = shown < 0 ? o : shown; // in another order there may be nothing yet to write over
                slots[t.roots[o]]++;
                if (shown >= 0) continue;
                t.made[o] = k;
                now += bytes[v];
            }
            t.held[k] = now;
            if (now > t.peak) {
                t.peak = now;
                t.peakAt = k;
            }
            for (int v = ending[k]; v >= 0; v = next[v]) now -= release(t, t.roots[v], slots, k);
            for (int v = first[i]; v < first[i + 1]; v++) {
                int o = copy ? v + values : v;
                if (last[o] == -1) now -= release(t, t.roots[o], slots, k);
            }
        }
        return t;
    }

    /** By value, copies included: after which place of the sequence nobody reads it; -1 for never read. */
    private int[] ends(int[] sequence, int[] anchor) {
        int values = owner.length;
        int[] last = new int[2 * values], reader = new int[2 * values], ends = kernelEnds(sequence);
        Arrays.fill(last, -1);
        Arrays.fill(reader, -1);
        for (int k = 0; k < sequence.length; k++) {
            int i = sequence[k] < 0 ? ~sequence[k] : sequence[k], at = sequence[k] < 0 ? anchor[i] : i;
            int end = sequence[k] < 0 || ends == null ? k : ends[joined.kernel(i)];
            for (int v : inputs[i]) {
                if (v < 0) continue;
                int s = source(v, at, anchor);
                reader[s] = reader[s] == -1 || reader[s] == region[at] ? region[at] : SHARED;
                last[s] = reader[s] == SHARED || fetched[root[v]] ? END : Math.max(last[s], end);
            }
        }
        return last;
    }

    /** By node, in the order in which they are written: where the last node of its kernel stands. */
    int[] kernelEnds() {
        int[] ends = new int[size()];
        Arrays.setAll(ends, i -> i);
        int[] written = joined == null ? null : kernelEnds(ends.clone());
        if (written != null) Arrays.setAll(ends, i -> written[joined.kernel(i)]);
        return ends;
    }

    /** By kernel: the place of its last node; null where each node is one. */
    private int[] kernelEnds(int[] sequence) {
        if (joined == null) return null;
        int[] ends = new int[size()];
        for (int k = 0; k < sequence.length; k++) if (sequence[k] >= 0) ends[joined.kernel(sequence[k])] = k;
        return ends;
    }

    private long release(Trace t, int root, int[] slots, int k) {
        if (--slots[root] > 0) return 0;
        t.freed[root] = k;
        return bytes[root < owner.length ? root : root - owner.length];
    }

    /** Whether a node makes nothing but views. */
    boolean isView(int i) {
        return first[i] < first[i + 1] && shows[first[i]] >= 0;
    }
}
