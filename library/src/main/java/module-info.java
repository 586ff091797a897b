/**
 * All that a program needs, by one name: tensors, the graph and its fluent ops, sessions, plans, layers and training.
 * Modules behind it export the rest to each other only, so {@code import module dev.oxbow;} finds one type for a name.
 */
module dev.oxbow {
    requires transitive dev.oxbow.data;
    requires transitive dev.oxbow.graph;
    requires transitive dev.oxbow.observe;
    requires transitive dev.oxbow.ops;
    requires transitive dev.oxbow.parallel;
    requires transitive dev.oxbow.runtime;
    requires transitive dev.oxbow.tensor;
    requires transitive dev.oxbow.train;
}
