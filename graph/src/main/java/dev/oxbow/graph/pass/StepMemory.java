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
     * as ~i; the values of copies are numbered after all others.
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

    /** By node: the input whose memory its outputs share; -1 for none. */
    final int[] view;

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

    /** By value: one more than the last node that was seen to read it. */
    private final int[] stamp;

    /** {@code region} has a number for each node: nodes with the same number run in order, by one thread at a time. */
    StepMemory(Graph graph, int[] region) {
        this.graph = graph;
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
        view = new int[n];
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
        view[i] = passesOn(op) ? 0 : known ? op.viewOf(types, node.outputs()) : op.view();
        if (view[i] >= 0 && in[view[i]] < 0) view[i] = -1;
        outside[i] = op instanceof Arg
                || op instanceof Const
                || op.suppliesOutputs() && op.effects() == Effects.READS
                || passesOn(op) && view[i] < 0;
        for (int p = 0; p < node.outputCount(); p++) {
            int v = first[i] + p;
            owner[v] = i;
            root[v] = view[i] >= 0 ? root[in[view[i]]] : v;
            if (view[i] < 0 && !outside[i]) bytes[v] = size(node.output(p));
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

    private long size(TensorType t) {
        if (t.dtype().isObject() || t.isHandle()) return 0;
        try {
            if (t.shape().isFullyKnown()) return MemoryPool.blockSize(MemoryPool.byteSize(t.dtype(), t.shape()));
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
        for (int v = first[i]; v < first[i + 1]; v++) sum += certain(v);
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
        int[] last = new int[2 * values], reader = new int[2 * values];
        Arrays.fill(last, -1);
        Arrays.fill(reader, -1);
        for (int k = 0; k < sequence.length; k++) {
            int i = sequence[k] < 0 ? ~sequence[k] : sequence[k], at = sequence[k] < 0 ? anchor[i] : i;
            for (int v : inputs[i]) {
                if (v < 0) continue;
                int s = source(v, at, anchor);
                reader[s] = reader[s] == -1 || reader[s] == region[at] ? region[at] : SHARED;
                last[s] = reader[s] == SHARED || fetched[root[v]] ? END : k;
            }
        }
        Trace t = new Trace();
        t.sequence = sequence;
        t.held = new long[sequence.length];
        t.made = new int[2 * values];
        t.freed = new int[2 * values];
        t.roots = new int[2 * values];
        Arrays.fill(t.made, -1);
        Arrays.fill(t.roots, -1);
        Arrays.fill(t.freed, END);
        int[] slots = new int[2 * values];
        long now = 0;
        for (int k = 0; k < sequence.length; k++) {
            boolean copy = sequence[k] < 0;
            int i = copy ? ~sequence[k] : sequence[k], at = copy ? anchor[i] : i;
            for (int v = first[i]; v < first[i + 1]; v++) {
                int o = copy ? v + values : v;
                t.roots[o] = view[i] >= 0 ? t.roots[source(inputs[i][view[i]], at, anchor)] : o;
                slots[t.roots[o]]++;
                if (view[i] >= 0) continue;
                t.made[o] = k;
                now += bytes[v];
            }
            t.held[k] = now;
            if (now > t.peak) {
                t.peak = now;
                t.peakAt = k;
            }
            for (int v : inputs[i]) {
                if (v < 0) continue;
                int s = source(v, at, anchor);
                if (last[s] != k) continue;
                last[s] = SHARED; // once, though it may be read twice
                now -= release(t, t.roots[s], slots, k);
            }
            for (int v = first[i]; v < first[i + 1]; v++) {
                int o = copy ? v + values : v;
                if (last[o] == -1) now -= release(t, t.roots[o], slots, k);
            }
        }
        return t;
    }

    private long release(Trace t, int root, int[] slots, int k) {
        if (--slots[root] > 0) return 0;
        t.freed[root] = k;
        return bytes[root < owner.length ? root : root - owner.length];
    }
}
