package dev.oxbow.runtime;

/** The order in which a device works where that is later: a kernel there returns when its work was put into it. */
public interface Order {
    /** Waits until all that was put into it before is done; fails when the device did. */
    void await();
}
