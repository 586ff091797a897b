package dev.oxbow.tensor;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;

/**
 * Memory mapped from the system: for large blocks in huge pages where Linux has them to give, else as an arena gives it;
 * for instructions in pages that can be executed and no longer written.
 */
public final class Pages {

    /*
     * A table of a few hundred megabytes that is read at random misses the translation buffer on nearly every row with
     * pages of 4 KB, and a fresh block of 64 MB costs 16,000 page faults. Pages of 2 MB must be asked for, before the
     * memory is touched, so an arena, which clears its memory, is no way to get them. The part of a block behind its
     * last whole huge page keeps small ones, so that nothing is wasted.
     */

    private static final long HUGE = 2 << 20;
    private static final long WORTH = 2 * HUGE;
    private static final int NONE = 0;
    private static final int READ_WRITE = 3;
    private static final int READ_EXECUTE = 5;
    private static final int PRIVATE_ANONYMOUS = 0x22;
    private static final int NOT_NEEDED = 4;
    private static final int HUGE_PAGES = 14;
    private static final int MOVE_THERE = 3;

    /** The mappings for large blocks: where each begins, and its length. */
    private static final ConcurrentSkipListMap<Long, Long> MAPPED = new ConcurrentSkipListMap<>();

    private Pages() {}

    /** The bytes of a page; 0 where nothing is ever mapped. */
    public static long size() {
        return Linux.PAGE;
    }

    /** Whether these bytes lie in a mapping for large blocks: private to the process, and fit for {@link #renew}. */
    public static boolean areMapped(long address, long length) {
        Map.Entry<Long, Long> last = MAPPED.floorEntry(address);
        return last != null && address + length <= last.getKey() + last.getValue();
    }

    /**
     * Puts copies in the places of the pages that lie wholly in these mapped bytes. Whoever else holds the pages, as the
     * system does for a socket, keeps them as they are now. Nobody may write to these bytes meanwhile.
     */
    public static void renew(long address, long length) {
        long page = size(), from = (address + page - 1) / page * page, to = (address + length) / page * page;
        if (to > from) Linux.renew(from, to - from);
    }

    /** At least {@code bytes} at a multiple of {@code alignment}, not cleared, until the arena closes. */
    static long allocate(Arena arena, long bytes, long alignment) {
        if (bytes >= WORTH && Linux.AVAILABLE) {
            long address = Linux.map(arena, bytes);
            if (address != 0) return address;
        }
        return Memory.address(arena.allocate(bytes, alignment));
    }

    /** A mapping of {@code length} bytes of which the first and the last {@code fence} can not be touched. */
    static long fenced(long length, long fence) {
        return Linux.fenced(length, fence);
    }

    /** Lets nobody touch a mapping any more; its addresses stay taken, its memory does not. */
    static void forbid(long start, long length) {
        Linux.forbid(start, length);
    }

    static void unmap(long start, long length) {
        Linux.unmap(start, length);
    }

    /** Where these instructions can be called from now on, or 0 where that is not Linux's way or not allowed. */
    static long code(byte[] instructions) {
        return Linux.AVAILABLE ? Linux.code(instructions) : 0;
    }

    /** The calls of Linux's C library, looked up when the first mapping is wanted. */
    private static final class Linux {
        static final boolean AVAILABLE;
        static final long PAGE;
        private static final MethodHandle MMAP;
        private static final MethodHandle MUNMAP;
        private static final MethodHandle MADVISE;
        private static final MethodHandle MPROTECT;
        private static final MethodHandle MREMAP;

