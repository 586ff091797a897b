package dev.oxbow.runtime;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.PlacesInputs;
import dev.oxbow.graph.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** The instructions of one loop frame (or of the whole program, the root) in regions, and its pooled iteration states. */
final class FrameProgram {
    /** States of deeper calls would stay for ever when a recursion has gone deep once. */
    private static final int MOST_KEPT = 1_000;

    final int id;
    final String name;
    final FrameProgram parent;
    final int parallelIterations;
    final Device device;
    final List<Region> regions = new ArrayList<>();
    Instruction[] instructions = {};
    int[] pending = {};

    /** The region of each instruction. */
    int[] regionOf = {};

    int slots;

    /** Enters of this frame, which run in the parent: all must have come before the frame can end. */
    int enters;

    /** Exits, which give dead values when the frame ends without having given live ones. */
    final List<Instruction> exits = new ArrayList<>();

    /** Pairs of a constant Enter's slot with the instructions that wait for it are told to each new iteration. */
    final List<Instruction> constantEnters = new ArrayList<>();

    /** Enters, not constant, that others than a loop's Merge read: such readers live in the first iteration only. */
    final List<Instruction> firstEnters = new ArrayList<>();

    private final ConcurrentLinkedDeque<Iteration> pool = new ConcurrentLinkedDeque<>();

    FrameProgram(int id, String name, FrameProgram parent, int parallelIterations, Device device) {
        this.parallelIterations = parallelIterations;
        this.device = device;
        this.id = id;
        this.name = name;
        this.parent = parent;
    }

    /** A straight line of instructions that wait for the same things. */
    static final class Region {
        private static final int MOST_PLANS = 4;

        final int index;
        final Instruction[] instructions;

        /** Whether it is a draw of a loop that runs ahead of it, see {@link Scheduler}. */
        final boolean isDraw;

        /** Plans for input shapes seen so far, the newest first. */
        final AtomicReference<List<RegionPlan>> plans = new AtomicReference<>(List.of());

        /** Whether plans were found to hold more than the memory budget leaves, so that none are made. */
        volatile boolean plansDoNotFit;

        private final AtomicBoolean foreseen = new AtomicBoolean();

        Region(int index, Instruction[] instructions, boolean isDraw) {
            this.index = index;
            this.instructions = instructions;
            this.isDraw = isDraw;
        }

        /** Whether the caller is the first to run it, and so the one to make a plan ahead. */
        boolean isFirstRun() {
            return !foreseen.getPlain() && foreseen.compareAndSet(false, true);
        }

        /** Adds a plan in front; the oldest beyond a few is dropped. */
        void add(RegionPlan p) {
            plans.updateAndGet(old -> {
                List<RegionPlan> list = new ArrayList<>(old.subList(0, Math.min(old.size(), MOST_PLANS - 1)));
                list.addFirst(p);
                return List.copyOf(list);
            });
        }

        /** Forgets a plan whose shapes no longer hold. */
        void remove(RegionPlan p) {
            plans.updateAndGet(old -> old.stream().filter(x -> x != p).toList());
        }
    }

    /** The only reader of a value, an op that says where its inputs of so many bytes lie. */
    record Reader(Instruction instruction, int input, long bytes) {}

    /** Who says where the value of a slot lies, or null. In loops nobody does, where values pass from one iteration to another. */
    Reader placing(int slot) {
        if (placing == null) placing = findPlacing();
        return placing[slot];
    }

    private Reader[] findPlacing() {
        int[] readers = new int[slots];
        for (Instruction i : instructions) for (int s : i.in) readers[s]++;
        Reader[] found = new Reader[slots];
        for (Instruction i : instructions) {
            if (parent != null || !(i.node.op() instanceof PlacesInputs)) continue;
            List<TensorType> types = i.node.inputs().stream().map(Edge::type).toList();
            if (!types.stream().allMatch(TensorType::isAllocatable)) continue;
            for (int k = 0; k < i.in.length; k++) {
                if (readers[i.in[k]] == 1 && !i.deref[k])
                    found[i.in[k]] = new Reader(i, k, RegionPlan.bytes(types.get(k)));
            }
        }
        return found;
    }

    Iteration acquire() {
        Iteration i = pool.pollFirst();
        return i != null ? i : new Iteration(this);
    }

    /** Takes back an iteration that has been cleared; those far down in calls are not kept for later ones. */
    void release(Iteration i, Calls.Depth depth) {
        if (closed || depth.calls() > MOST_KEPT) i.close();
        else pool.addFirst(i);
    }

    /** Frees the memory that idle iterations keep; they make it anew when they run again. */
    void trim() {
        Iteration i;
        while ((i = pool.pollFirst()) != null) i.close();
    }

    private volatile Reader[] placing;
    private volatile boolean closed;

    /** Frees the memory that pooled iterations keep. */
    void close() {
        closed = true;
        Iteration i;
        while ((i = pool.pollFirst()) != null) i.close();
        for (Region r : regions) r.plans.getAndSet(List.of()).forEach(RegionPlan::close);
    }
}
