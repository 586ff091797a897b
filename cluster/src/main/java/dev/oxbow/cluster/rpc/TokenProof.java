package dev.oxbow.cluster.rpc;

import dev.oxbow.net.Token;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Proves with every call that its maker has the secret of the cluster, and lets no other call through. The proof is the
 * same each time: beyond one machine it belongs into TLS, which keeps it from others.
 */
final class TokenProof implements ClientInterceptor, ServerInterceptor {
    private static final Metadata.Key<String> KEY = Metadata.Key.of("oxbow-token", Metadata.ASCII_STRING_MARSHALLER);
    private static final byte[] PURPOSE = "cluster".getBytes(StandardCharsets.US_ASCII);

    private final Token token;
    private final String proof;

    TokenProof(Token token) {
        this.token = token;
        this.proof = HexFormat.of().formatHex(token.proof(PURPOSE));
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
            @Override
            public void start(Listener<A> listener, Metadata headers) {
                headers.put(KEY, proof);
                super.start(listener, headers);
            }
        };
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (isProof(headers.get(KEY))) return next.startCall(call, headers);
        call.close(
                Status.UNAUTHENTICATED.withDescription("server: the call does not prove the token of the cluster"),
                new Metadata());
        return new ServerCall.Listener<>() {};
    }

    private boolean isProof(String given) {
        if (given == null || given.length() != 2 * Token.PROOF_BYTES) return false;
        try {
            return token.accepts(HexFormat.of().parseHex(given), PURPOSE);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
