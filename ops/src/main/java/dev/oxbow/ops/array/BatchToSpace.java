package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** Square blocks of the batch moved back into height and width, which are then cropped. */
@Signature(
        "BatchToSpace(input: T, crops: Tidx) -> (output: T) {T: type; block_size: int >= 2; Tidx: type in [INT32 INT64] = INT32}")
public record BatchToSpace(int blockSize) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("input", c.shape(0), 4);
        long[] block = {blockSize, blockSize};
        return List.of(
                c.input(0).withShape(BatchBlocks.toSpace(c.shape(0), block, Shape.of(2), c.longs(1), c.shape(1))));
    }

    @Override
    public Kernel cpu() {
        return c -> BatchBlocks.toSpace(c, new long[] {blockSize, blockSize}, Arguments.longs(c.input(1)));
    }

    /** dy moved back. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Value.apply(new SpaceToBatch(blockSize), g.gradient(0), g.input(1)), null);
    }
}
