package dev.oxbow.net.tcp;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.PERMISSION_DENIED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.RankEnvironment;
import dev.oxbow.net.TlsConfig;
import dev.oxbow.net.Token;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How ranks reach each other over TCP, and whom they let in.
 *
 * @param bind the host name or address to listen on; off loopback it needs TLS and a token
 * @param port the port to listen on, 0 for any
 * @param advertise the host that peers are told, or empty for the one that is bound
 * @param job the name of the job; ranks of another job are turned away
 * @param token the secret of the job, or {@link Token#NONE}
 * @param tls the certificates of the job, or empty for plain TCP
 * @param trustedNetwork whether whoever can reach this port may be trusted, so that TLS and token can be left out
 * @param socketBuffer bytes of the kernel's send and receive buffers, at most 1 MB of it between ranks of one host; 0 to
 *     leave them to the kernel
 * @param handshake how long a connection may take to prove who it is
 */
public record TcpConfig(
        String bind,
        int port,
        Optional<String> advertise,
        String job,
        Token token,
        Optional<TlsConfig> tls,
        boolean trustedNetwork,
        int socketBuffer,
        Duration handshake) {

    /** Loopback, any port, no token, no TLS, buffers of 4 MB. */
    public static final TcpConfig LOOPBACK = new TcpConfig(
            "127.0.0.1",
            0,
            Optional.empty(),
            "oxbow",
            Token.NONE,
            Optional.empty(),
            false,
            4 << 20,
            Duration.ofSeconds(5));

    public TcpConfig {
        Objects.requireNonNull(token, "token");
        Objects.requireNonNull(tls, "tls");
        require(!bind.isBlank(), INVALID_ARGUMENT, "TcpConfig: bind is blank");
        require(port >= 0 && port <= 65535, INVALID_ARGUMENT, "TcpConfig: port %d is not within 0..65535", port);
        require(
                !job.isBlank() && job.length() <= 128,
                INVALID_ARGUMENT,
                "TcpConfig: a job has 1 to 128 characters, got \"%s\"",
                job);
        require(socketBuffer >= 0, INVALID_ARGUMENT, "TcpConfig: socketBuffer is %d", socketBuffer);
        require(handshake.isPositive(), INVALID_ARGUMENT, "TcpConfig: handshake must be positive, got %s", handshake);
    }

    /** Loopback with the job and the token of the environment. */
    public static TcpConfig of(RankEnvironment environment) {
        return LOOPBACK.withJob(environment.job()).withToken(environment.token());
    }

    public TcpConfig withBind(String host, int port) {
        return new TcpConfig(host, port, advertise, job, token, tls, trustedNetwork, socketBuffer, handshake);
    }

    public TcpConfig withAdvertise(String host) {
        return new TcpConfig(bind, port, Optional.of(host), job, token, tls, trustedNetwork, socketBuffer, handshake);
    }

    public TcpConfig withJob(String job) {
        return new TcpConfig(bind, port, advertise, job, token, tls, trustedNetwork, socketBuffer, handshake);
    }

    public TcpConfig withToken(Token token) {
        return new TcpConfig(bind, port, advertise, job, token, tls, trustedNetwork, socketBuffer, handshake);
    }

    public TcpConfig withTls(TlsConfig tls) {
        return new TcpConfig(
                bind, port, advertise, job, token, Optional.of(tls), trustedNetwork, socketBuffer, handshake);
    }

    public TcpConfig withTrustedNetwork(boolean trusted) {
        return new TcpConfig(bind, port, advertise, job, token, tls, trusted, socketBuffer, handshake);
    }

    public TcpConfig withSocketBuffer(int bytes) {
        return new TcpConfig(bind, port, advertise, job, token, tls, trustedNetwork, bytes, handshake);
    }

    public TcpConfig withHandshake(Duration timeout) {
        return new TcpConfig(bind, port, advertise, job, token, tls, trustedNetwork, socketBuffer, timeout);
    }

    /** Fails when the address is not loopback and this configuration would not be safe there. */
    void checkSafe(String what, InetAddress address) {
        if (address.isLoopbackAddress() || trustedNetwork || tls.isPresent() && !token.isEmpty()) return;
        String missing = tls.isPresent() ? "a token is" : token.isEmpty() ? "TLS and a token are" : "TLS is";
        require(
                false,
                PERMISSION_DENIED,
                "tcp: %s %s is not loopback: %s required there and missing;"
                        + " set TcpConfig.tls and TcpConfig.token, or TcpConfig.trustedNetwork if everybody on that"
                        + " network may be trusted",
                what,
                address.getHostAddress(),
                missing);
    }
}
