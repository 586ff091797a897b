package dev.oxbow.runtime.run;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.PlacesInputs;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.RefEnter;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.graph.core.Send;
import dev.oxbow.runtime.compile.FrameProgram;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.runtime.compile.Marks;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The values and progress of one iteration of a frame in one step. Pooled; all but the values is guarded by the step. */
final class Iteration implements FrameMemory.Kept {

    final FrameMemory memory;
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

    private final Map<Instruction, PlacesInputs.Places> places = new HashMap<>();

    /** One that a step before has kept, or a new one. */
    static Iteration of(FrameMemory memory) {
        return memory.take() instanceof Iteration i ? i : new Iteration(memory);
    }

    private Iteration(FrameMemory memory) {
        this.memory = memory;
        this.program = memory.program;
        values = new Tensor[program.slots()];
        pending = new int[program.pending().length];
        regions = new RegionRun[program.regions().size()];
        for (int i = 0; i < regions.length; i++)
            regions[i] = new RegionRun(this, program.regions().get(i));
    }

    void begin(FrameRun run, int n) {
        frame = run;
        number = n;
        System.arraycopy(program.pending(), 0, pending, 0, pending.length);
        remaining = regions.length;
        active = false;
        next = null;
        deadNexts.clear();
        for (RegionRun r : regions) r.begin();
    }

    /** The memory for the inputs of an op that places them, as far as a plan has asked for it; else null. */
    synchronized PlacesInputs.Places places(Instruction i) {
        return places.get(i);
    }

    /** Where the only reader of a slot wants a value of so many bytes to lie; 0 when it does not matter. */
    synchronized long place(int slot, long bytes) {
        FrameMemory.Reader reader = memory.placing(slot);
        if (reader == null || reader.bytes() != bytes) return 0;
        PlacesInputs.Places there = places.get(reader.instruction());
        if (there == null) {
            Node n = reader.instruction().node;
            List<TensorType> types = n.inputs().stream().map(Edge::type).toList();
            there = ((PlacesInputs) n.op()).places(frame.step.session::service, types);
            if (there == null) return 0;
            places.put(reader.instruction(), there);
        }
        return there.address(reader.input());
    }

    /** Frees the memory that its regions keep from step to step. */
    @Override
    public synchronized void close() {
        for (RegionRun r : regions) r.close();
        places.values().forEach(PlacesInputs.Places::close);
        places.clear();
    }

    /** Releases what the slots still hold. */
    void clear() {
        for (int i = 0; i < values.length; i++) {
            Tensor t = values[i];
            if (t == null) continue;
            values[i] = null;
            if (t != Marks.DEAD && t != Marks.ALIVE) t.release();
        }
        frame = null;
        next = null;
    }

    /** Passes deadness on; what ends at a frame's border is told by the frame when it ends. */
    void dead(Instruction i, Ready ready) {
        switch (i.kind) {
            case NEXT_ITERATION -> frame.step.nextIteration(this, i, Marks.DEAD, ready);
            case EXIT -> {}
            case ENTER -> enter(i, Marks.DEAD, ready);
            case SEND -> send(i, null);
            case RETVAL ->
                throw new OxbowException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Retval[" + ((Retval) i.node.op()).index()
                                + "] does not have value: the fetched value is in a branch that was not taken");
            default -> {
                for (int s : i.out) Routing.give(values, s, Marks.DEAD);
                if (i.controlOut >= 0) values[i.controlOut] = Marks.DEAD;
                if (i.notify.length > 0) frame.step.tell(this, i.notify, ready);
            }
        }
    }

    void enter(Instruction i, Tensor value, Ready ready) {
        boolean constant = i.node.op() instanceof Enter e ? e.isConstant() : ((RefEnter) i.node.op()).isConstant();
        frame.step.enter(this, i, value, constant, ready);
    }

    /** Sends a value, or null for the news that it is dead. */
    void send(Instruction i, Tensor value) {
        frame.step.context.rendezvous().send(((Send) i.node.op()).key(frame.id, number), value);
    }
}
