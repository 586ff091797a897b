package dev.oxbow.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;

/** The instructions of one loop frame (or of the whole program, the root) in regions, and its pooled iteration states. */
final class FrameProgram {
    final int id;
    final String name;
    final FrameProgram parent;
    final int parallelIterations;
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

    final List<Instruction> nextIterations = new ArrayList<>();

    private final ConcurrentLinkedDeque<Iteration> pool = new ConcurrentLinkedDeque<>();

    FrameProgram(int id, String name, FrameProgram parent, int parallelIterations) {
        this.parallelIterations = parallelIterations;
        this.id = id;
        this.name = name;
        this.parent = parent;
    }

    /** A straight line of instructions that wait for the same things. */
    static final class Region {
        final int index;
        final Instruction[] instructions;

        Region(int index, Instruction[] instructions) {
            this.index = index;
            this.instructions = instructions;
        }
    }

    Iteration acquire() {
        Iteration i = pool.pollFirst();
        return i != null ? i : new Iteration(this);
    }

    void release(Iteration i) {
        pool.addFirst(i);
    }
}
