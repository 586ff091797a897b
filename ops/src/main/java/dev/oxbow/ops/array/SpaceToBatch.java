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

/** Height and width, padded with zeros and cut into square blocks, moved into the batch. */
@Signature(
        "SpaceToBatch(input: T, paddings: Tpaddings) -> (output: T) {T: type; Tpaddings: type in [INT32 INT64] = INT32; block_size: int >= 2}")
public record SpaceToBatch(int blockSize) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("input", c.shape(0), 4);
        long[] block = {blockSize, blockSize};
        return List.of(
                c.input(0).withShape(BatchBlocks.toBatch(c.shape(0), block, Shape.of(2), c.longs(1), c.shape(1))));
    }

    @Override
    public Kernel cpu() {
        return c -> BatchBlocks.toBatch(c, new long[] {blockSize, blockSize}, Arguments.longs(c.input(1)));
    }

    /** dy moved back. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Value.apply(new BatchToSpace(blockSize), g.gradient(0), g.input(1)), null);
    }
}
