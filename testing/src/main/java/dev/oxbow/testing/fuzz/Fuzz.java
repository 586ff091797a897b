package dev.oxbow.testing.fuzz;

import java.io.PrintStream;

/** Something that can be tried with chance input, over and over. */
public interface Fuzz {

    /** The trial that follows from {@code seed} alone. */
    Trial trial(long seed) throws Exception;

    /** One try. */
    interface Trial {
        /** What is tried, such as an op; it is left out after several crashes. */
        String subject();

        /** Runs; what was thrown that is no answer to bad input, or null. */
        Throwable run() throws Exception;

        /** What the input was, after {@link #run}. */
        void describe(PrintStream out);
    }
}
