package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.NdIndex;
import dev.oxbow.kernels.move.Strided;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Rows dealt out to outputs by number. */
@Signature(
        "DynamicPartition(data: T, partitions: int32) -> (outputs: num_partitions*T) {num_partitions: int >= 1; T: type}")
public record DynamicPartition(int numPartitions) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0), p = c.shape(1);
        if (!x.isRankKnown() || !p.isRankKnown())
            return Collections.nCopies(numPartitions, c.input(0).withShape(Shape.UNKNOWN));
        require(
                x.rank() >= p.rank() && x.slice(0, p.rank()).isCompatibleWith(p),
                INVALID_ARGUMENT,
                "data.shape must start with partitions.shape, got data.shape = %s, partitions.shape = %s",
                x,
                p);
        return Collections.nCopies(
                numPartitions, c.input(0).withShape(Shape.of(-1).concat(x.slice(p.rank(), x.rank()))));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), partitions = c.input(1);
            Shape rest = x.shape().slice(partitions.shape().rank(), x.shape().rank());
            long inner = rest.size();
            long[] counts = new long[numPartitions];
            for (long i = 0; i < partitions.size(); i++) {
                long p = partitions.getLong(i);
                require(
                        p >= 0 && p < numPartitions,
                        INVALID_ARGUMENT,
                        "partitions%s = %d is not in [0, %d)",
                        NdIndex.position(partitions.shape(), i),
                        p,
                        numPartitions);
                counts[(int) p]++;
            }
            Tensor[] outputs = new Tensor[numPartitions];
            for (int p = 0; p < numPartitions; p++)
                outputs[p] = c.allocate(p, Shape.of(counts[p]).concat(rest));
            long[] at = new long[numPartitions], one = {1}, size = {inner};
            for (long i = 0; i < partitions.size(); i++) {
                int p = (int) partitions.getLong(i);
                Strided.copy(x, i * inner, one, outputs[p], at[p]++ * inner, one, size, Parallel.SERIAL);
            }
        };
    }

    /** The rows back where they were. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), partitions = g.input(1);
        Value zero = g.ops().constant(DType.I32, 0), one = g.ops().constant(DType.I32, 1);
        Value numbers =
                Value.apply(new Range(), zero, partitions.runtimeSize(), one).reshape(partitions.runtimeShape());
        List<Value> arguments = new ArrayList<>(Value.applyAll(this, numbers, partitions));
        for (int i = 0; i < numPartitions; i++) arguments.add(g.gradient(i));
        Value merged = Value.apply(new DynamicStitch(), arguments.toArray(Value[]::new));
        return Arrays.asList(merged.reshape(x.runtimeShape()), null);
    }
}
