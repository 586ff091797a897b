package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Square blocks of pixels moved into the channels. */
@Signature(
        "SpaceToDepth(input: T) -> (output: T) {T: type; block_size: int >= 2; data_format: string in [\"NHWC\" \"NCHW\" \"NCHW_VECT_C\"] = \"NHWC\"}")
public record SpaceToDepth(int blockSize, String dataFormat) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).withShape(DepthBlocks.infer(c.shape(0), blockSize, dataFormat, true)));
    }

    @Override
    public Kernel cpu() {
        return c -> DepthBlocks.run(c, blockSize, dataFormat, true);
    }

    /** dy moved back. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(new DepthToSpace(blockSize, dataFormat), g.gradient(0)));
    }
}
