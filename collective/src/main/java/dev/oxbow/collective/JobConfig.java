package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.TlsConfig;
import dev.oxbow.net.shm.ShmConfig;
import dev.oxbow.tensor.OxbowException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How the ranks of a job join.
 *
 * @param transport what they talk over
 * @param timeout how long they wait for each other
 * @param bind the address to listen on, or empty for the one by which the rendezvous is reached
 * @param trustedNetwork whether plain TCP is good enough off loopback
 * @param tls the certificates of the job
 * @param shm how ranks of one host share memory
 * @param communicator what is done over it
 */
public record JobConfig(
        TransportKind transport,
        Duration timeout,
        Optional<String> bind,
        boolean trustedNetwork,
        Optional<TlsConfig> tls,
        ShmConfig shm,
        CommunicatorConfig communicator) {

    /** What ranks talk over. */
    public enum TransportKind {
        /** Shared memory inside a host, TCP between hosts. */
        AUTO,
        TCP,
        SHM
    }

    private static final Pattern TIME = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s|m|)");

    public JobConfig {
        require(timeout.isPositive(), INVALID_ARGUMENT, "job: the timeout must be positive, got %s", timeout);
    }

    /** The fastest transport, 60 s, no TLS, defaults below. */
    public static JobConfig defaults() {
        return new JobConfig(
                TransportKind.AUTO,
                Duration.ofSeconds(60),
                Optional.empty(),
                false,
                Optional.empty(),
                ShmConfig.DEFAULT,
                CommunicatorConfig.DEFAULT);
    }

    /**
     * Defaults, changed by {@code OXBOW_TRANSPORT} (auto, tcp or shm), {@code OXBOW_TIMEOUT} (such as 60s), {@code
     * OXBOW_BIND} (an address), {@code OXBOW_TRUSTED_NETWORK} (true or false), and {@code OXBOW_TLS_CERTIFICATE}, {@code
     * OXBOW_TLS_KEY} and {@code OXBOW_TLS_AUTHORITIES} (PEM files).
     */
    public static JobConfig from(Map<String, String> variables) {
        return new JobConfig(
                text(variables, "OXBOW_TRANSPORT").map(JobConfig::kind).orElse(TransportKind.AUTO),
                text(variables, "OXBOW_TIMEOUT").map(JobConfig::time).orElse(Duration.ofSeconds(60)),
                text(variables, "OXBOW_BIND"),
                text(variables, "OXBOW_TRUSTED_NETWORK").map(JobConfig::flag).orElse(false),
                tls(variables),
                ShmConfig.DEFAULT,
                CommunicatorConfig.DEFAULT);
    }

    public JobConfig withTransport(TransportKind transport) {
        return new JobConfig(transport, timeout, bind, trustedNetwork, tls, shm, communicator);
    }

    public JobConfig withTimeout(Duration timeout) {
        return new JobConfig(transport, timeout, bind, trustedNetwork, tls, shm, communicator);
    }

    public JobConfig withCommunicator(CommunicatorConfig communicator) {
        return new JobConfig(transport, timeout, bind, trustedNetwork, tls, shm, communicator);
    }

    public JobConfig withShm(ShmConfig shm) {
        return new JobConfig(transport, timeout, bind, trustedNetwork, tls, shm, communicator);
    }

    private static Optional<String> text(Map<String, String> variables, String name) {
        return Optional.ofNullable(variables.get(name)).map(String::strip).filter(v -> !v.isEmpty());
    }

    private static TransportKind kind(String name) {
        return Arrays.stream(TransportKind.values())
                .filter(k -> k.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> wrong("OXBOW_TRANSPORT", "auto, tcp or shm", name));
    }

    private static boolean flag(String value) {
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "true", "1", "yes" -> true;
            case "false", "0", "no" -> false;
            default -> throw wrong("OXBOW_TRUSTED_NETWORK", "true or false", value);
        };
    }

    private static Duration time(String text) {
        Matcher m = TIME.matcher(text);
        if (!m.matches()) throw wrong("OXBOW_TIMEOUT", "a time such as 500ms, 60s or 1.5m", text);
        long nanos = m.group(2).equals("ms") ? 1_000_000L : m.group(2).equals("m") ? 60_000_000_000L : 1_000_000_000L;
        return Duration.ofNanos(
                new BigDecimal(m.group(1)).multiply(BigDecimal.valueOf(nanos)).longValue());
    }

    private static Optional<TlsConfig> tls(Map<String, String> variables) {
        Optional<String> certificate = text(variables, "OXBOW_TLS_CERTIFICATE"),
                key = text(variables, "OXBOW_TLS_KEY"),
                authorities = text(variables, "OXBOW_TLS_AUTHORITIES");
        if (certificate.isEmpty() && key.isEmpty() && authorities.isEmpty()) return Optional.empty();
        require(
                certificate.isPresent() && key.isPresent() && authorities.isPresent(),
                INVALID_ARGUMENT,
                "environment: TLS needs all of OXBOW_TLS_CERTIFICATE, OXBOW_TLS_KEY and OXBOW_TLS_AUTHORITIES");
        return Optional.of(TlsConfig.pem(Path.of(certificate.get()), Path.of(key.get()), Path.of(authorities.get())));
    }

    private static OxbowException wrong(String name, String rule, String value) {
        return new OxbowException(
                INVALID_ARGUMENT, "environment: %s must be %s, got '%s'".formatted(name, rule, value));
    }
}
