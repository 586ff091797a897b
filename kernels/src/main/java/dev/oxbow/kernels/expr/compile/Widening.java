package dev.oxbow.kernels.expr.compile;

import dev.oxbow.kernels.expr.interpret.Kind;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.kernels.expr.interpret.Tile;
import dev.oxbow.kernels.expr.interpret.Transfer;
import dev.oxbow.tensor.DType;

/** Narrow elements in memory to and from the 32-bit form in which generated code reads and writes them. */
final class Widening {
    private Widening() {}

    /** Brings {@code n} elements at {@code from} to 32 bits each at {@code to}. */
    static void widen(DType dtype, long from, long to, long n) {
        Tile t = Tile.withFirst();
        Program.Load l = new Program.Load(0, dtype, 0, Kind.of(dtype), 0);
        for (long done = 0; done < n; done += Tile.SIZE) {
            int count = (int) Math.min(Tile.SIZE, n - done);
            Transfer.load(t, l, from + done * dtype.size(), 0, count);
            t.copyTo(to + 4 * done, l.kind(), 0, count);
        }
    }

    /** Brings {@code n} values of 32 bits at {@code from} to elements at {@code to}. */
    static void narrow(DType dtype, long from, long to, long n) {
        Tile t = Tile.withFirst();
        Program.Store s = new Program.Store(0, dtype, 0, Kind.of(dtype), 0);
        for (long done = 0; done < n; done += Tile.SIZE) {
            int count = (int) Math.min(Tile.SIZE, n - done);
            t.copyFrom(from + 4 * done, s.kind(), 0, count);
            Transfer.store(t, s, to + done * dtype.size(), 0, count);
        }
    }
}
