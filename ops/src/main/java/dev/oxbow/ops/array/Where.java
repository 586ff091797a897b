package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The coordinates of the elements that are not zero, row by row. */
@Signature("Where(input: T) -> (index: int64) {T: type in [NUMBER BOOL] = BOOL}")
public record Where() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.I64, Shape.of(-1, c.shape(0).rank())));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            long[] dims = x.shape().dims();
            long n = 0;
            for (long i = 0; i < x.size(); i++) if (isTrue(x, i)) n++;
            Tensor y = c.allocate(0, Shape.of(n, dims.length));
            long row = 0;
            for (long i = 0; i < x.size(); i++) {
                if (!isTrue(x, i)) continue;
                long rest = i;
                for (int d = dims.length - 1; d >= 0; d--) {
                    y.setLong(row * dims.length + d, rest % dims[d]);
                    rest /= dims[d];
                }
                row++;
            }
        };
    }

    private static boolean isTrue(Tensor x, long i) {
        return switch (x.dtype()) {
            case C64 -> Memory.getFloat(x.address() + 8 * i) != 0 || Memory.getFloat(x.address() + 8 * i + 4) != 0;
            case C128 -> Memory.getDouble(x.address() + 16 * i) != 0 || Memory.getDouble(x.address() + 16 * i + 8) != 0;
            default -> x.getDouble(i) != 0;
        };
    }
}
