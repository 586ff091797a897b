/** Data sets on disk, their formats, and input pipelines. */
module dev.oxbow.data {
    requires transitive dev.oxbow.graph;
    requires dev.oxbow.kernels;
    requires transitive dev.oxbow.ops;
    requires dev.oxbow.runtime;
    requires transitive dev.oxbow.tensor;
    requires dev.oxbow.wire;
    requires java.net.http;
    requires org.slf4j;

    exports dev.oxbow.data;
    exports dev.oxbow.data.graph;
    exports dev.oxbow.data.image;
    exports dev.oxbow.data.memory to
            dev.oxbow.parquet;
    exports dev.oxbow.data.pipeline;
    exports dev.oxbow.data.source;
}
