package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** One entry, or pair of entries, per dimension, in the order of another layout. */
@Signature(
        "DataFormatVecPermute(x: T) -> (y: T) {T: type in [INT32 INT64] = INT32; src_format: string = \"NHWC\"; dst_format: string = \"NCHW\"}")
public record DataFormatVecPermute(String srcFormat, String dstFormat) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0);
        require(
                x.rank() < 0 || x.rank() == 1 || x.rank() == 2,
                INVALID_ARGUMENT,
                "input must be a vector or 2D tensor, but got shape %s",
                x);
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            long n = x.shape().dim(0), each = n == 0 ? 1 : x.size() / n;
            String from = srcFormat, to = dstFormat;
            if (n == from.length() - 2) {
                from = from.replaceAll("[NC]", "");
                to = to.replaceAll("[NC]", "");
            }
            require(
                    n == from.length(),
                    INVALID_ARGUMENT,
                    "1D input must be of size %d, but got shape %s",
                    srcFormat.length(),
                    x.shape());
            int[] p = Layouts.permutation(from, to);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < each; j++) c.output(0).setLong(i * each + j, x.getLong(p[i] * each + j));
        };
    }
}
