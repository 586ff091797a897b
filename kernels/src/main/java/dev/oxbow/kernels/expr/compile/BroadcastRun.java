package dev.oxbow.kernels.expr.compile;

import dev.oxbow.kernels.expr.interpret.Tile;
import dev.oxbow.tensor.Tensor;

/** Runs generated code on elements of an output in row-major order, on one thread. */
final class BroadcastRun {

    /* Whole rows that follow one another along the last dimension but one are run together; others in parts. */

    /** The most elements at a time where some go through scratch memory. */
    private static final long PIECE = 4L * Tile.SIZE;

    private final CompiledRows code;
    private final Broadcast b;
    private final Tensor[] inputs;
    private final Tensor[] outputs;
    private final long[] addresses;
    private final long[] steps;

    BroadcastRun(CompiledRows code, Broadcast b, Tensor[] inputs, Tensor[] outputs) {
        this.code = code;
        this.b = b;
        this.inputs = inputs;
        this.outputs = outputs;
        int n = code.program.tensors;
        this.addresses = new long[n + outputs.length];
        this.steps = new long[n + outputs.length];
        int outer = b.dims.length - 2;
        long row = b.dims[b.dims.length - 1];
        for (int i = 0; i < n && outer >= 0; i++) {
            if (code.program.reads[i])
                steps[i] = b.strides[i][outer] * inputs[i].dtype().size();
        }
        for (int i = 0; i < outputs.length; i++)
            steps[n + i] = row * outputs[i].dtype().size();
    }

    void range(long from, long to) {
        int last = b.dims.length - 1;
        long row = b.dims[last], rows = last > 0 ? b.dims[last - 1] : 1;
        long most = code.hasNarrow ? PIECE : Long.MAX_VALUE;
        for (long at = from; at < to; ) {
            long column = at % row, left = to - at;
            if (column > 0 || left < row || row > most) {
                long n = Math.min(Math.min(left, row - column), most);
                run(at, 1, n);
                at += n;
            } else {
                long n = Math.min(left / row, rows - at / row % rows);
                run(at, n, row);
                at += n * row;
            }
        }
    }

    private void run(long at, long rows, long columns) {
        code.run(new RowView(addresses(at), steps, columns), 0, rows);
    }

    /** Where element {@code at} of every tensor lies. */
    long[] addresses(long at) {
        int n = code.program.tensors;
        for (int i = 0; i < n; i++) {
            if (!code.program.reads[i]) continue;
            addresses[i] =
                    inputs[i].address() + b.offset(i, at) * inputs[i].dtype().size();
        }
        for (int i = 0; i < outputs.length; i++) {
            addresses[n + i] = outputs[i].address() + at * outputs[i].dtype().size();
        }
        return addresses;
    }

    /** From one row of every tensor to the next. */
    long[] steps() {
        return steps;
    }
}
