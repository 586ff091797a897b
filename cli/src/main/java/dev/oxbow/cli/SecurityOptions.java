package dev.oxbow.cli;

import dev.oxbow.cluster.rpc.Security;
import dev.oxbow.net.TlsConfig;
import dev.oxbow.net.Token;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What a process shows to the tasks of a cluster, and what it wants to see: options of several commands. */
final class SecurityOptions {
    @Option(names = "--token-file", paramLabel = "FILE", description = "The secret of the cluster.")
    private Path tokenFile;

    @Option(names = "--tls-certificate", paramLabel = "PEM", description = "What this process shows.")
    private Path certificate;

    @Option(names = "--tls-key", paramLabel = "PEM", description = "The key of the certificate, in PKCS#8.")
    private Path key;

    @Option(names = "--tls-authorities", paramLabel = "PEM", description = "Whom this process believes.")
    private Path authorities;

    Security of(CommandSpec spec, Map<String, String> environment) {
        String text = tokenFile != null ? read(spec, tokenFile) : environment.get("OXBOW_TOKEN");
        Token token = text == null || text.isBlank() ? Token.NONE : Token.of(text);
        if (certificate == null && key == null && authorities == null) return new Security(null, token);
        if (certificate == null || key == null || authorities == null)
            throw new ParameterException(
                    spec.commandLine(), "wants --tls-certificate, --tls-key and --tls-authorities together");
        return new Security(TlsConfig.pem(certificate, key, authorities), token);
    }

    String read(CommandSpec spec, Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new ParameterException(spec.commandLine(), "can not read %s: %s".formatted(file, e.getMessage()), e);
        }
    }
}
