package dev.oxbow.cuda;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Space;

/** Pinned memory of the host, which the stream of a card reads and writes: values wait there that are not wanted for long. */
record ParkingSpace(Card card) implements Space {

    @Override
    public String name() {
        return "host memory of GPU:" + card.ordinal;
    }

    @Override
    public long alignment() {
        return 256;
    }

    @Override
    public long allocate(long bytes) {
        card.enter();
        try {
            return Driver.allocatePinned(Math.max(1, bytes));
        } catch (OxbowException e) {
            if (e.code() != ErrorCode.RESOURCE_EXHAUSTED) throw e;
            throw new OutOfMemoryError("%s: the host has no %,d bytes more to pin".formatted(card, bytes));
        }
    }

    @Override
    public void free(long place) {
        if (card.isLost()) return;
        card.commands.outside(() -> {
            Driver.synchronize(card.commands.stream()); // a copy may be under way
            Driver.freePinned(place);
        });
    }

    @Override
    public void copy(long from, long to, long bytes) {
        card.space.copy(from, to, bytes);
    }

    @Override
    public boolean copyFrom(Space other, long from, long to, long bytes) {
        if (!(other instanceof EngineSpace there) || there.card().space != card.space) return false;
        card.space.copy(from, to, bytes);
        return true;
    }

    @Override
    public void zero(long place, long bytes) {
        card.space.zero(place, bytes);
    }

    @Override
    public void copyIn(long address, long place, long bytes) {
        card.space.mark().await();
        Memory.copy(address, place, bytes);
    }

    @Override
    public void copyOut(long place, long address, long bytes) {
        card.space.mark().await();
        Memory.copy(place, address, bytes);
        card.faults.check();
    }
}
