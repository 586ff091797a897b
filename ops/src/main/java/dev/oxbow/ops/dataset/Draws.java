package dev.oxbow.ops.dataset;

import dev.oxbow.kernels.random.Samples;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Random numbers as elements, and elements by chance. */
final class Draws {
    private Draws() {}

    /** Whole numbers of 32 bits without end. */
    static Dataset numbers(Seeds seeds) {
        return new Dataset(List.of(), List.of(), () -> {
                    Samples numbers = seeds.next();
                    return (_, taker) -> {
                        Tensor t = MemoryPool.shared().tensor(DType.I64, Shape.SCALAR, "random number");
                        t.setLong(0, Integer.toUnsignedLong(numbers.next()));
                        taker.take(List.of(t), null);
                    };
                })
                .sized(Dataset.ENDLESS);
    }

    /** The elements for which a number below {@code rate} is drawn. */
    static Dataset sampled(Dataset from, double rate, long seed, long seed2) {
        Seeds seeds = Seeds.of(seed, seed2, false);
        return Choosing.chosen(from, () -> {
            Samples numbers = seeds.next();
            return (element, taker) -> {
                if (numbers.nextFloat() >= rate) return false;
                taker.take(element, null);
                return true;
            };
        });
    }
}
