package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.graph.Graph;
import dev.oxbow.net.TlsConfig;
import dev.oxbow.net.Token;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who is let in. */
@Timeout(300)
final class SecurityTest {
    private static final ServerOptions OPTIONS =
            ServerOptions.defaults().withEngine(EngineOptions.defaults().withThreads(1));

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    @Test
    void whoHasNotTheTokenIsNotServed() {
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 2));
        ServerOptions secret = OPTIONS.withToken(Token.of("of the cluster"));
        Value y = ops.constant(2f).plus(3);
        try (LocalCluster c = LocalCluster.start(spec, secret, LocalCluster.Links.MESSAGES)) {
            List<Token> wrong = new ArrayList<>(List.of(Token.of("another")));
            wrong.add(null);
            for (Token t : wrong) {
                SessionOptions o = SessionOptions.defaults();
                SessionOptions given = t == null ? o : o.withService(Token.class, t);
                OxbowException e = assertThrows(OxbowException.class, () -> Session.open(c.target(), graph, given));
                assertEquals(ErrorCode.UNAUTHENTICATED, e.code());
            }
            SessionOptions right = SessionOptions.defaults().withService(Token.class, Token.of("of the cluster"));
            try (Session s = Session.open(c.target(), graph, right);
                    Results r = s.fetch(y.edge()).run()) {
                assertEquals(5f, r.get(0).floats()[0]);
            }
        }
    }

    @Test
    void aServerBeyondThisMachineWantsSecurityOrTrust() {
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 1));
        TaskName task = new TaskName("worker", 0);
        OxbowException e =
                assertThrows(OxbowException.class, () -> new Server(spec, task, OPTIONS.withBind("0.0.0.0")));
        assertEquals(ErrorCode.FAILED_PRECONDITION, e.code());
        new Server(spec, task, OPTIONS.withBind("0.0.0.0").withTrustedNetwork(true)).close();
    }

    @Test
    void certificatesAndTokenTogetherGuardTasksAndClients(@TempDir Path folder) throws Exception {
        TlsConfig ours = identity(folder, "ours"), stranger = identity(folder, "stranger");
        Token token = Token.of("of the cluster");
        ClusterSpec spec = LocalCluster.onFreePorts(Map.of("worker", 2));
        Value x = ops.placeholder("x", DType.F32, Shape.of(100_000)), a, b;
        try (var _ = graph.device("/job:worker/task:1")) {
            a = x.times(2);
        }
        try (var _ = graph.device("/job:worker/task:0")) {
            b = a.plus(2);
        }
        float[] values = new float[100_000];
        Arrays.fill(values, 20f);
        Tensor twenty = Tensor.of(Shape.of(values.length), values);
        ServerOptions guarded = OPTIONS.withTls(ours).withToken(token).withBind("127.0.0.1");
        SessionOptions within = SessionOptions.defaults().withTimeout(Duration.ofSeconds(20));
        try (LocalCluster c = LocalCluster.start(spec, guarded, LocalCluster.Links.MESSAGES)) {
            SessionOptions right = within.withService(TlsConfig.class, ours).withService(Token.class, token);
            try (Session s = Session.open(c.target(), graph, right);
                    Results r = s.feed(x.edge(), twenty).fetch(b.edge()).run()) {
                assertEquals(42f, r.get(0).floats()[99_999]);
            }
            var asked = c.server("worker", 1).traffic().counts();
            assertEquals(1, asked.get("Want").requests());
            assertEquals(0, asked.get("RecvTensor").requests());
            OxbowException clear = refused(ErrorCode.UNAVAILABLE, c, within.withService(Token.class, token));
            assertTrue(clear.getMessage().contains("wants TLS"), clear.getMessage());
            refused(
                    ErrorCode.UNAVAILABLE,
                    c,
                    within.withService(TlsConfig.class, stranger).withService(Token.class, token));
            refused(ErrorCode.UNAUTHENTICATED, c, within.withService(TlsConfig.class, ours));
            refused(
                    ErrorCode.UNAUTHENTICATED,
                    c,
                    within.withService(TlsConfig.class, ours).withService(Token.class, Token.of("another")));
            try (Session s = Session.open(c.target(), graph, right)) {
                s.feed(x.edge(), twenty).fetch(b.edge()).run().close();
            }
        }
    }

    private OxbowException refused(ErrorCode code, LocalCluster c, SessionOptions options) {
        OxbowException e = assertThrows(OxbowException.class, () -> Session.open(c.target(), graph, options));
        assertEquals(code, e.code(), e.getMessage());
        return e;
    }

    /** A new key with its own certificate, which it also believes. */
    private static TlsConfig identity(Path folder, String name) throws IOException, InterruptedException {
        Path file = folder.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + name,
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        "secret")
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, keytool.waitFor(), output);
        return TlsConfig.pkcs12(file, "secret".toCharArray());
    }
}
