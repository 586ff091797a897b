package dev.oxbow.ops.parse;

import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Parsed examples.
 *
 * @param rows what was found in each
 * @param single whether it is one example without a batch around it, whose tensors lack that dimension
 * @param errors what is said of those that are wrong
 */
record Examples<T>(List<T> rows, boolean single, ExampleErrors errors) {

    /** All examples of a vector or scalar of them. */
    static <T> Examples<T> parsed(Tensor serialized, ExampleErrors errors, Function<byte[], T> parser) {
        List<T> rows = new ArrayList<>();
        for (Object o : serialized.objects())
            try {
                rows.add(parser.apply((byte[]) o));
            } catch (OxbowException e) {
                throw errors.broken(rows.size(), (byte[]) o, e);
            }
        return new Examples<>(rows, serialized.shape().rank() == 0, errors);
    }

    int count() {
        return rows.size();
    }

    T get(int row) {
        return rows.get(row);
    }

    /** A shape behind the dimension of the batch, if there is one. */
    Shape withBatch(Shape s) {
        return single ? s : Shape.of(rows.size()).concat(s);
    }
}
