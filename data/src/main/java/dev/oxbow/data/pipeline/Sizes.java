package dev.oxbow.data.pipeline;

import dev.oxbow.tensor.Tensor;
import java.util.List;

/** How many bytes an element holds, as far as that can be seen. */
final class Sizes {
    /** An object of which nothing is known. */
    static final long REFERENCE = 64;

    private Sizes() {}

    static long of(Object o) {
        return switch (o) {
            case null -> 0;
            case byte[] b -> REFERENCE + b.length;
            case String s -> REFERENCE + s.length();
            case Tensor t -> of(t);
            case Sample s -> of(s.tensors());
            case Batch b -> of(b.tensors());
            case List<?> l -> {
                long sum = REFERENCE;
                for (Object e : l) sum += of(e);
                yield sum;
            }
            default -> REFERENCE;
        };
    }

    private static long of(Tensor t) {
        if (!t.dtype().isObject()) return REFERENCE + t.byteSize();
        long sum = REFERENCE;
        for (Object o : t.objects()) sum += of(o);
        return sum;
    }
}
