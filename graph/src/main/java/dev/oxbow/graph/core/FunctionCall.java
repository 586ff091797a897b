package dev.oxbow.graph.core;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.OpSignature;
import dev.oxbow.graph.TensorType;
import java.util.List;
import java.util.Map;

/** Calls a function whose name is the op's name, as old graphs do. */
public record FunctionCall(FunctionRef function, OpSignature signature) implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return CoreOps.inferCall(c, function, List.of());
    }

    @Override
    public Map<String, Object> attributes() {
        return function.attributes();
    }

    @Override
    public Effects effects() {
        return signature.isStateful() ? Effects.WRITES : Effects.NONE;
    }
}
