package dev.oxbow.cluster.rpc;

import java.util.Iterator;
import java.util.LinkedHashSet;

/** The newest of many things; older ones are forgotten. Thread-safe. */
public final class Recent<T> {
    private final int most;
    private final LinkedHashSet<T> all = new LinkedHashSet<>();

    public Recent(int most) {
        this.most = most;
    }

    /** Whether it was not there. */
    public synchronized boolean add(T t) {
        boolean isNew = all.add(t);
        if (all.size() > most) {
            Iterator<T> oldest = all.iterator();
            oldest.next();
            oldest.remove();
        }
        return isNew;
    }

    public synchronized boolean contains(T t) {
        return all.contains(t);
    }
}
