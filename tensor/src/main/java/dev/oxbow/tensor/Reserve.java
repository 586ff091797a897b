package dev.oxbow.tensor;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All the memory of a JVM that denies native access: one segment, given out by first fit. */
final class Reserve {

    /*
     * Without native access no segment reaches what it was not allocated for, and allocating clears memory, so that all
     * of it would be taken from the system at once. A private mapping of a file of nothing but a hole takes no memory
     * until it is written to, and none of the file then either.
     */

    private static final long LARGEST = 1L << 42;
    private static final long SMALLEST = 1L << 26;

    /** Address 0 is nobody's. */
    private static final long FIRST = 4096;

    private final MemorySegment all;
    private final TreeMap<Long, Long> free = new TreeMap<>();

    /** The largest mapping that the system gives. */
    Reserve() {
        this(map());
    }

    Reserve(MemorySegment all) {
        this.all = all;
        free.put(FIRST, all.byteSize() - FIRST);
    }

    MemorySegment all() {
        return all;
    }

    private static MemorySegment map() {
        IOException last = null;
        for (long size = LARGEST; size >= SMALLEST; size /= 2) {
            try {
                return map(size);
            } catch (IOException e) {
                last = e;
            }
        }
        throw new OxbowException(
                ErrorCode.RESOURCE_EXHAUSTED,
                "Memory: native access is denied, and no file of " + SMALLEST + " bytes can be mapped instead; add"
                        + " --enable-native-access=ALL-UNNAMED",
                last);
    }

    private static MemorySegment map(long size) throws IOException {
        Path folder = Files.createTempDirectory("oxbow");
        try (FileChannel file = FileChannel.open(
                folder.resolve("memory"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.SPARSE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE)) {
            return file.map(FileChannel.MapMode.PRIVATE, 0, size, Arena.global());
        } finally {
            Files.deleteIfExists(folder);
        }
    }

    /** An arena of cleared slices, which come back when it closes. */
    Arena arena() {
        return new Arena() {
            private final List<MemorySegment> taken = new ArrayList<>();

            @Override
            public synchronized MemorySegment allocate(long bytes, long alignment) {
                MemorySegment slice = take(Math.max(1, bytes), alignment);
                taken.add(slice);
                return slice.fill((byte) 0).asSlice(0, bytes);
            }

            @Override
            public MemorySegment.Scope scope() {
                return all.scope();
            }

            @Override
            public synchronized void close() {
                taken.forEach(Reserve.this::giveBack);
                taken.clear();
            }
        };
    }

    private synchronized MemorySegment take(long bytes, long alignment) {
        for (Map.Entry<Long, Long> gap : free.entrySet()) {
            long from = gap.getKey(), end = from + gap.getValue(), at = Math.ceilDiv(from, alignment) * alignment;
            if (bytes > end - at) continue;
            free.remove(from);
            if (at > from) free.put(from, at - from);
            if (end > at + bytes) free.put(at + bytes, end - at - bytes);
            return all.asSlice(at, bytes);
        }
        throw new OutOfMemoryError("no " + bytes + " bytes in a mapping of " + all.byteSize());
    }

    private synchronized void giveBack(MemorySegment slice) {
        long from = slice.address() - all.address(), end = from + slice.byteSize();
        Map.Entry<Long, Long> before = free.lowerEntry(from);
        if (before != null && before.getKey() + before.getValue() == from) from = before.getKey();
        Long behind = free.remove(end);
        free.put(from, end - from + (behind == null ? 0 : behind));
    }
}
