package dev.oxbow.benchmarks;

import java.util.concurrent.atomic.AtomicLong;

/** Reading of one kind of file by one system. */
interface InputTask extends AutoCloseable {

    /** Numbers that must be alike for all systems. */
    double[] check() throws Exception;

    /** Reads on until a time of {@link System#nanoTime}; how many elements that were. */
    long run(long until) throws Exception;

    @Override
    default void close() {}

    /** What a thread of a plain loop does again and again: some elements, whose number it gives. */
    interface Piece {
        long read(int thread) throws Exception;
    }

    /** A loop on so many threads. */
    static long loop(int threads, long until, Piece piece) throws InterruptedException {
        AtomicLong count = new AtomicLong();
        Thread[] all = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            int number = t;
            all[t] = Thread.ofPlatform().start(() -> {
                try {
                    while (System.nanoTime() < until) count.addAndGet(piece.read(number));
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        for (Thread t : all) t.join();
        return count.get();
    }
}
