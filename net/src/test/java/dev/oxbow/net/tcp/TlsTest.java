package dev.oxbow.net.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.MemoryStore;
import dev.oxbow.net.TlsConfig;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class TlsTest {
    @TempDir
    Path directory;

    private final Queue<String> log = new ConcurrentLinkedQueue<>();

    @Test
    void certificatesComeFromPemFilesToo() throws Exception {
        Path file = Ranks.identity(directory, "cluster");
        Ranks.toPem(file, "cluster");
        Path certificate = directory.resolve("cluster.crt"), key = directory.resolve("cluster.key");
        TlsConfig pem = TlsConfig.pem(certificate, key, certificate);
        TlsConfig pkcs12 = TlsConfig.pkcs12(file, Ranks.PASSWORD);
        MemoryStore store = new MemoryStore();
        List<Network> ranks = Ranks.onThreads(2, rank -> () -> {
            TcpConfig config = Ranks.config(false).withTls(rank == 0 ? pem : pkcs12);
            return Network.join(store, rank, 2, config, Ranks.DEADLINE, log::add);
        });
        ranks.forEach(Network::close);

        assertEquals(ErrorCode.UNAUTHENTICATED, fails(() -> TlsConfig.pkcs12(file, "wrong".toCharArray())));
        assertEquals(ErrorCode.INVALID_ARGUMENT, fails(() -> TlsConfig.pem(certificate, certificate, certificate)));
        assertEquals(
                ErrorCode.UNAUTHENTICATED, fails(() -> TlsConfig.pem(directory.resolve("none"), key, certificate)));
        Files.writeString(key, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
        assertEquals(ErrorCode.INVALID_ARGUMENT, fails(() -> TlsConfig.pem(certificate, key, certificate)));
    }

    @Test
    void aRankWithAnotherAuthorityDoesNotGetIn() throws Exception {
        TlsConfig stranger = TlsConfig.pkcs12(Ranks.identity(directory, "stranger"), Ranks.PASSWORD);
        List<String> errors = errors(Ranks.config(true), Ranks.config(false).withTls(stranger), " failed in TLS: ");
        assertTrue(errors.get(0).contains("rank 1 listens at"), errors.get(0));
        assertTrue(errors.get(1).contains(" failed in TLS: "), errors.get(1));
        assertTrue(log.peek().contains("it failed in TLS: "), log.toString());
    }

    @Test
    void aPlainRankDoesNotJoinOnesUnderTls() {
        List<String> errors = errors(Ranks.config(true), Ranks.config(false), "rank 0 at 127.0.0.1:");
        assertTrue(errors.get(1).contains("rank 0 at 127.0.0.1:"), errors.get(1));
        assertTrue(log.peek().contains("it failed in TLS: "), log.toString());
    }

    /** How two ranks fail to join, when the second has got as far as its error should say. */
    private List<String> errors(TcpConfig zero, TcpConfig one, String wanted) {
        return Ranks.patiently(
                deadline -> {
                    MemoryStore store = new MemoryStore();
                    return Ranks.onThreads(2, rank -> () -> {
                        TcpConfig config = rank == 0 ? zero : one;
                        return assertThrows(
                                        OxbowException.class,
                                        () -> Network.join(store, rank, 2, config, deadline, log::add))
                                .getMessage();
                    });
                },
                errors -> errors.get(1).contains(wanted) && !log.isEmpty());
    }

    private static ErrorCode fails(Runnable body) {
        return assertThrows(OxbowException.class, body::run).code();
    }
}
