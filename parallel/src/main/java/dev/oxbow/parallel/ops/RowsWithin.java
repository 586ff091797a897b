package dev.oxbow.parallel.ops;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Gather;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/**
 * The rows of which the index is at least {@code least} and at most {@code most}, in their order, and their indices counted
 * from {@code from} on: what of a list of rows belongs to one piece of a table. Made by plans alone.
 */
@Signature("_RowsWithin(rows: T, indices: I) -> (within: T, places: I) {T: type; I: type in [INT32 INT64]; from: int;"
        + " least: int; most: int}")
public record RowsWithin(long from, long least, long most) implements NotDifferentiable, Supplying {

    /** For a piece of a table of so many rows; the first and the last take what is outside of the table, and complain. */
    public static RowsWithin of(long from, long count, long rows) {
        long least = from == 0 ? Long.MIN_VALUE : from, most = from + count == rows ? Long.MAX_VALUE : from + count - 1;
        return new RowsWithin(from, least, most);
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.vector(1);
        TensorType rows = c.input(0);
        if (rows.shape().isRankKnown()) rows = rows.withShape(rows.shape().withDim(0, -1));
        return List.of(rows, c.input(1).withShape(Shape.of(-1)));
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        Tensor rows = c.input(0), indices = c.input(1);
        int found = 0;
        for (long i = 0; i < indices.size(); i++) if (isWithin(indices.getLong(i))) found++;
        Tensor chosen = c.temporary(DType.I64, Shape.of(found));
        Tensor places = c.temporary(indices.dtype(), Shape.of(found));
        for (int i = 0, at = 0; i < indices.size(); i++) {
            long index = indices.getLong(i);
            if (!isWithin(index)) continue;
            chosen.setLong(at, i);
            places.setLong(at++, index - from);
        }
        Tensor within = c.temporary(rows.dtype(), rows.shape().withDim(0, found));
        if (within.size() > 0) Gather.run(rows, chosen, 0, 0, within, c.parallel());
        chosen.release();
        c.set(0, within);
        c.set(1, places);
    }

    private boolean isWithin(long index) {
        return index >= least && index <= most;
    }
}
