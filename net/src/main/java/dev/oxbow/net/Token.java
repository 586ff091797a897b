package dev.oxbow.net;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The secret that all ranks of a job share. It is proved, never sent, and never printed. */
public final class Token {
    /** The length of a proof. */
    public static final int PROOF_BYTES = 32;

    /** No secret: anybody can give its proof, so that it is good on loopback only. */
    public static final Token NONE = new Token(new byte[0]);

    private final byte[] key;
    private final boolean empty;

    private Token(byte[] secret) {
        empty = secret.length == 0;
        key = digest("oxbow token ".getBytes(StandardCharsets.US_ASCII), secret);
    }

    public static Token of(String secret) {
        require(!secret.isBlank(), INVALID_ARGUMENT, "token: it is blank; leave it out where none is wanted");
        return new Token(secret.strip().getBytes(StandardCharsets.UTF_8));
    }

    public boolean isEmpty() {
        return empty;
    }

    /** HMAC-SHA256 of the parts under this secret. */
    public byte[] proof(byte[]... parts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            for (byte[] part : parts) mac.update(part);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new OxbowException(INTERNAL, "token: this JDK has no HmacSHA256", e);
        }
    }

    /** Whether somebody with this secret made the proof; takes the same time for every wrong one. */
    public boolean accepts(byte[] proof, byte[]... parts) {
        return MessageDigest.isEqual(proof, proof(parts));
    }

    /** SHA-256 of the parts. */
    public static byte[] digest(byte[]... parts) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            for (byte[] part : parts) sha.update(part);
            return sha.digest();
        } catch (GeneralSecurityException e) {
            throw new OxbowException(INTERNAL, "token: this JDK has no SHA-256", e);
        }
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Token t && MessageDigest.isEqual(key, t.key);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(key);
    }

    @Override
    public String toString() {
        return empty ? "no token" : "a token";
    }
}
