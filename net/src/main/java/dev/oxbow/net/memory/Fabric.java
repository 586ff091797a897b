package dev.oxbow.net.memory;

import dev.oxbow.net.ring.Ring;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import java.util.HashMap;
import java.util.Map;
import java.util.Map.Entry;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What the ranks of one process have in common: the wires between them and the memory that they share. */
final class Fabric {

    /*
     * Shared memory lives until the last rank has closed: a rank that gave up may be gone while another still reads its
     * memory in place.
     */

    private record Block(Buffer buffer, long bytes) {}

    private final long capacity;
    private final Network[] networks;
    private final Map<Integer, Wire> wires = new HashMap<>();
    private final NavigableMap<Long, Block> blocks = new TreeMap<>();
    private final boolean[] closed;
    private int open;
    private int holds;

    Fabric(int size, long capacity) {
        this.capacity = capacity;
        networks = new Network[size];
        closed = new boolean[size];
        open = size;
        for (int rank = 0; rank < size; rank++) networks[rank] = new Network(this, rank, size);
    }

    long capacity() {
        return capacity;
    }

    Network network(int rank) {
        return networks[rank];
    }

    /** A new end of the wire between two ranks, which is made when the first of them asks for it. */
    synchronized Pipe pipe(Network own, int peer) {
        int low = Math.min(own.rank(), peer);
        int high = Math.max(own.rank(), peer);
        int key = low * networks.length + high;
        Wire wire = wires.get(key);
        if (wire == null) {
            wire = new Wire(capacity, low, high);
            wires.put(key, wire);
            if (closed[peer]) {
                new Ring(wire.ring(peer == low), capacity).end();
                new Ring(wire.ring(peer != low), capacity).leave();
                wire.release();
            }
        }
        return new Pipe(this, own, networks[peer], wire);
    }

    synchronized long allocate(int rank, long bytes) {
        Buffer buffer = MemoryPool.shared().allocate(Math.max(bytes, 1), "shared memory of rank " + rank);
        Memory.zero(buffer.address(), bytes);
        blocks.put(buffer.address(), new Block(buffer, bytes));
        return buffer.address();
    }

    synchronized boolean isShared(long address, long length) {
        Entry<Long, Block> block = blocks.floorEntry(address);
        if (block == null || length < 0) return false;
        long offset = address - block.getKey();
        return offset <= block.getValue().bytes() && length <= block.getValue().bytes() - offset;
    }

    /** Ends the wires that a rank never asked for, and frees what is shared when it was the last. */
    synchronized void close(Network own, Pipe[] pipes) {
        closed[own.rank()] = true;
        for (int peer = 0; peer < pipes.length; peer++) {
            boolean unasked = peer != own.rank() && pipes[peer] == null;
            int key = Math.min(own.rank(), peer) * networks.length + Math.max(own.rank(), peer);
            if (unasked && wires.containsKey(key)) pipe(own, peer).close();
            else if (pipes[peer] != null) pipes[peer].close();
        }
        open--;
        freeUnused();
    }

    /** Keeps what is shared until the result is run, once. */
    synchronized Runnable hold() {
        holds++;
        return this::letGo;
    }

    private synchronized void letGo() {
        holds--;
        freeUnused();
    }

    private void freeUnused() {
        if (open > 0 || holds > 0) return;
        for (Block block : blocks.values()) block.buffer().release();
        blocks.clear();
        wires.clear();
    }
}
