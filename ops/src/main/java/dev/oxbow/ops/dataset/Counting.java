package dev.oxbow.ops.dataset;

import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.LongFunction;

/** Elements by their numbers. */
final class Counting implements Elements {
    private final long count;
    private final LongFunction<List<Tensor>> element;
    private long at;

    Counting(long count, LongFunction<List<Tensor>> element) {
        this.count = count;
        this.element = element;
    }

    /** So many elements, each of which its taker owns; the tensors are released with the data set. */
    static Dataset of(List<Tensor> held, long count, LongFunction<List<Tensor>> element) {
        return new Dataset(held, List.of(), () -> new Counting(count, element)).sized(count);
    }

    @Override
    public void next(Turn turn, Taker taker) {
        taker.take(at < count ? element.apply(at++) : null, null);
    }
}
