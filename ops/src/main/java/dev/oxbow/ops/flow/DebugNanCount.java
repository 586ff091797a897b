package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** How many elements are no numbers. */
@Signature(
        "DebugNanCount(input: T) -> (output: int64) {T: type; device_name: string = \"\"; tensor_name: string = \"\"; debug_urls: list(string) = []; gated_grpc: bool = false}")
public record DebugNanCount(String deviceName, String tensorName, List<String> debugUrls, boolean gatedGrpc)
        implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.I64, Shape.of(1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            DebugUrls.none(tensorName, debugUrls);
            Tensor x = c.input(0);
            long n = 0;
            if (x.dtype().isFloating()) for (long i = 0; i < x.size(); i++) if (Double.isNaN(x.getDouble(i))) n++;
            c.output(0).setLong(0, n);
        };
    }
}
