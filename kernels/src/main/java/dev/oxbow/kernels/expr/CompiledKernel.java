package dev.oxbow.kernels.expr;

import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;

/** Brings elements into the form that generated code wants, dense runs of 32 or 64 bits, and runs it. */
final class CompiledKernel {

    /*
     * Native dtypes that are dense over the run are read and written in place. What is narrow, broadcast
     * or repeated goes through a tile of scratch memory, and so does the tail that does not fill the
     * lanes; lanes beyond it hold leftovers, which no vector instruction minds.
     */

    private static final long SLOT = 8L * Tile.SIZE;
    private static final long LONG_ROW = 256;

    final Program program;
    final TileKernel kernel;
    final int lanes;

    CompiledKernel(Program program, TileKernel kernel) {
        this.program = program;
        this.kernel = kernel;
        this.lanes = Lanes.count(Compiler.has64(program));
    }

    void run(Broadcast b, Tensor[] inputs, Tensor[] outputs, long from, long to) {
        Buffer scratch = MemoryPool.shared().allocate(SLOT * (program.loads.length + program.stores.length), "kernel");
        try {
            new Run(b, inputs, outputs, scratch.address()).range(from, to);
        } finally {
            scratch.release();
        }
    }

    static boolean isNative(DType dtype) {
        return switch (dtype) {
            case F32, F64, I32, U32, QI32, I64, U64 -> true;
            default -> false;
        };
    }

    /** One run on one thread. */
    private final class Run {
        final Broadcast broadcast;
        final Tensor[] inputs;
        final Tensor[] outputs;
        final long scratch;
        final Tile tile = Tile.of(program);
        final long[] addresses = new long[program.loads.length + program.stores.length];
        final long row;
        /** Whether rows are long enough to be taken one by one, so that inputs dense along them need no gathering. */
        final boolean byRow;

        Run(Broadcast broadcast, Tensor[] inputs, Tensor[] outputs, long scratch) {
            this.broadcast = broadcast;
            this.inputs = inputs;
            this.outputs = outputs;
            this.scratch = scratch;
            this.row = broadcast.dims[broadcast.dims.length - 1];
            this.byRow = broadcast.dims.length > 1 && row >= LONG_ROW;
        }

        void range(long from, long to) {
            boolean allInPlace = true;
            for (int i = 0; i < program.loads.length; i++) {
                Program.Load l = program.loads[i];
                allInPlace &= isDense(l);
                if (!broadcast.isScalar(l.index())) continue;
                Gather.repeat(tile, l, inputs[l.index()].address(), 0, Tile.SIZE);
                tile.copyTo(slot(i), l.kind(), l.register(), Tile.SIZE);
            }
            for (Program.Store s : program.stores) allInPlace &= isNative(s.dtype());
            long limit = allInPlace ? Long.MAX_VALUE : Tile.SIZE;
            for (long at = from; at < to; ) {
                long n = Math.min(to - at, limit);
                if (byRow) n = Math.min(n, row - at % row);
                long whole = n / lanes * lanes;
                if (whole > 0) piece(at, whole, true);
                if (whole < n) piece(at + whole, n - whole, false);
                at += n;
            }
        }

        private boolean isDense(Program.Load l) {
            if (!isNative(l.dtype())) return false;
            if (broadcast.isContiguous(l.index())) return true;
            return byRow && broadcast.strides[l.index()][broadcast.dims.length - 1] == 1;
        }

        private long slot(int i) {
            return scratch + i * SLOT;
        }

        /** Runs on {@code [at, at + n)}; in place where possible if {@code n} fills the lanes, else all in scratch. */
        private void piece(long at, long n, boolean inPlace) {
            int loads = program.loads.length;
            for (int i = 0; i < loads; i++) {
                Program.Load l = program.loads[i];
                addresses[i] = slot(i);
                if (broadcast.isScalar(l.index())) continue;
                long address = inputs[l.index()].address();
                if (inPlace && isDense(l)) {
                    addresses[i] = address
                            + broadcast.offset(l.index(), at) * l.dtype().size();
                } else {
                    Gather.load(tile, l, broadcast, address, at, (int) n);
                    tile.copyTo(slot(i), l.kind(), l.register(), (int) n);
                }
            }
            for (int i = 0; i < program.stores.length; i++) {
                Program.Store s = program.stores[i];
                addresses[loads + i] = inPlace && isNative(s.dtype()) ? target(s, at) : slot(loads + i);
            }
            kernel.run(addresses, inPlace ? n : lanes);
            for (int i = 0; i < program.stores.length; i++) {
                Program.Store s = program.stores[i];
                if (inPlace && isNative(s.dtype())) continue;
                tile.copyFrom(slot(loads + i), s.kind(), s.register(), (int) n);
                Transfer.store(tile, s, target(s, at), (int) n);
            }
        }

        private long target(Program.Store s, long at) {
            Tensor t = outputs[s.index()];
            return t.address() + at * t.dtype().size();
        }
    }
}
