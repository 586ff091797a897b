package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Giving;
import dev.oxbow.ops.Value;
import java.util.List;

/** The input, as a debugger of its second kind asked for it. */
@Signature(
        "DebugIdentityV2(input: T) -> (output: T) {T: type; tfdbg_context_id: string = \"\"; op_name: string = \"\"; output_slot: int = -1; tensor_debug_mode: int = -1; debug_urls: list(string) = []; circular_buffer_size: int = 1000; tfdbg_run_id: string = \"\"} stateful")
public record DebugIdentityV2(
        String tfdbgContextId,
        String opName,
        long outputSlot,
        long tensorDebugMode,
        List<String> debugUrls,
        long circularBufferSize,
        String tfdbgRunId)
        implements Differentiable, Giving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            DebugUrls.none(debugUrls);
            c.forward(0, 0);
        };
    }

    /** {@code dx = dy}. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(g.gradient(0));
    }
}
