package dev.oxbow.tensor;

import java.lang.foreign.Arena;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The host's memory: every block has an arena of its own. */
final class HostSpace implements Space {
    /** What every block begins at a multiple of, as {@link MemoryPool} needs to find where one began. */
    static final long PAGE = 4096;

    private final Map<Long, Arena> arenas = new ConcurrentHashMap<>();

    @Override
    public String name() {
        return "host";
    }

    @Override
    public long alignment() {
        return 64;
    }

    @Override
    public long allocate(long bytes) {
        Arena arena = Memory.arena();
        try {
            long place = Pages.allocate(arena, bytes, PAGE);
            arenas.put(place, arena);
            return place;
        } catch (OutOfMemoryError e) {
            arena.close();
            throw e;
        }
    }

    @Override
    public void free(long place) {
        arenas.remove(place).close();
    }

    @Override
    public void copy(long from, long to, long bytes) {
        Memory.copy(from, to, bytes);
    }

    @Override
    public void zero(long place, long bytes) {
        Memory.zero(place, bytes);
    }

    @Override
    public void copyIn(long address, long place, long bytes) {
        Memory.copy(address, place, bytes);
    }

    @Override
    public void copyOut(long place, long address, long bytes) {
        Memory.copy(place, address, bytes);
    }
}
