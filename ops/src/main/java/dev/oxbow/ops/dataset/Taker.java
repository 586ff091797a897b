package dev.oxbow.ops.dataset;

import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Who asked for an element. */
@FunctionalInterface
interface Taker {

    /** Gets an element, which it owns, or an error; neither at the end. */
    void take(List<Tensor> element, Throwable error);
}
