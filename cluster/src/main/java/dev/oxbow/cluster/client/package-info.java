/** Sessions whose master is another process. Start with {@code RemoteSession}; it is opened by {@code Session.open("grpc://host:port", ...)}. */
package dev.oxbow.cluster.client;
