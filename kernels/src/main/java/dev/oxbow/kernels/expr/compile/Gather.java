package dev.oxbow.kernels.expr.compile;

import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.kernels.expr.interpret.Tile;
import dev.oxbow.kernels.expr.interpret.Transfer;

/** Loads the elements of a broadcast input that a tile of the output needs. */
public final class Gather {
    private Gather() {}

    /** Fills the first {@code n} values of the register with what output elements {@code [at, at + n)} read. */
    public static void load(Tile t, Program.Load load, Broadcast b, long address, long at, int n) {
        int width = load.dtype().size(), input = load.index();
        if (b.isContiguous(input)) {
            Transfer.load(t, load, address + at * width, 0, n);
            return;
        }
        int last = b.dims.length - 1;
        long row = b.dims[last];
        boolean runs = b.strides[input][last] != 0;
        for (int done = 0; done < n; ) {
            long position = at + done;
            int count = (int) Math.min(n - done, row - position % row);
            long from = address + b.offset(input, position) * width;
            if (runs) Transfer.load(t, load, from, done, count);
            else repeat(t, load, from, done, count);
            done += count;
        }
    }

    /** Fills {@code [at, at + n)} of the register with the one element at {@code address}. */
    static void repeat(Tile t, Program.Load load, long address, int at, int n) {
        Transfer.load(t, load, address, at, 1);
        if (n > 1) t.fill(load.kind(), load.register(), at + 1, at + n, t.bits(load.kind(), load.register(), at));
    }
}
