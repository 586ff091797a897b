package dev.oxbow.collective.keyed;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Stateful.Taking;

/** An op of TensorFlow's that the devices of a group do together. */
interface KeyedOp extends Op, Taking {

    /**
     * How devices find each other.
     *
     * @param rank the rank that this one wants, or -1
     */
    record Keys(int group, int size, int instance, int rank) {}

    /** What it waits for others, 0 for as long as the server says. */
    float timeoutSeconds();

    @Override
    default Class<?> service() {
        return Meeting.class;
    }

    /** Keys that are inputs from this one on: the size of the group, its key, and that of the instance. */
    static Keys keys(KernelContext c, int first) {
        return new Keys(
                (int) c.input(first + 1).getLong(0),
                (int) c.input(first).getLong(0),
                (int) c.input(first + 2).getLong(0),
                -1);
    }

    /** The type of input 0 with any number of rows. */
    static TensorType rows(InferenceContext c) {
        TensorType x = c.input(0);
        require(!x.shape().isRankKnown() || x.shape().rank() > 0, INVALID_ARGUMENT, "wants rows, got a scalar");
        return x.deref().withShape(x.shape().isRankKnown() ? x.shape().withDim(0, -1) : x.shape());
    }
}
