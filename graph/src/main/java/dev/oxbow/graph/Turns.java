package dev.oxbow.graph;

import java.util.List;
import java.util.function.Consumer;

/** A service that lets steps begin in turn. Thread-safe. */
public interface Turns {
    /** The turns of the steps of a program, of which these nodes use the service. */
    Turn turn(List<Node> nodes);

    /** What a step of one program takes before it begins. */
    interface Turn {
        /** Calls {@code then} once when the turn of a step has come: with null, or with why it never will. */
        void take(long step, String key, Cancellation cancellation, Consumer<Throwable> then);

        /** A step that had its turn has ended, with this error or null. */
        void leave(long step, Throwable error);

        /** Whether the program is still right for what the service has become. */
        boolean isCurrent();
    }
}
