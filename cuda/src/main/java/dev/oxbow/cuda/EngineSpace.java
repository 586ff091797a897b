package dev.oxbow.cuda;

import dev.oxbow.tensor.Fabric;
import dev.oxbow.tensor.Space;

/**
 * A card's memory as one engine sees it. What comes to the host from there fails if the engine's kernels have found something
 * wrong before: otherwise a variable of the host, or of another rank, would be changed by a step that fails on the card.
 */
record EngineSpace(Card card) implements Space {

    @Override
    public String name() {
        return card.space.name();
    }

    @Override
    public long alignment() {
        return card.space.alignment();
    }

    @Override
    public long allocate(long bytes) {
        return card.space.allocate(bytes);
    }

    @Override
    public void free(long place) {
        card.space.free(place);
    }

    @Override
    public void copy(long from, long to, long bytes) {
        card.space.copy(from, to, bytes);
    }

    @Override
    public boolean copyFrom(Space other, long from, long to, long bytes) {
        switch (other) {
            case EngineSpace there when there.card.space != card.space -> copyFrom(there.card, from, to, bytes);
            case ParkingSpace there
            when there.card().space != card.space -> {
                return false;
            }
            case EngineSpace _, ParkingSpace _ -> copy(from, to, bytes);
            default -> {
                return false;
            }
        }
        return true;
    }

    private void copyFrom(Card there, long from, long to, long bytes) {
        int node = FarFaults.number(card, there);
        card.space.copyFrom(there.space, from, to, bytes, () -> FarFaults.follow(card, there, node));
    }

    @Override
    public void zero(long place, long bytes) {
        card.space.zero(place, bytes);
    }

    @Override
    public void copyIn(long address, long place, long bytes) {
        card.space.copyIn(address, place, bytes);
    }

    @Override
    public void copyOut(long place, long address, long bytes) {
        card.space.copyOut(place, address, bytes);
        card.faults.check();
    }

    @Override
    public Fabric fabric() {
        return new NcclFabric(card);
    }
}
