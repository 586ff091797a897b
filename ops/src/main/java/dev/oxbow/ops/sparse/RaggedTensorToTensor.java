package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.Range;
import dev.oxbow.ops.math.UnsortedSegmentSum;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** A ragged tensor as a dense one, filled up with a value. */
@Signature("RaggedTensorToTensor(shape: Tshape, values: T, default_value: T, row_partition_tensors:"
        + " num_row_partition_tensors*Tindex) -> (result: T) {T: type; Tindex: type in [INT64 INT32]; Tshape: type"
        + " in [INT64 INT32]; num_row_partition_tensors: int >= 1; row_partition_types: list(string)}")
public record RaggedTensorToTensor(List<String> rowPartitionTypes) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                c.inputCount() - 3 == rowPartitionTypes.size(),
                INVALID_ARGUMENT,
                "there are %d row partitions and %d types of them",
                c.inputCount() - 3,
                rowPartitionTypes.size());
        c.rankAtLeast(1, 1);
        for (int i = 3; i < c.inputCount(); i++) {
            if (rowPartitionTypes.get(i - 3).equals(Partitions.COUNT)) c.scalar(i);
            else c.vector(i);
        }
        long[] wanted = c.longs(0);
        if (wanted == null || c.shape(0).rank() != 1) return List.of(TensorType.of(c.dtype(1)));
        return List.of(
                new TensorType(c.dtype(1), Partitions.shape(wanted, c.shape(1), Partitions.levels(rowPartitionTypes))));
    }

    @Override
    public Kernel cpu() {
        return Partitions.of(rowPartitionTypes)::fill;
    }

    /** What each value, and the one that fills up, was given to. */
    @Override
    public List<Value> gradient(GradientContext g) {
        int n = g.node().inputCount(), levels = Partitions.levels(rowPartitionTypes);
        Value dy = g.gradient(0),
                values = g.input(1),
                count = values.runtimeShape().slice(0, 0, 1);
        Value rows = Value.apply(
                new Range(),
                values.ops().constant(DType.I32, 0),
                count.reshape(),
                values.ops().constant(DType.I32, 1));
        Value[] inputs = new Value[n];
        inputs[0] = dy.runtimeShape().slice(0, 0, levels + 1);
        inputs[1] = rows;
        inputs[2] = values.ops().constant(DType.I32, -1);
        for (int i = 3; i < n; i++) inputs[i] = g.input(i);
        Value from = Value.apply(this, inputs).reshape(-1);
        Value flat = dy.reshape(Value.concat(
                0, values.ops().constant(new int[] {-1}), values.runtimeShape().slice(0, 1, -1)));
        Value[] d = new Value[n];
        d[1] = Value.apply(new UnsortedSegmentSum(), flat, from, count.reshape());
        Value filled = Value.apply(
                        new UnsortedSegmentSum(),
                        flat,
                        Value.where(
                                from.less(from.constantLike(0)),
                                from.times(0),
                                from.times(0).minus(1)),
                        values.ops().constant(DType.I32, 1))
                .squeeze(0);
        d[2] = Broadcasting.reduce(g.input(2), filled, filled, filled).get(0);
        return Arrays.asList(d);
    }
}
