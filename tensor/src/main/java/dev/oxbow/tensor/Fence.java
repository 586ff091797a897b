package dev.oxbow.tensor;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Blocks beside pages that cannot be touched, to find kernels that leave their tensors: {@code -Doxbow.fence=end} lets
 * every block end at such a page, {@code begin} begin behind one. Any access past it, or after release, ends the JVM
 * with the kernel on its stack. Slow; for tests and for who writes kernels.
 */
final class Fence {

    /*
     * A block has a mapping of its own between two pages without access. Released, all of it loses access and stays
     * mapped for a while, so that its addresses do not come back at once. Fresh memory is filled with a pattern, so
     * that what was never written shows. The system bounds the number of mappings of a process, hence MOST_BLOCKS:
     * beyond it blocks are not fenced.
     */

    private static final String SIDE = System.getProperty("oxbow.fence", "");

    /** Whether blocks are fenced. */
    static final boolean ON = !SIDE.isEmpty() && Pages.size() > 0;

    private static final boolean AT_END = !SIDE.equals("begin");
    private static final int MOST_BLOCKS = 12_000;
    private static final int MOST_RELEASED = 4_000;
    private static final byte FRESH = 0x7f;

    private static final Map<Long, long[]> MAPPINGS = new HashMap<>();
    private static final Deque<long[]> RELEASED = new ArrayDeque<>();

    private Fence() {}

    /** Where {@code bytes} begin, aligned as far as their number is. */
    static synchronized long allocate(long bytes) {
        long page = Pages.size(), room = Math.max(page, (bytes + page - 1) / page * page);
        long start = Pages.fenced(room + 2 * page, MAPPINGS.size() < MOST_BLOCKS ? page : 0);
        long address = AT_END ? start + page + room - bytes : start + page;
        MAPPINGS.put(address, new long[] {start, room + 2 * page});
        Memory.ALL.asSlice(start + page, room).fill(FRESH);
        return address;
    }

    static synchronized void free(long address) {
        long[] mapping = MAPPINGS.remove(address);
        Pages.forbid(mapping[0], mapping[1]);
        RELEASED.add(mapping);
        while (RELEASED.size() > MOST_RELEASED) forget();
    }

    private static void forget() {
        long[] mapping = RELEASED.remove();
        Pages.unmap(mapping[0], mapping[1]);
    }
}
