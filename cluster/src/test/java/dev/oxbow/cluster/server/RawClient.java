package dev.oxbow.cluster.server;

import com.google.protobuf.MessageLite;
import dev.oxbow.cluster.rpc.Loops;
import dev.oxbow.cluster.rpc.Method;
import dev.oxbow.cluster.rpc.Peer;
import dev.oxbow.cluster.rpc.Security;
import dev.oxbow.net.HostPort;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Sends single messages of the protocol, and waits for their answers. */
final class RawClient implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Loops loops = new Loops("raw", 1);
    private final Peer peer;

    RawClient(Server server) {
        peer = new Peer(new HostPort("127.0.0.1", server.port()), loops, Security.NONE, 1 << 20);
    }

    <Q extends MessageLite, A extends MessageLite> A ask(Method<Q, A> method, Q request) {
        CompletableFuture<A> answer = new CompletableFuture<>();
        peer.call(method, request, null, LIMIT, (a, e) -> {
            if (e == null) answer.complete(a);
            else answer.completeExceptionally(e);
        });
        try {
            return answer.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException known ? known : e;
        }
    }

    @Override
    public void close() {
        peer.close();
        loops.close();
    }
}
