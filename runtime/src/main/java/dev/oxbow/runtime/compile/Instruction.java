package dev.oxbow.runtime.compile;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.ControlTrigger;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.NoOp;
import dev.oxbow.graph.core.RefIdentity;

/** One node of a program, with its values as slots of its frame. Immutable. */
public final class Instruction {

    /** How the executor treats it. */
    public enum Kind {
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

    public final Node node;
    public final Kind kind;
    public final Kernel kernel;
    public final boolean suppliesOutputs;

    /** Whether it is computed on the host though its device's memory is elsewhere, and its outputs stay there. */
    public final boolean onHost;

    /** Whether it only hands values on: a step that was cancelled still does that. */
    public final boolean handsOn;

    /** Position in the frame's list of instructions, for its pending count. */
    public final int index;

    /** Slots of the data inputs; for LOOP_MERGE the slot of the first iteration, then that of later ones. */
    public final int[] in;

    /** Which inputs are references whose value is wanted. */
    public final boolean[] deref;

    /** Which inputs are constants of the graph, whose values inference may use for good. */
    public final boolean[] constant;

    /** Slots whose deadness makes this node dead: control inputs that may be dead. */
    public final int[] controlIn;

    /** Slot of each output, -1 when nobody reads it; in the child, parent or next iteration for ENTER, EXIT, NEXT_ITERATION. */
    public final int[] out;

    /** Slot that says whether this node was dead, for control outputs; -1 when nobody asks. */
    public final int controlOut;

    /** Instructions (by index, in the frame of the outputs) of other regions that wait for an output, once per edge. */
    public final int[] notify;

    /** For ENTER: those of {@link #notify} that are not a loop's Merge. */
    public final int[] notifyOnce;

    /** How many inputs come from other regions or frames. */
    public final int external;

    /** Slots of this frame that are read here for the last time. */
    public final int[] release;

    /** Nodes with equal conditions are dead or alive together. */
    public final int condition;

    /** Which outputs other regions read. */
    public final boolean[] escapes;

    /** Whether an input may be dead. */
    public final boolean mayBeDead;

    /** For ENTER: the number of the child frame; else -1. */
    public final int child;

    /** For EXIT: its position among the frame's exits; else -1. */
    public final int exit;

    Instruction(Draft d, Kernel kernel, boolean onHost) {
        this.onHost = onHost;
        this.node = d.node;
        this.kind = d.kind;
        this.kernel = kernel;
        this.index = d.index;
        this.in = d.in;
        this.deref = d.deref;
        this.constant = d.constant;
        this.controlIn = d.controlIn;
        this.out = d.out;
        this.controlOut = d.controlOut;
        this.notify = d.notify;
        this.notifyOnce = d.notifyOnce;
        this.external = d.external;
        this.release = d.release;
        this.condition = d.condition;
        this.escapes = d.escapes;
        this.mayBeDead = d.mayBeDead;
        this.child = d.child;
        this.exit = d.exit;
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
