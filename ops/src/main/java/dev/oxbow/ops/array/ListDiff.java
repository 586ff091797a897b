package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;

/** The elements of x that are not in y, and their positions. */
@Signature("ListDiff(x: T, y: T) -> (out: T, idx: out_idx) {T: type; out_idx: type in [INT32 INT64] = INT32}")
public record ListDiff(DType outIdx) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("x", c.shape(0), 1);
        Arguments.rank("y", c.shape(1), 1);
        return List.of(c.input(0).withShape(Shape.of(-1)), new TensorType(outIdx, Shape.of(-1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.input(1);
            Set<Object> without = new HashSet<>();
            for (long i = 0; i < y.size(); i++) without.add(Keys.of(y, i));
            long[] kept = LongStream.range(0, x.size())
                    .filter(i -> !without.contains(Keys.of(x, i)))
                    .toArray();
            Tensor out = c.allocate(0, Shape.of(kept.length)), idx = c.allocate(1, Shape.of(kept.length));
            for (int k = 0; k < kept.length; k++) idx.setLong(k, kept[k]);
            if (kept.length > 0) dev.oxbow.kernels.move.Gather.run(x, idx, 0, 0, out, c.parallel());
        };
    }
}
