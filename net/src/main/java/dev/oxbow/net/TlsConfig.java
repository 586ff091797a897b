package dev.oxbow.net;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNAUTHENTICATED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * The certificates of a job: what this rank shows, and whom it believes. Both ends of a connection show one. Host names
 * are not compared, since ranks move between hosts: whoever holds a certificate that the job's authority signed belongs
 * to the job. So the authority must be the job's or the cluster's own, never a public one.
 *
 * {@snippet :
 * TlsConfig shown = TlsConfig.pem(Path.of("client.pem"), Path.of("client.key"), Path.of("authorities.pem"));
 * SessionOptions guarded = SessionOptions.defaults()
 *         .withService(TlsConfig.class, shown)
 *         .withService(Token.class, Token.of("secret"));
 * }
 */
public final class TlsConfig {
    private static final char[] IN_MEMORY = "oxbow".toCharArray();
    private static final List<String> KEY_KINDS = List.of("EC", "RSA", "EdDSA");

    private final SSLContext context;

    private TlsConfig(KeyStore keys, char[] password, KeyStore trusted) throws GeneralSecurityException {
        var shown = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        shown.init(keys, password);
        var believed = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        believed.init(trusted);
        context = SSLContext.getInstance("TLSv1.3");
        TrustManager[] anywhere = Stream.of(believed.getTrustManagers())
                .map(t -> t instanceof X509TrustManager x ? new AnyHost(x) : t)
                .toArray(TrustManager[]::new);
        context.init(shown.getKeyManagers(), anywhere, null);
    }

    /** From PEM files: a certificate with its chain, its key in PKCS#8 without a password, and the authorities. */
    public static TlsConfig pem(Path certificate, Path key, Path authorities) {
        try {
            KeyStore keys = empty(), trusted = empty();
            Certificate[] chain = certificates(certificate).toArray(Certificate[]::new);
            keys.setKeyEntry("rank", privateKey(key), IN_MEMORY, chain);
            for (Certificate c : certificates(authorities)) trusted.setCertificateEntry("ca" + trusted.size(), c);
            return new TlsConfig(keys, IN_MEMORY, trusted);
        } catch (IOException | GeneralSecurityException e) {
            throw unusable(certificate + ", " + key + " and " + authorities, e);
        }
    }

    /** From a PKCS#12 file with one key; the last certificate of its chain and the trusted entries are believed. */
    public static TlsConfig pkcs12(Path file, char[] password) {
        try {
            KeyStore keys = KeyStore.getInstance("PKCS12"), trusted = empty();
            try (var in = Files.newInputStream(file)) {
                keys.load(in, password);
            }
            int found = 0;
            for (String alias : Collections.list(keys.aliases())) {
                Certificate[] chain = keys.getCertificateChain(alias);
                if (keys.isKeyEntry(alias) && chain != null) {
                    found++;
                    trusted.setCertificateEntry(alias, chain[chain.length - 1]);
                } else if (keys.isCertificateEntry(alias)) {
                    trusted.setCertificateEntry(alias, keys.getCertificate(alias));
                }
            }
            require(
                    found == 1,
                    INVALID_ARGUMENT,
                    "tls: %s must hold one key with its certificate, it has %d",
                    file,
                    found);
            return new TlsConfig(keys, password, trusted);
        } catch (IOException | GeneralSecurityException e) {
            throw unusable(file.toString(), e);
        }
    }

    /** For connections that others make. */
    public SSLContext context() {
        return context;
    }

    /** One end of a connection; without a peer's name, so that nothing of it is kept for later ones. */
    public SSLEngine engine(boolean connecting) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(connecting);
        engine.setSSLParameters(parameters());
        return engine;
    }

    /** TLS 1.3, with certificates of both ends. */
    public SSLParameters parameters() {
        SSLParameters parameters = context.getDefaultSSLParameters();
        parameters.setProtocols(new String[] {"TLSv1.3"});
        parameters.setNeedClientAuth(true);
        return parameters;
    }

    private static KeyStore empty() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file)
            throws IOException, GeneralSecurityException {
        try (var in = Files.newInputStream(file)) {
            var all = CertificateFactory.getInstance("X.509").generateCertificates(in);
            require(!all.isEmpty(), INVALID_ARGUMENT, "tls: there is no certificate in %s", file);
            return all;
        }
    }

    private static PrivateKey privateKey(Path file) throws IOException, GeneralSecurityException {
        String begin = "-----BEGIN PRIVATE KEY-----", end = "-----END PRIVATE KEY-----";
        String text = Files.readString(file, StandardCharsets.US_ASCII);
        int from = text.indexOf(begin), to = text.indexOf(end);
        require(
                from >= 0 && to > from,
                INVALID_ARGUMENT,
                "tls: %s has no PRIVATE KEY in PKCS#8 without a password (openssl pkcs8 -topk8 -nodes makes one)",
                file);
        byte[] bytes = Base64.getMimeDecoder().decode(text.substring(from + begin.length(), to));
        for (String kind : KEY_KINDS) {
            try {
                return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(bytes));
            } catch (InvalidKeySpecException _) {
                // a key of another kind
            }
        }
        throw new OxbowException(INVALID_ARGUMENT, "tls: the key in %s is none of %s".formatted(file, KEY_KINDS));
    }

    private static OxbowException unusable(String files, Exception e) {
        return new OxbowException(UNAUTHENTICATED, "tls: can not use " + files + ": " + e.getMessage(), e);
    }
}
