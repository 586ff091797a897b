package dev.oxbow.cluster.client;

import dev.oxbow.cluster.rpc.Loops;
import dev.oxbow.cluster.rpc.Peer;
import dev.oxbow.cluster.rpc.Security;
import dev.oxbow.net.HostPort;
import dev.oxbow.net.TlsConfig;
import dev.oxbow.net.Token;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionProvider;

/**
 * Opens sessions with the master at {@code grpc://host:port}. Certificates and the token of a cluster are services of the
 * session: {@code options.withService(TlsConfig.class, tls).withService(Token.class, token)}.
 */
public final class RemoteSessions implements SessionProvider {

    /** One thread for all sessions of the process: it hands messages on. */
    private static final class Shared {
        static final Loops LOOPS = new Loops("oxbow-client", 1);
    }

    @Override
    public String scheme() {
        return "grpc";
    }

    @Override
    public Session open(Request r) {
        HostPort address = HostPort.parse(r.target().replaceFirst("^grpc:/*", ""));
        Token token = r.options().service(Token.class);
        Security security = new Security(r.options().service(TlsConfig.class), token == null ? Token.NONE : token);
        Peer master = Peer.near(address, Shared.LOOPS, security, Integer.MAX_VALUE);
        try {
            return new RemoteSession(r.graph(), master, r.options());
        } catch (RuntimeException e) {
            master.close();
            throw e;
        }
    }
}
