package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** The dimensions of several values. */
@Signature("ShapeN(input: N*T) -> (output: N*out_type) {N: int >= 1; T: type; out_type: type in [INT32 INT64] = INT32}")
public record ShapeN(DType outType) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        List<TensorType> types = new ArrayList<>();
        for (int i = 0; i < c.inputCount(); i++)
            types.add(new TensorType(outType, Shape.of(c.shape(i).rank())));
        return types;
    }

    @Override
    public List<Tensor> constants(InferenceContext c) {
        List<Tensor> all = new ArrayList<>();
        for (int i = 0; i < c.inputCount(); i++) {
            if (!c.shape(i).isFullyKnown()) return null;
            Tensor t = Tensor.allocate(outType, Shape.of(c.shape(i).rank()));
            for (int d = 0; d < t.size(); d++) t.setLong(d, c.shape(i).dim(d));
            all.add(t);
        }
        return all;
    }

    @Override
    public boolean asksTypesOnly() {
        return true;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            for (int i = 0; i < c.inputCount(); i++) {
                Tensor y = c.output(i);
                for (int d = 0; d < y.size(); d++)
                    y.setLong(d, c.input(i).shape().dim(d));
            }
        };
    }
}
