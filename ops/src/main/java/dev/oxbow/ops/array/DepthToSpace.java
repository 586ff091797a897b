package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Channels moved into square blocks of pixels. */
@Signature(
        "DepthToSpace(input: T) -> (output: T) {T: type; block_size: int >= 2; data_format: string in [\"NHWC\" \"NCHW\" \"NCHW_VECT_C\"] = \"NHWC\"}")
public record DepthToSpace(int blockSize, String dataFormat) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).withShape(DepthBlocks.infer(c.shape(0), blockSize, dataFormat, false)));
    }

    @Override
    public Kernel cpu() {
        return c -> DepthBlocks.run(c, blockSize, dataFormat, false);
    }

    /** dy moved back. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(new SpaceToDepth(blockSize, dataFormat), g.gradient(0)));
    }
}
