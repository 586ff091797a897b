package dev.oxbow.parallel;

import java.util.Arrays;

/**
 * What a node does under a plan.
 *
 * @param wants the layout of each input
 * @param gives the layout of each output
 * @param form what becomes of the op where pieces are computed
 * @param operand the input that the form speaks of
 */
record Rule(Layout[] wants, Layout[] gives, Form form, int operand) {

    /** What becomes of an op. */
    enum Form {
        /** It stays. */
        PLAIN,
        /** An operand spells the shape of the first output, which is that of a piece. */
        SHAPED,
        /** An operand spells the shape of the items of a list. */
        ITEMS,
        /** A mean along the split axis: a sum, divided by the number of elements of the whole. */
        MEAN,
        /** A box of the input that has all of the split axis. */
        BOX,
        /** A strided slice, or its gradient, that has all of the split axis. */
        STRIDED,
        /** Numbers that are drawn at their index in the whole, of the shape that an operand spells. */
        DRAWN,
        /** A check that the whole value has passed. */
        PASSED
    }

    static Rule of(Layout[] wants, Layout... gives) {
        return new Rule(wants, gives, Form.PLAIN, -1);
    }

    Rule as(Form form, int operand) {
        return new Rule(wants, gives, form, operand);
    }

    /** The same layout so many times. */
    static Layout[] all(int count, Layout layout) {
        Layout[] all = new Layout[count];
        Arrays.fill(all, layout);
        return all;
    }

    /** Whether each device computes a piece, rather than all of them the same. */
    boolean isApart() {
        for (Layout l : gives) if (!l.isBroadcast()) return true;
        for (Layout l : wants) if (!l.isBroadcast()) return true;
        return false;
    }
}
