package dev.oxbow.parallel;

/** How the pieces that the devices of a mesh axis hold make up a value. */
public sealed interface Layout {
    Layout BROADCAST = new Broadcast();
    Layout SUM = new Partial("sum");

    static Layout split(int axis) {
        return new Split(axis, false);
    }

    /** Everybody has the value. */
    record Broadcast() implements Layout {
        @Override
        public String toString() {
            return "B";
        }
    }

    /**
     * Everybody has a range of indices of one dimension, in the order of the devices.
     *
     * @param strewn whether the dimension has as many such ranges of everybody, one after the other, as a list had items,
     *     so that a piece is some of each: good for sums over the dimension, and for nothing that asks for an order
     */
    record Split(int axis, boolean strewn) implements Layout {
        @Override
        public String toString() {
            return "S(" + axis + (strewn ? ", strewn)" : ")");
        }
    }

    /** Everybody has a tensor of the value's shape; all of them together, by this reduction, are the value. */
    record Partial(String reduction) implements Layout {
        @Override
        public String toString() {
            return "P(" + reduction + ")";
        }
    }

    default boolean isBroadcast() {
        return this instanceof Broadcast;
    }

    default boolean isSplit() {
        return this instanceof Split;
    }

    default boolean isPartial() {
        return this instanceof Partial;
    }

    /** The axis that is split, or -1. */
    default int axis() {
        return this instanceof Split s ? s.axis : -1;
    }
}
