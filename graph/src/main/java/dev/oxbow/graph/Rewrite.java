package dev.oxbow.graph;

/** One stage of compilation: a pure function from graph to graph. */
public interface Rewrite {

    /** One word. */
    String name();

    /** What it is for, in a line for people. */
    String purpose();

    /** The graph after this stage; {@code s} itself where there is nothing to do. */
    Subgraph run(Subgraph s, Services services);

    /** The same where values may take so many bytes in all, for one that keeps some beyond a step. */
    default Rewrite within(long budgetInBytes) {
        return this;
    }
}
