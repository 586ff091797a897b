package dev.oxbow.net.tcp;

import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import dev.oxbow.net.Link;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** How ranks that have joined learn that all others have too, so that a network is formed everywhere or nowhere. */
final class Agreement {

    /*
     * A rank that has all its links tells rank 0 so with one byte, and rank 0, when it has heard that from all, answers
     * each with one byte. When rank 0 gives up instead, it says to all that it has reached who is missing, since they
     * may miss nobody themselves.
     */

    private static final byte GO = 1;
    private static final byte GIVEN_UP = 2;
    /** The report of a rank 0 that gives up, in UTF-8, filled up with zeros. */
    private static final int REPORT = 1024;

    private final int rank;
    private final Link[] links;
    private final boolean[] finished;
    private final Buffer scratch = MemoryPool.shared().allocate(1 + REPORT, "tcp: agreement");
    private boolean told;
    private int heard;

    /** The links are filled in as ranks join. */
    Agreement(int rank, Link[] links) {
        this.rank = rank;
        this.links = links;
        finished = new boolean[links.length];
    }

    /** Whether all ranks have all their links; fails when a rank left or gave up. */
    boolean isReached(boolean complete) {
        if (links.length == 1) return true;
        if (rank == 0) return allHaveJoined(complete);
        if (!complete) return false;
        if (!told) told = links[0].write(scratch.address(), 1) == 1;
        return told && links[0].flush() && rankZeroAgrees();
    }

    private boolean allHaveJoined(boolean complete) {
        boolean all = complete;
        for (int peer = 1; peer < links.length; peer++) {
            if (links[peer] != null && !finished[peer]) finished[peer] = hear(peer, 1) == 1;
            all &= finished[peer];
        }
        if (!all) return false;
        boolean flushed = true;
        Memory.putByte(scratch.address(), GO);
        for (int peer = 1; peer < links.length; peer++) {
            if (!told) links[peer].write(scratch.address(), 1);
            flushed &= links[peer].flush();
        }
        told = true;
        return flushed;
    }

    private boolean rankZeroAgrees() {
        if (heard == 0) heard = hear(0, 1);
        if (heard == 0) return false;
        if (Memory.getByte(scratch.address()) == GO) return true;
        heard += hear(0, 1 + REPORT - heard);
        if (heard < 1 + REPORT) return false;
        finished[0] = true;
        byte[] report = new byte[REPORT];
        MemorySegment.copy(Memory.ALL, Memory.BYTE, scratch.address() + 1, report, 0, REPORT);
        String why = new String(report, StandardCharsets.UTF_8).trim();
        throw new OxbowException(UNAVAILABLE, "rank 0 gave up (" + why + ")");
    }

    private int hear(int peer, int length) {
        try {
            return (int) links[peer].read(scratch.address() + heard, length);
        } catch (OxbowException e) {
            finished[peer] = true;
            throw e;
        }
    }

    /** What a rank that has joined still has to do, or null when nothing is known to be left. */
    String lacks(int peer) {
        if (finished[peer]) return null;
        if (rank == 0) return "has joined rank 0 but not all the others";
        return peer == 0 && told ? "has not said that all ranks have joined each other" : null;
    }

    /** Tells the others why this does not become a network, on rank 0. */
    void giveUp(OxbowException failure) {
        if (rank > 0 || told) return;
        byte[] report = Arrays.copyOf(failure.getMessage().getBytes(StandardCharsets.UTF_8), REPORT);
        MemorySegment.copy(report, 0, Memory.ALL, Memory.BYTE, scratch.address() + 1, REPORT);
        Memory.putByte(scratch.address(), GIVEN_UP);
        for (Link link : links) {
            if (link == null) continue;
            try {
                link.write(scratch.address(), 1 + REPORT);
                link.flush();
            } catch (OxbowException _) {
                // it knows already, or will notice that the connection ends
            }
        }
    }

    void close() {
        scratch.release();
    }
}
