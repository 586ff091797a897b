package dev.oxbow.graph;

import java.util.List;

/** A function that is known, but made only when it is first called: what whoever reads graphs leaves in the library. */
public interface FunctionDefinition {
    String name();

    /** The wire interface, for calls by name; defaults of attributes count against the limits of the library. */
    OpSignature signature(FunctionLibrary library);

    /** The nodes and arguments of an instance, which count against the limits before any is made. */
    int size();

    /** Begins to make the function with these values for its type attributes, over a library that has what it calls. */
    Instance instance(FunctionLibrary library, FunctionRef ref);

    /** A function that is being made. */
    interface Instance {
        /** The functions that the body calls; they are made first. */
        List<FunctionRef> calls();

        /** The function itself. */
        Function read();
    }
}
