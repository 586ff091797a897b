package dev.oxbow.net.tcp;

import java.io.IOException;
import java.net.Socket;
import javax.net.ssl.SSLSocket;

/** The sockets of a store, which block: under TLS where the configuration says so. */
final class Tls {
    private Tls() {}

    /** A socket that is not connected yet. */
    static Socket open(TcpConfig config) throws IOException {
        return config.tls().isPresent()
                ? config.tls().get().context().getSocketFactory().createSocket()
                : new Socket();
    }

    /** Shows certificates and checks them, on a socket under TLS. */
    static void prepare(Socket socket, TcpConfig config) throws IOException {
        if (!(socket instanceof SSLSocket tls)) return;
        tls.setSSLParameters(config.tls().orElseThrow().parameters());
        tls.startHandshake();
    }

    static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // nothing is left to close
        }
    }
}
