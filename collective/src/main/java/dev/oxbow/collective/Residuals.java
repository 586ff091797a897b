package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import java.util.HashMap;
import java.util.Map;

/** What top-k of one group has not sent yet, by the name of the tensor, as f32. */
final class Residuals implements AutoCloseable {
    private record Kept(Buffer memory, long count) {}

    private final MemoryPool pool;
    private final Map<String, Kept> byName = new HashMap<>();

    Residuals(MemoryPool pool) {
        this.pool = pool;
    }

    /** The memory for a tensor, zeroed when it is first asked for. */
    long of(String name, long count) {
        Kept kept = byName.computeIfAbsent(name, n -> {
            Buffer memory = pool.allocate(4 * count, "residual of " + n);
            Memory.zero(memory.address(), 4 * count);
            return new Kept(memory, count);
        });
        require(
                kept.count == count,
                INVALID_ARGUMENT,
                "top-k: '%s' had %d values before and has %d now",
                name,
                kept.count,
                count);
        return kept.memory.address();
    }

    @Override
    public void close() {
        byName.values().forEach(k -> k.memory.release());
        byName.clear();
    }
}
