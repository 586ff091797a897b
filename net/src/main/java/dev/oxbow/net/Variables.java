package dev.oxbow.net;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Environment variables with the checks that launchers' variables need. A blank one counts as not set. */
record Variables(Map<String, String> map) {
    private static final int LONGEST_TOKEN = 4096;

    Optional<String> text(String name) {
        return Optional.ofNullable(map.get(name)).map(String::strip).filter(v -> !v.isEmpty());
    }

    boolean has(String name) {
        return text(name).isPresent();
    }

    /** A whole number that is not negative. */
    Optional<Integer> number(String name) {
        return text(name).map(v -> {
            require(
                    v.matches("[0-9]{1,9}"),
                    INVALID_ARGUMENT,
                    "environment: %s is not a whole number from 0: %s",
                    name,
                    v);
            return Integer.parseInt(v);
        });
    }

    /** A number without which {@code because} makes no sense. */
    int needed(String name, String because) {
        return number(name)
                .orElseThrow(() -> new OxbowException(
                        INVALID_ARGUMENT, "environment: %s is set, but %s is not".formatted(because, name)));
    }

    /** Whether both are set; one alone is an error. */
    boolean both(String one, String other) {
        require(
                has(one) == has(other),
                INVALID_ARGUMENT,
                "environment: %s is set, but %s is not",
                has(one) ? one : other,
                has(one) ? other : one);
        return has(one);
    }

    /** The secret of {@code OXBOW_TOKEN}, or in the file that {@code OXBOW_TOKEN_FILE} names. */
    Token token() {
        Optional<String> token = text("OXBOW_TOKEN"), file = text("OXBOW_TOKEN_FILE");
        require(
                token.isEmpty() || file.isEmpty(),
                INVALID_ARGUMENT,
                "environment: OXBOW_TOKEN and OXBOW_TOKEN_FILE are both set, and only one can hold");
        if (file.isEmpty()) return token.map(Token::of).orElse(Token.NONE);
        Path path = Path.of(file.get());
        try {
            long bytes = Files.size(path);
            require(
                    bytes > 0 && bytes <= LONGEST_TOKEN,
                    INVALID_ARGUMENT,
                    "environment: OXBOW_TOKEN_FILE %s has %d bytes, 1 to %d are allowed",
                    path,
                    bytes,
                    LONGEST_TOKEN);
            return Token.of(Files.readString(path));
        } catch (IOException e) {
            throw new OxbowException(INVALID_ARGUMENT, "environment: can not read OXBOW_TOKEN_FILE: " + e, e);
        }
    }
}
