package dev.oxbow.runtime.run;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;

/** The check, on request, that no output holds a NaN or an infinity. */
final class Numerics {
    private Numerics() {}

    static void check(Tensor[] outputs) {
        for (int k = 0; k < outputs.length; k++) {
            Tensor t = outputs[k];
            if (t == null || !t.dtype().isFloating()) continue;
            long i = t.onHost(Numerics::firstNotFinite);
            if (i >= 0)
                throw new OxbowException(
                        INVALID_ARGUMENT,
                        "output %d holds %s at element %d of %s"
                                .formatted(k, t.<Double>onHost(x -> x.getDouble(i)), i, t.describe()));
        }
    }

    private static long firstNotFinite(Tensor t) {
        long n = t.size();
        for (long i = 0; i < n; i++) {
            double v = t.getDouble(i);
            if (v - v != 0) return i;
        }
        return -1;
    }
}
