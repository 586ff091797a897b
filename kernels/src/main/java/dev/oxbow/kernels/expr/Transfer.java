package dev.oxbow.kernels.expr;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Half;
import dev.oxbow.tensor.Memory;
import java.lang.foreign.MemorySegment;

/** Copies elements of every dtype between memory and registers, widening and narrowing on the way. */
final class Transfer {
    private Transfer() {}

    /** Fills {@code [at, at + n)} of a register from consecutive elements at {@code address}. */
    static void load(Tile t, Program.Load l, long address, int at, int n) {
        switch (l.dtype()) {
            case F32 -> MemorySegment.copy(Memory.ALL, Memory.FLOAT, address, t.floats[l.register()], at, n);
            case F64 -> MemorySegment.copy(Memory.ALL, Memory.DOUBLE, address, t.doubles[l.register()], at, n);
            case I32, U32, QI32 -> MemorySegment.copy(Memory.ALL, Memory.INT, address, t.ints[l.register()], at, n);
            case I64, U64 -> MemorySegment.copy(Memory.ALL, Memory.LONG, address, t.longs[l.register()], at, n);
            case C64 -> {
                float[] r = t.floats[l.register()];
                for (int i = 0; i < n; i++) r[at + i] = Memory.getFloat(address + 8L * i + 4L * l.part());
            }
            case C128 -> {
                double[] r = t.doubles[l.register()];
                for (int i = 0; i < n; i++) r[at + i] = Memory.getDouble(address + 16L * i + 8L * l.part());
            }
            case F16 -> {
                float[] r = t.floats[l.register()];
                for (int i = 0; i < n; i++) r[at + i] = Half.fromF16(Memory.getShort(address + 2L * i));
            }
            case BF16 -> {
                float[] r = t.floats[l.register()];
                for (int i = 0; i < n; i++) r[at + i] = Half.fromBf16(Memory.getShort(address + 2L * i));
            }
            default -> loadNarrow(t.ints[l.register()], l.dtype(), address, at, n);
        }
    }

    private static void loadNarrow(int[] r, DType dtype, long address, int at, int n) {
        switch (dtype) {
            case I8, QI8 -> {
                for (int i = 0; i < n; i++) r[at + i] = Memory.getByte(address + i);
            }
            case U8, QU8 -> {
                for (int i = 0; i < n; i++) r[at + i] = Memory.getByte(address + i) & 0xff;
            }
            case I16, QI16 -> {
                for (int i = 0; i < n; i++) r[at + i] = Memory.getShort(address + 2L * i);
            }
            case U16, QU16 -> {
                for (int i = 0; i < n; i++) r[at + i] = Memory.getShort(address + 2L * i) & 0xffff;
            }
            case BOOL -> {
                for (int i = 0; i < n; i++) r[at + i] = Memory.getByte(address + i) != 0 ? 1 : 0;
            }
            default -> throw new AssertionError(dtype);
        }
    }

    /** Writes {@code [0, n)} of a register to consecutive elements at {@code address}. */
    static void store(Tile t, Program.Store s, long address, int n) {
        switch (s.dtype()) {
            case F32 -> MemorySegment.copy(t.floats[s.register()], 0, Memory.ALL, Memory.FLOAT, address, n);
            case F64 -> MemorySegment.copy(t.doubles[s.register()], 0, Memory.ALL, Memory.DOUBLE, address, n);
            case I32, U32, QI32 -> MemorySegment.copy(t.ints[s.register()], 0, Memory.ALL, Memory.INT, address, n);
            case I64, U64 -> MemorySegment.copy(t.longs[s.register()], 0, Memory.ALL, Memory.LONG, address, n);
            case C64 -> {
                float[] r = t.floats[s.register()];
                for (int i = 0; i < n; i++) Memory.putFloat(address + 8L * i + 4L * s.part(), r[i]);
            }
            case C128 -> {
                double[] r = t.doubles[s.register()];
                for (int i = 0; i < n; i++) Memory.putDouble(address + 16L * i + 8L * s.part(), r[i]);
            }
            case F16 -> {
                float[] r = t.floats[s.register()];
                for (int i = 0; i < n; i++) Memory.putShort(address + 2L * i, Half.toF16(r[i]));
            }
            case BF16 -> {
                float[] r = t.floats[s.register()];
                for (int i = 0; i < n; i++) Memory.putShort(address + 2L * i, Half.toBf16(r[i]));
            }
            default -> storeNarrow(t.ints[s.register()], s.dtype(), address, n);
        }
    }

    private static void storeNarrow(int[] r, DType dtype, long address, int n) {
        if (dtype.size() == 1) {
            for (int i = 0; i < n; i++) Memory.putByte(address + i, (byte) r[i]);
        } else {
            for (int i = 0; i < n; i++) Memory.putShort(address + 2L * i, (short) r[i]);
        }
    }
}
