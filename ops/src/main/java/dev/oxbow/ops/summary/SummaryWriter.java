package dev.oxbow.ops.summary;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The handle of a writer, which has no file at first. */
@Signature("SummaryWriter() -> (writer: resource) {shared_name: string = \"\"; container: string = \"\"} stateful")
public record SummaryWriter(String sharedName, String container) implements NotDifferentiable, Opening {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.RESOURCE, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            String name = sharedName.isEmpty() ? c.node() : sharedName;
            EventWriter w = c.containers().lookupOrCreate(container, name, EventWriter.class, EventWriter::new);
            c.set(0, ResourceHandle.tensor(container, name, w, List.of()));
        };
    }
}
