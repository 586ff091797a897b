package dev.oxbow.collective.algorithm;

import dev.oxbow.net.Sink;

/** An exchange among some ranks of another one, as one phase of a larger algorithm. */
public final class Part implements Exchange {
    private final Exchange whole;
    private final int[] ranks;
    private final int rank;
    private final int phase;
    private final boolean completes;
    private final Runnable next;

    /**
     * @param ranks ranks of the whole exchange, this one among them, in the order of the part
     * @param phase tells the slots of this phase from those of others
     * @param completes whether results of this part are results of the whole
     * @param next what follows when this rank is done
     */
    public Part(Exchange whole, int[] ranks, int phase, boolean completes, Runnable next) {
        this.whole = whole;
        this.ranks = ranks;
        this.phase = phase;
        this.completes = completes;
        this.next = next;
        int own = -1;
        for (int i = 0; i < ranks.length; i++) if (ranks[i] == whole.rank()) own = i;
        rank = own;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return ranks.length;
    }

    @Override
    public int width() {
        return whole.width();
    }

    @Override
    public int grain() {
        return whole.grain();
    }

    @Override
    public void send(int to, int slot, long address, long count, Runnable then) {
        whole.send(ranks[to], slot(slot), address, count, then);
    }

    @Override
    public void receive(int from, int slot, long address, long count, Runnable then) {
        whole.receive(ranks[from], slot(slot), address, count, then);
    }

    @Override
    public void receive(int from, int slot, long count, Sink sink, Runnable then) {
        whole.receive(ranks[from], slot(slot), count, sink, then);
    }

    @Override
    public void receiveReduce(int from, int slot, long address, long count, Runnable then) {
        whole.receiveReduce(ranks[from], slot(slot), address, count, then);
    }

    private int slot(int slot) {
        return slot << 2 | phase;
    }

    @Override
    public void reduce(long from, long to, long count) {
        whole.reduce(from, to, count);
    }

    @Override
    public void complete(long address, long count) {
        if (completes) whole.complete(address, count);
    }

    @Override
    public void copy(long from, long to, long count) {
        whole.copy(from, to, count);
    }

    @Override
    public long scratch(long count) {
        return whole.scratch(count);
    }

    @Override
    public void finish() {
        next.run();
    }
}
