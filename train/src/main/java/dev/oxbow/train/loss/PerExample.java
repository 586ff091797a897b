package dev.oxbow.train.loss;

import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.stream.IntStream;

/** Numbers of each example as one, and numbers of all examples as a contribution to a metric. */
final class PerExample {
    private PerExample() {}

    /** The mean over all axes but the batch. */
    static Value mean(Value each) {
        int rank = each.shape().rank();
        return rank == 1 ? each : each.mean(IntStream.range(1, rank).toArray());
    }

    /** The mean over positions of a number for each of them, which is the sum over the last axis. */
    static Value meanOfSums(Value each) {
        return mean(each.sum(each.shape().rank() - 1));
    }

    /** The sum and the number of elements, as a metric wants them. */
    static Value sumAndCount(Value each) {
        return Value.stack(0, each.cast(DType.F64).sum(), each.runtimeSize().cast(DType.F64));
    }

    /** Logits of several positions as rows: [n, classes]. */
    static Value rows(Value prediction) {
        Shape s = prediction.shape();
        return s.rank() == 2 ? prediction : prediction.reshape(-1, s.dim(s.rank() - 1));
    }

    /** The number of the right class of each row, from numbers, or from rows of which the greatest counts. */
    static Value classes(Value prediction, Value target) {
        Value t = target.shape().rank() == prediction.shape().rank()
                ? target.argMax(target.shape().rank() - 1)
                : target;
        return t.shape().rank() == 1 ? t : t.reshape(-1);
    }
}
