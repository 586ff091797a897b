package dev.oxbow.graph;

/**
 * The computation of one node on one kind of device. {@link #run} either has produced every output when it returns,
 * for whatever comes later on a device that works in an order of its own, or has called {@link KernelContext#defer} and completes later from any thread, exactly once; no thread is held.
 */
@FunctionalInterface
public interface Kernel {
    void run(KernelContext c);
}
