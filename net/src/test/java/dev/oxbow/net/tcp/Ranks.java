package dev.oxbow.net.tcp;

import dev.oxbow.net.Store;
import dev.oxbow.net.TlsConfig;
import dev.oxbow.net.Token;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/** Ranks that are threads of a test, and certificates for them. */
public final class Ranks {
    static final Duration DEADLINE = Duration.ofSeconds(30);
    static final Token TOKEN = Token.of("the ranks' secret");
    static final char[] PASSWORD = "password".toCharArray();

    private static TlsConfig shared;

    private Ranks() {}

    /** Forms a network of threads: one end for each rank. */
    public static List<Network> form(Store store, int size, TcpConfig config, Consumer<String> log) {
        return onThreads(size, rank -> () -> Network.join(store, rank, size, config, DEADLINE, log));
    }

    /** A port of loopback that is taken but where nobody listens, until the socket is closed. */
    static Socket deaf() throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return socket;
    }

    /** Tries with more and more patience, as a busy machine may need, until what comes of it is enough. */
    static <T> T patiently(Function<Duration, T> attempt, Predicate<T> isEnough) {
        for (int seconds = 1; ; seconds *= 3) {
            T got = attempt.apply(Duration.ofSeconds(seconds));
            if (seconds > 20 || isEnough.test(got)) return got;
        }
    }

    static <T> List<T> onThreads(int size, IntFunction<Callable<T>> body) {
        try (ExecutorService threads = Executors.newFixedThreadPool(size)) {
            List<Future<T>> all = new ArrayList<>();
            for (int rank = 0; rank < size; rank++) all.add(threads.submit(body.apply(rank)));
            List<T> results = new ArrayList<>();
            for (Future<T> f : all) results.add(f.get(60, TimeUnit.SECONDS));
            return results;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException r) throw r;
            throw new AssertionError(e.getCause());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Loopback with a token, plain or under TLS. */
    public static TcpConfig config(boolean tls) {
        TcpConfig plain = TcpConfig.LOOPBACK.withToken(TOKEN).withSocketBuffer(256 << 10);
        return tls ? plain.withTls(tls()) : plain;
    }

    /** One identity for all tests, since making one starts a process. */
    static synchronized TlsConfig tls() {
        try {
            if (shared == null) {
                Path directory = Files.createTempDirectory("oxbow-tls");
                Path file = identity(directory, "shared");
                shared = TlsConfig.pkcs12(file, PASSWORD);
                Files.delete(file);
                Files.delete(directory);
            }
            return shared;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A PKCS#12 file with a new key and its own certificate. */
    static Path identity(Path directory, String name) throws IOException {
        Path file = directory.resolve(name + ".p12");
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
                        new String(PASSWORD))
                .redirectErrorStream(true)
                .start();
        var output = new ByteArrayOutputStream();
        keytool.getInputStream().transferTo(output);
        try {
            if (keytool.waitFor() != 0) throw new AssertionError("keytool failed: " + output);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return file;
    }

    /** The same identity as two PEM files, NAME.crt and NAME.key. */
    static void toPem(Path file, String name) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        pem(
                file.resolveSibling(name + ".crt"),
                "CERTIFICATE",
                store.getCertificate(name).getEncoded());
        pem(
                file.resolveSibling(name + ".key"),
                "PRIVATE KEY",
                store.getKey(name, PASSWORD).getEncoded());
    }

    private static void pem(Path file, String kind, byte[] bytes) throws IOException {
        String text = Base64.getMimeEncoder().encodeToString(bytes);
        Files.writeString(file, "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(kind, text));
    }
}
