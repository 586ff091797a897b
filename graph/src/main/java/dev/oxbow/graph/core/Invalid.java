package dev.oxbow.graph.core;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.OpSignature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.NodeDef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * An imported node at which inference fails: it keeps its definition, and {@code error} belongs to the runs that need
 * it. Of its outputs only the dtypes are known.
 */
public record Invalid(OpSignature signature, Map<String, Object> attributes, NodeDef definition, OxbowException error)
        implements CoreOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        List<TensorType> types = new ArrayList<>();
        for (int i = 0; i < c.outputCount(); i++) types.add(TensorType.of(c.outputDtype(i)));
        return types;
    }

    @Override
    public Effects effects() {
        return signature.isStateful() ? Effects.WRITES : Effects.READS;
    }

    /** Inside of a function, where only a branch that is taken needs the node, running it fails. */
    @Override
    public Kernel cpu() {
        return c -> {
            throw error.rethrown();
        };
    }

    @Override
    public boolean equals(Object o) {
        return this == o;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
