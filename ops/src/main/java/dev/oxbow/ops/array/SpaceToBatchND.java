package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Spatial dimensions, padded with zeros and cut into blocks, moved into the batch. */
@Signature(
        "SpaceToBatchND(input: T, block_shape: Tblock_shape, paddings: Tpaddings) -> (output: T) {T: type; Tblock_shape: type in [INT32 INT64] = INT32; Tpaddings: type in [INT32 INT64] = INT32}")
public record SpaceToBatchND() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        long[] block = c.longs(1), border = c.longs(2);
        return List.of(c.input(0).withShape(BatchBlocks.toBatch(c.shape(0), block, c.shape(1), border, c.shape(2))));
    }

    @Override
    public Kernel cpu() {
        return c -> BatchBlocks.toBatch(c, Arguments.longs(c.input(1)), Arguments.longs(c.input(2)));
    }

    /** dy moved back. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Value.apply(new BatchToSpaceND(), g.gradient(0), g.input(1), g.input(2)), null, null);
    }
}
