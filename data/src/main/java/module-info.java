/** Data sets on disk: their formats, and a folder that keeps checked copies. */
module dev.oxbow.data {
    requires transitive dev.oxbow.tensor;

    exports dev.oxbow.data;
}
