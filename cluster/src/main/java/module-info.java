/** Masters, workers and clients that speak TensorFlow's own protocol. */
module dev.oxbow.cluster {
    requires com.google.protobuf;
    requires dev.oxbow.collective;
    requires transitive dev.oxbow.net;
    requires transitive dev.oxbow.runtime;
    requires dev.oxbow.ops; // what servers run
    requires com.google.common.util.concurrent.internal; // of gRPC, whose jars say not what they require
    requires com.google.gson;
    requires io.grpc;
    requires io.grpc.netty;
    requires io.netty.buffer;
    requires io.netty.codec.http2; // of gRPC
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires org.slf4j;

    exports dev.oxbow.cluster;
    exports dev.oxbow.cluster.sim;
    exports dev.oxbow.cluster.link to
            dev.oxbow.cli;
    exports dev.oxbow.cluster.master to
            dev.oxbow.cli;
    exports dev.oxbow.cluster.rpc to
            dev.oxbow.cli;
    exports dev.oxbow.cluster.server to
            dev.oxbow.cli;
    exports dev.oxbow.cluster.worker to
            dev.oxbow.cli;

    provides dev.oxbow.runtime.SessionProvider with
            dev.oxbow.cluster.client.RemoteSessions;
}
