package dev.oxbow.cluster.rpc;

import dev.oxbow.net.TlsConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;

/** The certificates of a cluster for gRPC: both ends show one, and names of hosts are not compared. */
final class Tls {
    private static final String[] PROTOCOLS = {"TLSv1.3"};

    private static final ApplicationProtocolConfig HTTP2 = new ApplicationProtocolConfig(
            ApplicationProtocolConfig.Protocol.ALPN,
            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
            ApplicationProtocolNames.HTTP_2);

    private Tls() {}

    static SslContext client(TlsConfig config) {
        return new JdkSslContext(config.context(), true, null, CIPHERS, HTTP2, ClientAuth.NONE, PROTOCOLS, false);
    }

    static SslContext server(TlsConfig config) {
        return new JdkSslContext(config.context(), false, null, CIPHERS, HTTP2, ClientAuth.REQUIRE, PROTOCOLS, false);
    }

    private static final IdentityCipherSuiteFilter CIPHERS = IdentityCipherSuiteFilter.INSTANCE;
}
