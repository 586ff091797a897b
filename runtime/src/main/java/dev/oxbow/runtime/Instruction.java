package dev.oxbow.runtime;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.ControlTrigger;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.graph.core.RefIdentity;

/** One node of a program, with its values as slots of its frame. Immutable once the program is built. */
final class Instruction {

    /** How the executor treats it. */
    enum Kind {
        KERNEL,
        ARG,
        RETVAL,
        SWITCH,
        MERGE,
        LOOP_MERGE,
        ENTER,
        EXIT,
        NEXT_ITERATION,
        SEND,
        RECV,
        CALL
    }

    final Node node;
    final Kind kind;
    final Kernel kernel;
    final boolean suppliesOutputs;

    /** Whether it only hands values on: a step that was cancelled still does that. */
    final boolean handsOn;

    /** The region it belongs to. */
    FrameProgram.Region region;

    /** Position in the frame's list of instructions, for its pending count. */
    int index;

    /** Slots of the data inputs; for LOOP_MERGE the slot of the first iteration, then that of later ones. */
    int[] in;

    /** Which inputs are references whose value is wanted. */
    boolean[] deref;

    /** Which inputs are constants of the graph, whose values inference may use for good. */
    boolean[] constant;

    /** Slots whose deadness makes this node dead: control inputs that may be dead. */
    int[] controlIn = {};

    /** Slot of each output, -1 when nobody reads it; in the child, parent or next iteration for ENTER, EXIT, NEXT_ITERATION. */
    int[] out;

    /** Slot that says whether this node was dead, for control outputs; -1 when nobody asks. */
    int controlOut = -1;

    /** Instructions (by index, in the frame of the outputs) of other regions that wait for an output, once per edge. */
    int[] notify = {};

    /** For ENTER: those of {@link #notify} that are not a loop's Merge. */
    int[] notifyOnce = {};

    /** How many inputs come from other regions or frames. */
    int external;

    /** Slots of this frame that are read here for the last time. */
    int[] release = {};

    /** Nodes with equal conditions are dead or alive together. */
    int condition;

    /** Which outputs other regions read. */
    boolean[] escapes;

    /** Whether an input may be dead. */
    boolean mayBeDead;

    /** For ENTER: the child frame. */
    FrameProgram child;

    /** For EXIT: its position among the frame's exits. */
    int exit;

    Instruction(Node node, Kind kind, Kernel kernel) {
        this.node = node;
        this.kind = kind;
        this.kernel = kernel;
        this.suppliesOutputs = node.op().suppliesOutputs();
        this.handsOn = switch (kind) {
            case NEXT_ITERATION, CALL -> false;
            case KERNEL -> handsOn(node.op());
            default -> true;
        };
    }

    private static boolean handsOn(Op op) {
        return switch (op) {
            case Const c -> true;
            case ControlTrigger c -> true;
            case Identity i -> true;
            case LoopCond c -> true;
            case NoOp n -> true;
            case RefIdentity i -> true;
            default -> false;
        };
    }

    @Override
    public String toString() {
        return node.name();
    }
}
