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

/** Blocks of the batch moved back into spatial dimensions, which are then cropped. */
@Signature(
        "BatchToSpaceND(input: T, block_shape: Tblock_shape, crops: Tcrops) -> (output: T) {T: type; Tblock_shape: type in [INT32 INT64] = INT32; Tcrops: type in [INT32 INT64] = INT32}")
public record BatchToSpaceND() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        long[] block = c.longs(1), border = c.longs(2);
        return List.of(c.input(0).withShape(BatchBlocks.toSpace(c.shape(0), block, c.shape(1), border, c.shape(2))));
    }

    @Override
    public Kernel cpu() {
        return c -> BatchBlocks.toSpace(c, Arguments.longs(c.input(1)), Arguments.longs(c.input(2)));
    }

    /** dy moved back. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Value.apply(new SpaceToBatchND(), g.gradient(0), g.input(1), g.input(2)), null, null);
    }
}
