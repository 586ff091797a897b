/**
 * TensorFlow's two services over gRPC, for both sides. {@link dev.oxbow.cluster.rpc.Methods} lists the
 * calls, {@code Service} answers them and {@code Peer} makes them.
 *
 * <p>Everything runs on the few threads of {@link dev.oxbow.cluster.rpc.Loops}: a handler decodes, puts what came where it
 * belongs and returns; answers are sent from whichever thread has them. What takes long goes to {@code Loops.slow}.
 *
 * <p>Clients of a server's own process come through its {@code Door}: the same handlers, on the client's thread.
 */
package dev.oxbow.cluster.rpc;
