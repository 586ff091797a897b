package dev.oxbow.runtime.plan;

import java.util.ArrayList;
import java.util.List;

/** Places in one block of memory, each free again after the last reader of what lies there; the best fit is taken. */
final class BlockLayout {
    private static final long ALIGNMENT = 64;

    /** Places of large values differ modulo a page, so that kernels do not read and write the same cache sets. */
    private static final long LARGE = 1 << 14;

    private static final long STAGGER = 5 * ALIGNMENT;

    private record Hole(long offset, long size) {}

    private final List<Hole> holes = new ArrayList<>();
    private long end;

    long take(long size) {
        long rounded = rounded(size);
        int best = -1;
        for (int i = 0; i < holes.size(); i++) {
            long s = holes.get(i).size;
            if (s >= rounded && (best < 0 || s < holes.get(best).size)) best = i;
        }
        if (best >= 0) {
            Hole h = holes.remove(best);
            if (h.size > rounded) free(h.offset + rounded, h.size - rounded);
            return h.offset;
        }
        // grow: a hole at the end of the block is extended
        for (int i = 0; i < holes.size(); i++) {
            Hole h = holes.get(i);
            if (h.offset + h.size == end) {
                holes.remove(i);
                end = h.offset + rounded;
                return h.offset;
            }
        }
        long at = end;
        end += rounded;
        return at;
    }

    void give(long offset, long size) {
        free(offset, rounded(size));
    }

    private static long rounded(long size) {
        long r = Math.max(ALIGNMENT, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
        return r >= LARGE ? r + STAGGER : r;
    }

    private void free(long offset, long size) {
        long from = offset, to = offset + size;
        for (int i = holes.size() - 1; i >= 0; i--) {
            Hole h = holes.get(i);
            if (h.offset + h.size == from) {
                from = h.offset;
                holes.remove(i);
            } else if (h.offset == to) {
                to = h.offset + h.size;
                holes.remove(i);
            }
        }
        holes.add(new Hole(from, to - from));
    }

    /** The most that was in use at once, holes between included. */
    long size() {
        return end;
    }
}
