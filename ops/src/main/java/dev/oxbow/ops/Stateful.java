package dev.oxbow.ops;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Op;

/** The few ways in which ops work with state (variables, queues, tables, lists of a step) or make their outputs themselves. */
public final class Stateful {
    private Stateful() {}

    /** Makes its outputs itself, such as values that it found, or whose size only the kernel knows. */
    public interface Supplying extends Op {
        @Override
        default boolean suppliesOutputs() {
            return true;
        }
    }

    /** Looks at state. */
    public interface Asking extends Op {
        @Override
        default Effects effects() {
            return Effects.READS;
        }
    }

    /** Finds state, or a value of it, and gives it. */
    public interface Opening extends Asking, Supplying {}

    /** Changes state, or what is outside. */
    public interface Changing extends Op {
        @Override
        default Effects effects() {
            return Effects.WRITES;
        }
    }

    /** Changes state and gives a value. */
    public interface Giving extends Changing, Supplying {}

    /** Changes state when there is room. */
    public interface Putting extends Changing {
        @Override
        default boolean waits() {
            return true;
        }
    }

    /** Changes state when there is something to take, and gives it. */
    public interface Taking extends Putting, Supplying {}

    /** Draws random numbers. */
    public interface Drawing extends Op {
        @Override
        default Effects effects() {
            return Effects.RANDOM;
        }
    }
}
