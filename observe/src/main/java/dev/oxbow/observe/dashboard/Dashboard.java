package dev.oxbow.observe.dashboard;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import com.sun.net.httpserver.HttpServer;
import dev.oxbow.observe.run.Runs;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Serves the page, what it asks for, and figures for Prometheus, until it is closed. */
public final class Dashboard implements AutoCloseable {
    private static final int BACKLOG = 64;

    private final Runs runs;
    private final HttpServer server;
    private final ExecutorService threads;
    private final Config config;

    /**
     * What is served where.
     *
     * @param roots folders with runs in them, or folders of runs
     * @param host a name or address of this machine; one that others can reach must be allowed by {@code trusted}
     * @param port 0 for one that is free
     * @param token what changes are allowed with
     */
    public record Config(List<Path> roots, String host, int port, String token, boolean trusted) {
        public Config(List<Path> roots, int port) {
            this(roots, "127.0.0.1", port, newToken(), false);
        }
    }

    private Dashboard(Config config, Runs runs, HttpServer server) {
        this.config = config;
        this.runs = runs;
        this.server = server;
        this.threads = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("dashboard-", 0).factory());
    }

    /** A token that nobody guesses. */
    public static String newToken() {
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    public static Dashboard start(Config config) {
        bounds();
        require(
                config.token.length() >= 16,
                INVALID_ARGUMENT,
                "dashboard: a token needs 16 characters, got %d",
                config.token.length());
        try {
            InetAddress address = InetAddress.getByName(config.host);
            require(
                    address.isLoopbackAddress() || config.trusted,
                    FAILED_PRECONDITION,
                    "dashboard: %s can be reached by others, and what is sent is not encrypted: say that the network is trusted"
                            + " (--trusted-network), or stay on 127.0.0.1",
                    config.host);
            HttpServer server = HttpServer.create(new InetSocketAddress(address, config.port), BACKLOG);
            Dashboard d = new Dashboard(config, Runs.follow(config.roots), server);
            server.setExecutor(d.threads);
            server.createContext("/", new Site(new Api(d.runs, config.token), new Metrics(d.runs), config));
            server.start();
            return d;
        } catch (IOException e) {
            throw new OxbowException(
                    FAILED_PRECONDITION,
                    "dashboard: %s:%d can not be listened on: %s".formatted(config.host, config.port, e.getMessage()),
                    e);
        }
    }

    /** Requests that do not come, answers that are not taken, and connections without end are cut off by the server itself. */
    private static void bounds() {
        for (String[] p : new String[][] {
            {"sun.net.httpserver.maxReqTime", "10"},
            {"sun.net.httpserver.maxRspTime", "30"},
            {"sun.net.httpserver.idleInterval", "15"},
            {"sun.net.httpserver.maxReqHeaders", "64"},
            {"jdk.httpserver.maxConnections", "4096"}
        }) if (System.getProperty(p[0]) == null) System.setProperty(p[0], p[1]);
    }

    public int port() {
        return server.getAddress().getPort();
    }

    /** Where the page is, for those who may only look. */
    public String url() {
        String host = config.host.contains(":") ? "[" + config.host + "]" : config.host;
        return "http://%s:%d/".formatted(host, port());
    }

    /** Where the page is, for those who may ask runs for something. */
    public String urlWithToken() {
        return url() + "#token=" + config.token;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        runs.close();
    }
}
