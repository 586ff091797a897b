package dev.oxbow.benchmarks;

import java.util.function.DoubleSupplier;

/** A workload made ready in one system. */
interface Model extends AutoCloseable {

    /** One call, with its result brought back where the workload has one. */
    void step();

    /** Numbers that all systems must agree on: the losses of the first calls, or sums over a result. */
    double[] check();

    @Override
    void close();

    /** The losses of the next calls. */
    static double[] losses(int calls, Model model, DoubleSupplier last) {
        double[] losses = new double[calls];
        for (int i = 0; i < calls; i++) {
            model.step();
            losses[i] = last.getAsDouble();
        }
        return losses;
    }
}
