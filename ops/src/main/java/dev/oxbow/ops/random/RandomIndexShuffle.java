package dev.oxbow.ops.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.IndexShuffle;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Where an index of {@code [0, max_index]} goes under the permutation of a seed of three numbers. */
@Signature(
        "RandomIndexShuffle(index: dtype, seed: Tseed, max_index: dtype) -> (output: dtype) {rounds: int = 4; dtype: type in [INT32 UINT32 INT64 UINT64]; Tseed: type in [INT32 UINT32 INT64 UINT64]}")
public record RandomIndexShuffle(long rounds) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                rounds >= 4 && rounds % 2 == 0 && rounds <= IndexShuffle.MOST_ROUNDS,
                INVALID_ARGUMENT,
                "rounds must be even and 4 to %d, got %d",
                IndexShuffle.MOST_ROUNDS,
                rounds);
        Shape index = c.shape(0), seed = c.shape(1), most = c.shape(2);
        require(index.rank() <= 1, INVALID_ARGUMENT, "Index must be a scalar or vector, got %s", index);
        require(
                !seed.isRankKnown() || seed.rank() == 1 || seed.rank() == 2,
                INVALID_ARGUMENT,
                "Seed must be a vector of size [3] or a matrix of size [n, 3] but got %s",
                seed);
        require(most.rank() <= 1, INVALID_ARGUMENT, "Maxval must be a scalar or a vector, got %s", most);
        if (seed.isRankKnown()) c.dim(1, seed.rank() - 1, 3);
        if (!index.isRankKnown() || !seed.isRankKnown() || !most.isRankKnown())
            return List.of(new TensorType(c.dtype(0), Shape.UNKNOWN));
        Shape y = Shape.SCALAR;
        for (Shape s : List.of(index, seed.slice(0, seed.rank() - 1), most)) {
            if (s.isScalar()) continue;
            Shape both = y.isScalar() ? s : y.merge(s);
            require(
                    both != null,
                    INVALID_ARGUMENT,
                    "index, seed and max_index must be of as many elements, got %s, %s and %s",
                    index,
                    seed,
                    most);
            y = both;
        }
        return List.of(new TensorType(c.dtype(0), y));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor index = c.input(0), seed = c.input(1), most = c.input(2), y = c.output(0);
            for (long i = 0; i < y.size(); i++) {
                long key = seed.shape().rank() == 1 ? 0 : 3 * i;
                long at = index.getLong(index.shape().isScalar() ? 0 : i);
                long last = most.getLong(most.shape().isScalar() ? 0 : i);
                require(
                        Long.compareUnsigned(at, last) <= 0,
                        INVALID_ARGUMENT,
                        "index must be 0 to max_index, got %s of %s",
                        Long.toUnsignedString(at),
                        Long.toUnsignedString(last));
                IndexShuffle shuffle = new IndexShuffle(
                        (int) seed.getLong(key), (int) seed.getLong(key + 1), (int) seed.getLong(key + 2), last, (int)
                                rounds);
                y.setLong(i, shuffle.of(at));
            }
        };
    }
}
