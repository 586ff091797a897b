package dev.oxbow.ops.state;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Gather;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Slices;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.GatherGradients;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Slices of a variable: {@code y[b, i] = v[b, indices[b, i]]} after {@code batchDims} shared dimensions b. */
@Signature(
        "ResourceGather(resource: resource, indices: Tindices) -> (output: dtype) {batch_dims: int = 0; validate_indices: bool = true; dtype: type; Tindices: type in [INT32 INT64]} stateful")
public record ResourceGather(int batchDims, boolean validateIndices, DType dtype) implements Differentiable, Opening {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(dtype, shape(Variables.type(c, 0, dtype).shape(), c.shape(1))));
    }

    private Shape shape(Shape v, Shape indices) {
        if (!v.isRankKnown() || !indices.isRankKnown()) return Shape.UNKNOWN;
        int batch = batchDims < 0 ? batchDims + indices.rank() : batchDims;
        require(
                batch >= 0 && batch < v.rank() && batch <= indices.rank(),
                INVALID_ARGUMENT,
                "batch_dims %d does not fit params %s and indices %s",
                batchDims,
                v,
                indices);
        require(
                v.slice(0, batch).isCompatibleWith(indices.slice(0, batch)),
                INVALID_ARGUMENT,
                "the batch dimensions of params %s and indices %s differ",
                v,
                indices);
        return v.slice(0, batch).concat(indices.slice(batch, indices.rank())).concat(v.slice(batch + 1, v.rank()));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        int rank = c.shape(1).rank();
        return batchDims == 0 && axis < rank ? Pieces.along(axis, outputs, Pieces.WHOLE, axis) : null;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor v = Variables.read(c, 0, NOT_FOUND), indices = c.input(1);
            try {
                Variables.requireType(v, dtype);
                int batch = batchDims < 0 ? batchDims + indices.shape().rank() : batchDims;
                Tensor y = c.allocate(0, shape(v.shape(), indices.shape()));
                Gather.run(v, indices, batch, batch, y, c.parallel());
            } finally {
                v.release();
            }
        };
    }

    /** {@code dv[indices[i]] += dy[i]}: only the rows that were read have a gradient. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value v = g.input(0), indices = g.input(1), dy = g.gradient(0);
        if (batchDims == 0) return Arrays.asList(Slices.ofRows(dimensions(v), indices, dy), null);
        Value axis = g.ops().constant(DType.I32, batchDims);
        Value x = Value.apply(new ReadVariableOp(dtype), v);
        return Arrays.asList(GatherGradients.along(x, indices, dy, axis, batchDims), null);
    }

    /** The dimensions of the variable behind a handle: a constant where it was declared with all of them. */
    private static Value dimensions(Value handle) {
        List<TensorType> behind = handle.edge().type().behind();
        Shape s = behind.isEmpty() ? Shape.UNKNOWN : behind.get(0).shape();
        if (!s.isFullyKnown() || s.size() > Integer.MAX_VALUE) return Value.apply(new VariableShape(DType.I32), handle);
        int[] dims = new int[s.rank()];
        for (int i = 0; i < dims.length; i++) dims[i] = Counts.toInt(s.dim(i));
        return handle.ops().constant(dims);
    }
}
