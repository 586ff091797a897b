/** Models with their data, each in at most 100 lines: what {@code oxbow train} knows by name. */
module dev.oxbow.examples {
    requires dev.oxbow.data;
    requires transitive dev.oxbow.train;

    exports dev.oxbow.examples;
}
