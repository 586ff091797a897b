package dev.oxbow.ops.dataset;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Taking;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** A place in the data set that a function makes when it is first asked for. */
@Signature(
        "OneShotIterator() -> (handle: resource) {dataset_factory: func; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; container: string = \"\"; shared_name: string = \"\"} stateful")
public record OneShotIterator(
        FunctionRef datasetFactory,
        List<DType> outputTypes,
        List<Shape> outputShapes,
        String container,
        String sharedName)
        implements NotDifferentiable, Taking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.RESOURCE));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            DatasetIterator it = Iterators.open(c, container, sharedName);
            if (it.isBegun()) return;
            Completion done = c.defer();
            c.functions().call(datasetFactory, List.of(), (made, error) -> {
                if (error != null) {
                    done.fail(error);
                    return;
                }
                try {
                    if (!it.isBegun()) it.begin(Dataset.of(made.getFirst()));
                    done.done();
                } catch (OxbowException e) {
                    done.fail(e);
                } finally {
                    made.forEach(Tensor::release);
                }
            });
        };
    }
}
