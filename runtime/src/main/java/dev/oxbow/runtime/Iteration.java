package dev.oxbow.runtime;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** The values and progress of one iteration of a frame in one step. Pooled; all but the values is guarded by the step. */
final class Iteration {

    /** Stands in a slot for a value of a branch that was not taken. */
    static final Tensor DEAD = Tensor.ofObjects(DType.VARIANT, Shape.SCALAR, "dead");

    /** Stands in the control slot of a node that ran. */
    static final Tensor ALIVE = Tensor.ofObjects(DType.VARIANT, Shape.SCALAR, "alive");

    final FrameProgram program;
    final Tensor[] values;
    final int[] pending;
    final RegionRun[] regions;

    FrameRun frame;
    int number;

    /** Regions and inner frames that have not ended. */
    int remaining;

    /** Whether its regions may start; iterations beyond the frame's limit wait. */
    boolean active;

    Iteration next;

    /** NextIterations that ran with dead values before there was a next iteration. */
    final List<Instruction> deadNexts = new ArrayList<>();

    Iteration(FrameProgram program) {
        this.program = program;
        values = new Tensor[program.slots];
        pending = new int[program.pending.length];
        regions = new RegionRun[program.regions.size()];
        for (int i = 0; i < regions.length; i++) regions[i] = new RegionRun(this, program.regions.get(i));
    }

    void begin(FrameRun run, int n) {
        frame = run;
        number = n;
        System.arraycopy(program.pending, 0, pending, 0, pending.length);
        remaining = regions.length;
        active = false;
        next = null;
        deadNexts.clear();
        for (RegionRun r : regions) r.begin();
    }

    /** Frees the memory that its regions keep from step to step. */
    void close() {
        for (RegionRun r : regions) r.close();
    }

    /** Releases what the slots still hold. */
    void clear() {
        for (int i = 0; i < values.length; i++) {
            Tensor t = values[i];
            if (t == null) continue;
            values[i] = null;
            if (t != DEAD && t != ALIVE) t.release();
        }
        frame = null;
        next = null;
    }
}
