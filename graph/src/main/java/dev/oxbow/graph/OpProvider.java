package dev.oxbow.graph;

import java.util.List;

/** Offers ops and what is known of them to the registry; found by ServiceLoader in any module or jar. */
public interface OpProvider {
    /**
     * The wire names, in alphabetical order. A name stands for the class of the same name in the provider's package,
     * or is written {@code wireName=ClassName}.
     */
    List<String> ops();

    /** Stages of compilation that know these ops, in order. */
    default List<Rewrite> rewrites() {
        return List.of();
    }
}
