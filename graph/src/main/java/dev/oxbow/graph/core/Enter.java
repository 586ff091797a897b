package dev.oxbow.graph.core;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Brings a value into a child frame: into its first iteration, or into all when constant. */
@Signature(
        "Enter(data: T) -> (output: T) {T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int = 10}")
public record Enter(String frameName, boolean isConstant, int parallelIterations) implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }
}
