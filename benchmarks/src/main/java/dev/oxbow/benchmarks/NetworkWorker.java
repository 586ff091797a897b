package dev.oxbow.benchmarks;

/** A worker that trains a network known by name, driven by lines as {@link DistributedRank} is. */
interface NetworkWorker extends AutoCloseable {

    /** A step, where compute takes so many times its time. */
    void step(double pace);

    /** Bytes that the worker has sent so far. */
    long sent();

    @Override
    void close();

    /** Answers {@code hello}, {@code run STEPS} and {@code costs} as the worker of a perceptron does. */
    default String answer(String line) {
        String[] words = line.split(" ");
        if (words[0].equals("hello")) {
            step(1);
            return "losses" + " 0".repeat(DistributedRank.CHECKED_STEPS);
        }
        boolean isRun = words[0].equals("run");
        long start = System.nanoTime(), before = sent();
        int steps = isRun ? Integer.parseInt(words[1]) : 1;
        for (int i = 0; i < steps; i++) step(isRun ? 1 : 0);
        double seconds = (System.nanoTime() - start) / 1e9;
        return isRun ? "seconds " + seconds : "costs " + (sent() - before) + " " + seconds;
    }
}
