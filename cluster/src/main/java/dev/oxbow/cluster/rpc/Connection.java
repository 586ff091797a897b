package dev.oxbow.cluster.rpc;

/** One connection that came in, while it lasts and after. */
public final class Connection {
    private volatile boolean gone;

    public boolean isGone() {
        return gone;
    }

    void end() {
        gone = true;
    }
}
