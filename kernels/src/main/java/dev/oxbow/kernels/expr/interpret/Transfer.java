package dev.oxbow.kernels.expr.interpret;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import java.lang.foreign.MemorySegment;

/** Copies elements of every dtype between memory and registers. */
public final class Transfer {
    /** Below this, a loop is faster than a bulk copy's checks. */
    private static final int FEW = 8;

    private Transfer() {}

    /** Fills {@code [at, at + n)} of a register from consecutive elements at {@code address}. */
    public static void load(Tile t, Program.Load l, long address, int at, int n) {
        switch (l.dtype()) {
            case F32 -> loadFloats(t.floats[l.register()], address, at, n);
            case F64 -> loadDoubles(t.doubles[l.register()], address, at, n);
            case I32, U32, QI32 -> loadInts(t.ints[l.register()], address, at, n);
            case I64, U64 -> loadLongs(t.longs[l.register()], address, at, n);
            case C64 -> {
                float[] r = t.floats[l.register()];
                for (int i = 0; i < n; i++) r[at + i] = Memory.getFloat(address + 8L * i + 4L * l.part());
            }
            case C128 -> {
                double[] r = t.doubles[l.register()];
                for (int i = 0; i < n; i++) r[at + i] = Memory.getDouble(address + 16L * i + 8L * l.part());
            }
            case F16, BF16, I16, QI16, U16, QU16 -> {
                MemorySegment.copy(Memory.ALL, Memory.SHORT, address, t.shorts, 0, n);
                widenShorts(t, l, at, n);
            }
            case I8, QI8, U8, QU8, BOOL -> {
                MemorySegment.copy(Memory.ALL, Memory.BYTE, address, t.bytes, 0, n);
                widenBytes(t.bytes, t.ints[l.register()], l.dtype(), at, n);
            }
            case STRING, RESOURCE, VARIANT -> throw new AssertionError(l);
        }
    }

    private static void widenShorts(Tile t, Program.Load l, int at, int n) {
        switch (l.dtype()) {
            case F16 -> Narrow.fromF16(t.shorts, t.floats[l.register()], at, n);
            case BF16 -> Narrow.fromBf16(t.shorts, t.floats[l.register()], at, n);
            case U16, QU16 -> Narrow.fromU16(t.shorts, t.ints[l.register()], at, n);
            default -> Narrow.fromI16(t.shorts, t.ints[l.register()], at, n);
        }
    }

    private static void widenBytes(byte[] x, int[] r, DType dtype, int at, int n) {
        switch (dtype) {
            case U8, QU8 -> Narrow.fromU8(x, r, at, n);
            case BOOL -> Narrow.fromBool(x, r, at, n);
            default -> Narrow.fromI8(x, r, at, n);
        }
    }

    private static void loadFloats(float[] r, long address, int at, int n) {
        if (n >= FEW) MemorySegment.copy(Memory.ALL, Memory.FLOAT, address, r, at, n);
        else for (int i = 0; i < n; i++) r[at + i] = Memory.getFloat(address + 4L * i);
    }

    private static void loadDoubles(double[] r, long address, int at, int n) {
        if (n >= FEW) MemorySegment.copy(Memory.ALL, Memory.DOUBLE, address, r, at, n);
        else for (int i = 0; i < n; i++) r[at + i] = Memory.getDouble(address + 8L * i);
    }

    private static void loadInts(int[] r, long address, int at, int n) {
        if (n >= FEW) MemorySegment.copy(Memory.ALL, Memory.INT, address, r, at, n);
        else for (int i = 0; i < n; i++) r[at + i] = Memory.getInt(address + 4L * i);
    }

    private static void loadLongs(long[] r, long address, int at, int n) {
        if (n >= FEW) MemorySegment.copy(Memory.ALL, Memory.LONG, address, r, at, n);
        else for (int i = 0; i < n; i++) r[at + i] = Memory.getLong(address + 8L * i);
    }

    /** Writes {@code [0, n)} of a register to consecutive elements at {@code address}. */
    public static void store(Tile t, Program.Store s, long address, int n) {
        store(t, s, address, 0, n);
    }

    /** Writes {@code [at, at + n)} of a register to consecutive elements at {@code address}. */
    public static void store(Tile t, Program.Store s, long address, int at, int n) {
        switch (s.dtype()) {
            case F32 -> storeFloats(t.floats[s.register()], address, at, n);
            case F64 -> storeDoubles(t.doubles[s.register()], address, at, n);
            case I32, U32, QI32 -> storeInts(t.ints[s.register()], address, at, n);
            case I64, U64 -> storeLongs(t.longs[s.register()], address, at, n);
            case C64 -> {
                float[] r = t.floats[s.register()];
                for (int i = 0; i < n; i++) Memory.putFloat(address + 8L * i + 4L * s.part(), r[at + i]);
            }
            case C128 -> {
                double[] r = t.doubles[s.register()];
                for (int i = 0; i < n; i++) Memory.putDouble(address + 16L * i + 8L * s.part(), r[at + i]);
            }
            case F16, BF16, I16, QI16, U16, QU16 -> {
                if (s.dtype() == DType.F16) Narrow.toF16(t.floats[s.register()], t.shorts, at, n);
                else if (s.dtype() == DType.BF16) Narrow.toBf16(t.floats[s.register()], t.shorts, at, n);
                else Narrow.toShorts(t.ints[s.register()], t.shorts, at, n);
                MemorySegment.copy(t.shorts, 0, Memory.ALL, Memory.SHORT, address, n);
            }
            case I8, QI8, U8, QU8, BOOL -> {
                Narrow.toBytes(t.ints[s.register()], t.bytes, at, n);
                MemorySegment.copy(t.bytes, 0, Memory.ALL, Memory.BYTE, address, n);
            }
            case STRING, RESOURCE, VARIANT -> throw new AssertionError(s);
        }
    }

    private static void storeFloats(float[] r, long address, int at, int n) {
        if (n >= FEW) MemorySegment.copy(r, at, Memory.ALL, Memory.FLOAT, address, n);
        else for (int i = 0; i < n; i++) Memory.putFloat(address + 4L * i, r[at + i]);
    }

    private static void storeDoubles(double[] r, long address, int at, int n) {
        if (n >= FEW) MemorySegment.copy(r, at, Memory.ALL, Memory.DOUBLE, address, n);
        else for (int i = 0; i < n; i++) Memory.putDouble(address + 8L * i, r[at + i]);
    }

    private static void storeInts(int[] r, long address, int at, int n) {
        if (n >= FEW) MemorySegment.copy(r, at, Memory.ALL, Memory.INT, address, n);
        else for (int i = 0; i < n; i++) Memory.putInt(address + 4L * i, r[at + i]);
    }

    private static void storeLongs(long[] r, long address, int at, int n) {
        if (n >= FEW) MemorySegment.copy(r, at, Memory.ALL, Memory.LONG, address, n);
        else for (int i = 0; i < n; i++) Memory.putLong(address + 8L * i, r[at + i]);
    }
}
