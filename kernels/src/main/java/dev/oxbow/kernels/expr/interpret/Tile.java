package dev.oxbow.kernels.expr.interpret;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** One thread's registers: arrays of {@link #SIZE} values, kept for the thread's next kernel. */
public final class Tile {
    /** Values in a register: few enough for a dozen registers to stay in the nearest cache. */
    public static final int SIZE = 1024;

    private static final ThreadLocal<Tile> OF_THREAD = ThreadLocal.withInitial(Tile::new);

    public int[][] ints = {};
    public long[][] longs = {};
    public float[][] floats = {};
    public double[][] doubles = {};

    /** Elements of narrow dtypes on their way between memory and registers. */
    final short[] shorts = new short[SIZE];

    final byte[] bytes = new byte[SIZE];

    /** This thread's tile with the registers of {@code program} and its constants, for {@code n} values each. */
    public static Tile of(Program program, int n) {
        Tile t = of(program);
        for (Program.Constant c : program.constants) t.fill(c.kind(), c.register(), 0, n, c.bits());
        return t;
    }

    /** This thread's tile with the registers of {@code program}, whatever they hold. */
    public static Tile of(Program program) {
        Tile t = OF_THREAD.get();
        t.reserve(program);
        return t;
    }

    /** This thread's tile with one register of every kind. */
    public static Tile withFirst() {
        Tile t = OF_THREAD.get();
        t.reserve(1, 1, 1, 1);
        return t;
    }

    private void reserve(Program p) {
        reserve(p.registers(Kind.I32), p.registers(Kind.I64), p.registers(Kind.F32), p.registers(Kind.F64));
    }

    private void reserve(int i, int l, int f, int d) {
        for (int k = ints.length; k < i; k++) (ints = Arrays.copyOf(ints, k + 1))[k] = new int[SIZE];
        for (int k = longs.length; k < l; k++) (longs = Arrays.copyOf(longs, k + 1))[k] = new long[SIZE];
        for (int k = floats.length; k < f; k++) (floats = Arrays.copyOf(floats, k + 1))[k] = new float[SIZE];
        for (int k = doubles.length; k < d; k++) (doubles = Arrays.copyOf(doubles, k + 1))[k] = new double[SIZE];
    }

    public void fill(Kind kind, int register, int from, int to, long bits) {
        switch (kind) {
            case I32, BOOL -> Arrays.fill(ints[register], from, to, (int) bits);
            case I64 -> Arrays.fill(longs[register], from, to, bits);
            case F32 -> Arrays.fill(floats[register], from, to, Float.intBitsToFloat((int) bits));
            case F64 -> Arrays.fill(doubles[register], from, to, Double.longBitsToDouble(bits));
        }
    }

    public long bits(Kind kind, int register, int at) {
        return switch (kind) {
            case I32, BOOL -> ints[register][at];
            case I64 -> longs[register][at];
            case F32 -> Float.floatToRawIntBits(floats[register][at]);
            case F64 -> Double.doubleToRawLongBits(doubles[register][at]);
        };
    }

    /** Writes the first {@code n} values of a register, in their own width, to memory. */
    public void copyTo(long address, Kind kind, int register, int n) {
        switch (kind) {
            case I32, BOOL -> MemorySegment.copy(ints[register], 0, Memory.ALL, Memory.INT, address, n);
            case I64 -> MemorySegment.copy(longs[register], 0, Memory.ALL, Memory.LONG, address, n);
            case F32 -> MemorySegment.copy(floats[register], 0, Memory.ALL, Memory.FLOAT, address, n);
            case F64 -> MemorySegment.copy(doubles[register], 0, Memory.ALL, Memory.DOUBLE, address, n);
        }
    }

    /** Reads the first {@code n} values of a register, in their own width, from memory. */
    public void copyFrom(long address, Kind kind, int register, int n) {
        switch (kind) {
            case I32, BOOL -> MemorySegment.copy(Memory.ALL, Memory.INT, address, ints[register], 0, n);
            case I64 -> MemorySegment.copy(Memory.ALL, Memory.LONG, address, longs[register], 0, n);
            case F32 -> MemorySegment.copy(Memory.ALL, Memory.FLOAT, address, floats[register], 0, n);
            case F64 -> MemorySegment.copy(Memory.ALL, Memory.DOUBLE, address, doubles[register], 0, n);
        }
    }
}
