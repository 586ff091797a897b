package dev.oxbow.ops.io;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** {@code basename-SSSSS-of-NNNNN}. */
@Signature("ShardedFilename(basename: string, shard: int32, num_shards: int32) -> (filename: string)")
public record ShardedFilename() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(1);
        c.scalar(2);
        for (int i = 0; i < c.inputCount(); i++)
            require(c.shape(i).rank() <= 0, INVALID_ARGUMENT, "input %d must be a scalar, got %s", i, c.shape(i));
        return List.of(new TensorType(DType.STRING, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> c.output(0).objects()[0] = "%s-%05d-of-%05d"
                .formatted(
                        FileNames.text(c.input(0), 0),
                        c.input(1).getLong(0),
                        c.input(2).getLong(0))
                .getBytes(StandardCharsets.UTF_8);
    }
}
