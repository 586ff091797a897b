package dev.oxbow.ops.io;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.CheckpointReader;
import dev.oxbow.wire.TensorSlice;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A matrix of a checkpoint with its rows and columns moved; where none moves to, values that are given. */
@Signature(
        "LoadAndRemapMatrix(ckpt_path: string, old_tensor_name: string, row_remapping: int64, col_remapping: int64, initializing_values: float) -> (output_matrix: float) {num_rows: int >= 0; num_cols: int >= 1; max_rows_in_memory: int = -1} stateful")
public record LoadAndRemapMatrix(long numRows, long numCols, long maxRowsInMemory)
        implements NotDifferentiable, Opening {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.single(0);
        c.single(1);
        c.vector(2, numRows);
        c.vector(3);
        long columns = c.shape(3).dim(0);
        require(
                columns <= 0 || columns == numCols,
                INVALID_ARGUMENT,
                "Provided col_remapping, but its size is %d instead of being equal to num_cols=%d",
                columns,
                numCols);
        return List.of(new TensorType(DType.F32, Shape.of(numRows, numCols)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            String name = FileNames.scalar(c, 1, "old_tensor_name");
            try (var reader = CheckpointReader.open(Arguments.path(FileNames.scalar(c, 0, "ckpt_path")))) {
                check(reader, name, c.input(3).size() > 0);
                Tensor y = c.allocate(0, Shape.of(numRows, numCols));
                copy(c, reader, name, y);
                fill(c, y);
            }
        };
    }

    private void check(CheckpointReader reader, String name, boolean mapsColumns) {
        Shape shape = reader.shape(name);
        require(
                reader.dtype(name) == DType.F32,
                INVALID_ARGUMENT,
                "Tensor %s has invalid type %s instead of expected type float",
                name,
                reader.dtype(name).inWords());
        require(
                shape.rank() == 2,
                INVALID_ARGUMENT,
                "Tensor %s has shape %s of invalid rank %d instead of expected shape of rank 2.",
                name,
                shape,
                shape.rank());
        require(
                mapsColumns || shape.dim(1) == numCols,
                INVALID_ARGUMENT,
                "Tensor %s has shape %s, where the size of its 2nd dimension is %d instead of being equal to num_cols=%d",
                name,
                shape,
                shape.dim(1),
                numCols);
    }

    /** Copies what is in the old matrix, at most so many of its rows at a time. */
    private void copy(KernelContext c, CheckpointReader reader, String name, Tensor y) {
        Map<Long, Long> rows = targets(c.input(2)), columns = targets(c.input(3));
        Shape shape = reader.shape(name);
        long from = rows.keySet().stream().mapToLong(r -> r).min().orElse(0);
        long to = rows.keySet().stream().mapToLong(r -> r).max().orElse(-1) + 1;
        require(
                to <= shape.dim(0),
                INVALID_ARGUMENT,
                "row_remapping wants row %d of tensor %s, which has %d",
                to - 1,
                name,
                shape.dim(0));
        for (long old : columns.keySet())
            require(
                    old < shape.dim(1),
                    INVALID_ARGUMENT,
                    "col_remapping wants column %d of tensor %s, which has %d",
                    old,
                    name,
                    shape.dim(1));
        long most = maxRowsInMemory <= 0 ? Math.max(1, to - from) : maxRowsInMemory;
        for (long at = from; at < to; at += most) {
            long n = Math.min(most, to - at);
            Tensor part = c.temporary(DType.F32, Shape.of(n, shape.dim(1)));
            reader.readInto(name, new TensorSlice(List.of(at, 0L), List.of(n, shape.dim(1))), part);
            for (long r = 0; r < n; r++) {
                Long row = rows.get(at + r);
                if (row == null) continue;
                for (long k = 0; k < shape.dim(1); k++) {
                    Long column = columns.isEmpty() && c.input(3).size() == 0 ? Long.valueOf(k) : columns.get(k);
                    if (column != null) y.set(row * numCols + column, part.getDouble(r * shape.dim(1) + k));
                }
            }
        }
    }

    /** Where each old row or column goes. */
    private static Map<Long, Long> targets(Tensor remapping) {
        Map<Long, Long> targets = new HashMap<>();
        for (long i = 0; i < remapping.size(); i++) {
            long old = remapping.getLong(i);
            if (old < 0) continue;
            Long other = targets.putIfAbsent(old, i);
            require(
                    other == null,
                    UNIMPLEMENTED,
                    "Old ID %d is mapped to both new ID %d and %d, which is not supported.",
                    old,
                    other,
                    i);
        }
        return targets;
    }

    private void fill(KernelContext c, Tensor y) {
        Tensor rows = c.input(2), columns = c.input(3), values = c.input(4);
        long used = 0;
        for (long r = 0; r < numRows; r++) {
            for (long k = 0; k < numCols; k++) {
                if (rows.getLong(r) >= 0 && (columns.size() == 0 || columns.getLong(k) >= 0)) continue;
                require(
                        used < values.size(),
                        INVALID_ARGUMENT,
                        "initializing_values contained %d elements, but more missing values remain.",
                        values.size());
                y.set(r * numCols + k, values.getDouble(used++));
            }
        }
        require(
                used == values.size(),
                INVALID_ARGUMENT,
                "initializing_values contained %d elements, but only %d elements were used to fill in missing values.",
                values.size(),
                used);
    }
}