        static {
            MethodHandle mmap = null, munmap = null, madvise = null, mprotect = null, mremap = null, pageSize = null;
            String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
            if (Memory.isNative() && os.startsWith("linux") && ValueLayout.ADDRESS.byteSize() == Long.BYTES) {
                ValueLayout.OfLong l = ValueLayout.JAVA_LONG;
                ValueLayout.OfInt i = ValueLayout.JAVA_INT;
                mmap = function("mmap", FunctionDescriptor.of(l, l, l, i, i, i, l));
                munmap = function("munmap", FunctionDescriptor.of(i, l, l));
                madvise = function("madvise", FunctionDescriptor.of(i, l, l, i));
                mprotect = function("mprotect", FunctionDescriptor.of(i, l, l, i));
                mremap = function("mremap", FunctionDescriptor.of(l, l, l, l, i, l), Linker.Option.firstVariadicArg(4));
                pageSize = function("getpagesize", FunctionDescriptor.of(i));
            }
            MMAP = mmap;
            MUNMAP = munmap;
            MADVISE = madvise;
            MPROTECT = mprotect;
            MREMAP = mremap;
            PAGE = size(pageSize);
            AVAILABLE = PAGE > 0
                    && Stream.of(mmap, munmap, madvise, mprotect, mremap).allMatch(Objects::nonNull);
        }

        private static long size(MethodHandle pageSize) {
            try {
                return pageSize == null ? 0 : (int) pageSize.invokeExact();
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        @SuppressWarnings("restricted")
        private static MethodHandle function(String name, FunctionDescriptor type, Linker.Option... options) {
            Linker linker = Linker.nativeLinker();
            SymbolLookup lookup = linker.defaultLookup();
            return lookup.find(name)
                    .map(s -> linker.downcallHandle(s, type, options))
                    .orElse(null);
        }

        /** A mapping that begins at a huge page, or 0 when the system gives none. */
        @SuppressWarnings("restricted")
        static long map(Arena arena, long bytes) {
            try {
                long length = bytes + HUGE;
                long start = (long) MMAP.invokeExact(0L, length, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0L);
                if (start == -1) return 0;
                MAPPED.put(start, length);
                MemorySegment.ofAddress(start).reinterpret(length, arena, _ -> {
                    MAPPED.remove(start);
                    unmap(start, length);
                });
                long address = (start + HUGE - 1) / HUGE * HUGE;
                int refused = (int) MADVISE.invokeExact(address, bytes / HUGE * HUGE, HUGE_PAGES);
                return refused == 0 ? address : start; // small pages do too
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        static long fenced(long length, long fence) {
            try {
                long start = (long) MMAP.invokeExact(0L, length, NONE, PRIVATE_ANONYMOUS, -1, 0L);
                if (start == -1) throw new OutOfMemoryError("no pages for " + length + " bytes");
                int refused = (int) MPROTECT.invokeExact(start + fence, length - 2 * fence, READ_WRITE);
                if (refused == 0) return start;
                unmap(start, length);
                throw new OutOfMemoryError("no fence around " + length + " bytes");
            } catch (Error e) {
                throw e;
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        static void forbid(long start, long length) {
            try {
                int kept = (int) MADVISE.invokeExact(start, length, NOT_NEEDED);
                int refused = (int) MPROTECT.invokeExact(start, length, NONE);
                if (kept != 0 || refused != 0) throw new AssertionError("can not forbid " + length + " bytes");
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        static void renew(long address, long length) {
            try {
                long copy = (long) MMAP.invokeExact(0L, length, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0L);
                if (copy == -1) throw new OutOfMemoryError("no pages to renew " + length + " bytes");
                Memory.copy(address, copy, length);
                long moved = (long) MREMAP.invokeExact(copy, length, length, MOVE_THERE, address);
                if (moved == address) return;
                unmap(copy, length);
                throw new OutOfMemoryError("can not renew " + length + " bytes");
            } catch (Error e) {
                throw e;
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        static long code(byte[] instructions) {
            try {
                long length = instructions.length;
                long start = (long) MMAP.invokeExact(0L, length, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0L);
                if (start == -1) return 0;
                MemorySegment.copy(MemorySegment.ofArray(instructions), 0, Memory.ALL, start, length);
                int refused = (int) MPROTECT.invokeExact(start, length, READ_EXECUTE);
                if (refused == 0) return start;
                unmap(start, length);
                return 0;
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        static void unmap(long start, long length) {
            try {
                int failed = (int) MUNMAP.invokeExact(start, length);
                if (failed != 0) throw new AssertionError("munmap of " + length + " bytes failed");
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }
    }
}
