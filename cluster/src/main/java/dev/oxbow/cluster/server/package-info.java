/** A task put together, and whole clusters in one process. Start with {@link dev.oxbow.cluster.server.Server}. */
package dev.oxbow.cluster.server;
