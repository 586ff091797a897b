package dev.oxbow.runtime.run;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.PlacesInputs;
import dev.oxbow.graph.TensorType;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.compile.FrameProgram;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.runtime.compile.Region;
import dev.oxbow.runtime.plan.PlanCache;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;

/** What a frame of a device's program keeps from step to step: states of its iterations, and the plans of its regions. */
final class FrameMemory {
    /** States of deeper calls would stay for ever when a recursion has gone deep once. */
    private static final int MOST_KEPT = 1_000;

    final FrameProgram program;
    final Device device;

    /** By region. */
    final PlanCache[] plans;

    private final ConcurrentLinkedDeque<Kept> pool = new ConcurrentLinkedDeque<>();
    private volatile Reader[] placing;
    private volatile boolean closed;

    FrameMemory(FrameProgram program, Device device) {
        this.program = program;
        this.device = device;
        plans = new PlanCache[program.regions().size()];
        for (Region r : program.regions()) plans[r.index()] = new PlanCache(r, program.slots(), device);
    }

    /** The only reader of a value, an op that says where its inputs of so many bytes lie. */
    record Reader(Instruction instruction, int input, long bytes) {}

    /** Who says where the value of a slot lies, or null. In loops nobody does, where values pass from one iteration to another. */
    Reader placing(int slot) {
        if (placing == null) placing = findPlacing();
        return placing[slot];
    }

    private Reader[] findPlacing() {
        int[] readers = new int[program.slots()];
        for (Instruction i : program.instructions()) for (int s : i.in) readers[s]++;
        Reader[] found = new Reader[readers.length];
        for (Instruction i : program.instructions()) {
            if (program.parent() != null || !(i.node.op() instanceof PlacesInputs)) continue;
            List<TensorType> types = i.node.inputs().stream().map(Edge::type).toList();
            if (!types.stream().allMatch(TensorType::isAllocatable)) continue;
            for (int k = 0; k < i.in.length; k++) {
                if (readers[i.in[k]] == 1 && !i.deref[k])
                    found[i.in[k]] = new Reader(i, k, types.get(k).byteSize());
            }
        }
        return found;
    }

    /** What a step keeps for a later one. */
    interface Kept {
        /** Frees its memory; it makes that anew when it is used again. */
        void close();
    }

    /** What a step before has kept, or null. */
    Kept take() {
        return pool.pollFirst();
    }

    /** Keeps what has been cleared; what is far down in calls is not kept for later ones. */
    void keep(Kept k, Calls.Depth depth) {
        if (closed || depth.calls() > MOST_KEPT) k.close();
        else pool.addFirst(k);
        if (closed) trim(); // it was closed in between
    }

    /** Frees the memory that idle iterations keep; they make it anew when they run again. */
    void trim() {
        Kept k;
        while ((k = pool.pollFirst()) != null) k.close();
    }

    /** Frees the memory that idle iterations keep, now and when others come back, and all plans. */
    void close() {
        closed = true;
        trim();
        for (PlanCache p : plans) p.close();
    }
}
