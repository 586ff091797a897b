package dev.oxbow.ops.flow;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** An optional that holds these values. */
@Signature("OptionalFromValue(components: Toutput_types) -> (optional: variant) {Toutput_types: list(type) >= 1}")
public record OptionalFromValue() implements Differentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(TensorType.handle(DType.VARIANT));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            List<Tensor> values = new ArrayList<>();
            for (int i = 0; i < c.inputCount(); i++) values.add(c.keep(i));
            Optional.give(c, new Optional(values));
        };
    }

    /** The values of the gradient, which is an optional too. */
    @Override
    public List<Value> gradient(GradientContext g) {
        List<DType> types = new ArrayList<>();
        List<Shape> shapes = new ArrayList<>();
        for (int i = 0; i < g.node().inputCount(); i++) {
            types.add(g.node().input(i).type().dtype());
            shapes.add(g.node().input(i).type().shape());
        }
        return Value.applyAll(new OptionalGetValue(types, shapes), g.gradient(0));
    }
}
