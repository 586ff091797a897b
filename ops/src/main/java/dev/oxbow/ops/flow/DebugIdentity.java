package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import java.util.List;

/** The input, as a debugger asked for it. */
@Signature(
        "DebugIdentity(input: T) -> (output: T) {T: type; device_name: string = \"\"; tensor_name: string = \"\"; debug_urls: list(string) = []; gated_grpc: bool = false}")
public record DebugIdentity(String deviceName, String tensorName, List<String> debugUrls, boolean gatedGrpc)
        implements NotDifferentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            DebugUrls.none(tensorName, debugUrls);
            c.forward(0, 0);
        };
    }
}
