package dev.oxbow.kernels.expr;

import dev.oxbow.tensor.Tensor;

/** Values being reduced, one for each of some output elements. */
interface Accumulators {
    /** Fresh ones of the same sort. */
    Accumulators empty(int n);

    /** Takes {@code n} fetched values from {@code at} on into accumulator {@code out}. */
    void run(MappedInput in, int out, int at, int n);

    /** Takes {@code n} fetched values from {@code at} on, one each, into the accumulators from {@code out} on. */
    void columns(MappedInput in, int out, int at, int n);

    /** Takes in {@code later}, of the same size, which holds what comes after. */
    void merge(Accumulators later);

    /** Takes the only value of {@code later} into accumulator {@code out}. */
    void mergeValue(int out, Accumulators later);

    /** Writes the results, each of {@code count} values, to the elements of {@code output} from {@code at} on. */
    void store(Tensor output, long at, long count);
}
