package dev.oxbow.kernels.move;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** A list of row numbers cut into groups that share no row, so that threads can change rows; negative numbers are left out. */
public final class RowGroups implements AutoCloseable {

    /*
     * Groups are made by one counting pass, not by sorting, and keep the order of the list: every row sees its
     * changes in that order, whoever makes them. Rows that may share a cache line are in one group. The number of
     * groups depends on the amount of work alone.
     */

    /** How many rows early a row should be touched: as many loads as a core keeps in flight. */
    static final int AHEAD = 12;

    private static final int LINE = 64;
    private static final long GRAIN = 1 << 17;

    private static volatile boolean kept;
    private static final int MOST_GROUPS = 64;

    private final long rows;
    private final int kind;
    private final int groups;
    private final long[] start;
    private final Tensor positions;

    private RowGroups(Tensor indices, int groups, int shift, MemoryPool pool) {
        this.rows = indices.address();
        this.kind = kind(indices.dtype());
        this.groups = groups;
        this.start = new long[groups + 1];
        long n = indices.size();
        if (groups == 1) {
            start[1] = n;
            positions = null;
            return;
        }
        positions = pool.tensor(DType.I32, Shape.of(n), "RowGroups");
        long at = positions.address();
        int mask = groups - 1;
        for (long i = 0; i < n; i++) {
            long row = number(rows, kind, i);
            if (row >= 0) start[((int) (row >>> shift) & mask) + 1]++;
        }
        for (int g = 0; g < groups; g++) start[g + 1] += start[g];
        long[] next = start.clone();
        for (long i = 0; i < n; i++) {
            long row = number(rows, kind, i);
            if (row >= 0) Memory.putInt(at + 4 * next[(int) (row >>> shift) & mask]++, (int) i);
        }
    }

    /** Groups of {@code indices} when each costs about as much as moving {@code rowBytes}. */
    public static RowGroups of(Tensor indices, long rowBytes, MemoryPool pool) {
        long n = indices.size(), pieces = n * Math.max(1, rowBytes) / GRAIN;
        int groups = pieces < 2 || n > Integer.MAX_VALUE ? 1 : (int) Long.highestOneBit(Math.min(pieces, MOST_GROUPS));
        int shift = 0;
        while (rowBytes << shift < 64) shift++;
        return new RowGroups(indices, groups, shift, pool);
    }

    /** Work on the places {@code [from, to)} of a group. */
    public interface Task {
        void run(long from, long to);
    }

    /** Runs {@code task} on every group. */
    public void run(Parallel parallel, Task task) {
        if (groups == 1) task.run(0, start[1]);
        else
            parallel.run(groups, 1, (from, to) -> {
                for (int g = (int) from; g < to; g++) task.run(start[g], start[g + 1]);
            });
    }

    /** The position in the list of place {@code k}. */
    public long position(long k) {
        return positions == null ? k : Memory.getInt(positions.address() + 4 * k);
    }

    /** The row number at a position of the list. */
    public long row(long position) {
        return number(rows, kind, position);
    }

    /** Loads from the first two cache lines of a row, so that they are there when it is its turn; give the result to {@link #keep}. */
    static long touch(long row, long bytes) {
        return Memory.getByte(row) | (bytes > LINE ? Memory.getByte(row + LINE) : 0);
    }

    /** Makes the loads of {@link #touch} count, or the compiler would leave them out. */
    static void keep(long touched) {
        if (touched == Long.MIN_VALUE) kept = true;
    }

    /** The element width of an index dtype, negative when it has no sign. */
    static int kind(DType dtype) {
        return dtype.isUnsigned() ? -dtype.size() : dtype.size();
    }

    /** Element {@code i} of a tensor of whole numbers, of unsigned ones of 64 bits as a signed one. */
    public static long number(Tensor numbers, long i) {
        return number(numbers.address(), kind(numbers.dtype()), i);
    }

    /** Element {@code i} of an array of whole numbers of a {@link #kind}. */
    static long number(long address, int kind, long i) {
        return switch (kind) {
            case 8, -8 -> Memory.getLong(address + 8 * i);
            case 4 -> Memory.getInt(address + 4 * i);
            case -4 -> Integer.toUnsignedLong(Memory.getInt(address + 4 * i));
            case 2 -> Memory.getShort(address + 2 * i);
            case -2 -> Short.toUnsignedLong(Memory.getShort(address + 2 * i));
            case 1 -> Memory.getByte(address + i);
            default -> Byte.toUnsignedLong(Memory.getByte(address + i));
        };
    }

    /** The first position in {@code [0, size)} whose number is not in {@code [low, bound)}; -1 if all are. */
    public static long firstOutside(Tensor indices, long low, long bound) {
        long at = indices.address(), n = indices.size();
        int kind = kind(indices.dtype());
        for (long i = 0; i < n; i++) {
            long x = number(at, kind, i);
            if (x < low || x >= bound) return i;
        }
        return -1;
    }

    @Override
    public void close() {
        if (positions != null) positions.release();
    }
}
