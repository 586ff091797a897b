package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Whole numbers from one up to another by steps. */
@Signature(
        "RangeDataset(start: int64, stop: int64, step: int64) -> (handle: variant) {output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"; replicate_on_split: bool = false} stateful")
public record RangeDataset(List<DType> outputTypes, List<Shape> outputShapes, String metadata, boolean replicateOnSplit)
        implements DatasetOp {

    @Override
    public Dataset dataset(KernelContext c) {
        long start = DatasetOp.number(c, 0, "start"), stop = DatasetOp.number(c, 1, "stop");
        long step = DatasetOp.number(c, 2, "step");
        require(step != 0, INVALID_ARGUMENT, "step must be a non-zero integer.");
        long count = count(start, stop, step);
        boolean narrow = outputTypes.getFirst() == DType.I32;
        return Counting.of(List.of(), count, i -> {
            Tensor value = MemoryPool.shared().tensor(narrow ? DType.I32 : DType.I64, Shape.SCALAR, "RangeDataset");
            value.setLong(0, start + i * step);
            return List.of(value);
        });
    }

    /** How many there are, up to the largest number; distances may be longer than that, and are unsigned. */
    private static long count(long start, long stop, long step) {
        if (step > 0 ? start >= stop : start <= stop) return 0;
        long distance = step > 0 ? stop - start : start - stop;
        long last = Long.divideUnsigned(distance - 1, Math.abs(step));
        return last < 0 || last == Long.MAX_VALUE ? Long.MAX_VALUE : last + 1;
    }
}
