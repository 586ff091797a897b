package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** The index of a dimension in another layout. */
@Signature(
        "DataFormatDimMap(x: T) -> (y: T) {T: type in [INT32 INT64] = INT32; src_format: string = \"NHWC\"; dst_format: string = \"NCHW\"}")
public record DataFormatDimMap(String srcFormat, String dstFormat) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        int[] where = Layouts.permutation(dstFormat, srcFormat);
        return c -> {
            for (long i = 0; i < c.input(0).size(); i++) {
                int d = Arguments.axis(c.input(0).getLong(i), where.length);
                c.output(0).setLong(i, where[d]);
            }
        };
    }
}
