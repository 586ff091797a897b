package dev.oxbow.data.pipeline;

import dev.oxbow.tensor.Tensor;
import java.util.List;

/** How the rows of one batch come together. */
interface Assembly<T> {

    /** Computes rows {@code [from, to)}, or notes why one can not be had; threads have rows of their own. */
    void compute(List<Lazy<T>> members, int from, int to, RuntimeException[] failures);

    /** All rows, once each was computed. */
    List<Tensor> finish();

    /** Lets go of what was not handed out. */
    void close();
}
