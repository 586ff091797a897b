package dev.oxbow.runtime.run;

import dev.oxbow.graph.RendezvousKey;
import dev.oxbow.runtime.compile.FrameProgram;
import dev.oxbow.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;

/** One execution of a frame: the root of a step, or a loop entered from one iteration of its parent. Guarded by the step. */
final class FrameRun {
    final DeviceStep step;
    final FrameMemory memory;
    final FrameProgram program;

    /** The iteration of the parent frame that entered this one; null for the root. */
    final Iteration parent;

    /** The number that sends and receives of this frame share across devices. */
    final long id;

    /** Loops entered from iterations of this frame, by the number of their frame. */
    final Map<Iteration, Map<Integer, FrameRun>> children = new HashMap<>();

    final Tensor[] constants;
    final boolean[] exited;
    int entersLeft;
    int iterations;
    int activeIterations;
    Iteration first;
    Iteration last;
    boolean ended;

    FrameRun(DeviceStep step, FrameMemory memory, Iteration parent) {
        this.step = step;
        this.memory = memory;
        this.program = memory.program;
        this.parent = parent;
        this.entersLeft = program.enters();
        this.constants = new Tensor[program.slots()];
        this.exited = new boolean[program.exits().size()];
        this.id = parent == null ? 0 : RendezvousKey.frame(parent.frame.id, parent.number, program.name());
    }
}
