package dev.oxbow.testing.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.tensor.OxbowException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class JsonTest {

    @Test
    void everyKindOfValueIsRead() {
        Object value = Json.parse(" {\"a\": [1, -2.5e3, true, false, null], \"b\\n\\u00e9\\\"\": {}, \"c\": []} ");
        assertEquals(
                Map.of("a", Arrays.asList(1L, -2500.0, true, false, null), "b\né\"", Map.of(), "c", List.of()), value);
    }

    @Test
    void quotingIsUndoneByReading() {
        String text = "a \"quoted\" \\ line\nand \u0001 control";
        assertEquals(text, Json.parse(Json.quote(text)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[1, 2|JSON: wanted ',' or ']' at 5, found the end",
                "{\"a\" 1}|JSON: wanted ':' at 5, found '1'",
                "{a: 1}|JSON: wanted a name at 1, found 'a'",
                "[tru]|JSON: wanted true at 1, found 't'",
                "1 2|JSON: wanted nothing more at 2, found '2'",
                "\"abc|JSON: wanted '\"' at 4, found the end",
                "\"\\u12\"|JSON: wanted four hexadecimal digits at 3, found '1'",
                "[--1]|JSON: wanted a value at 1, found '-'"
            })
    void wrongTextIsNamedWithItsPlace(String text, String message) {
        assertEquals(
                message,
                assertThrows(OxbowException.class, () -> Json.parse(text)).getMessage());
    }

    @Test
    void deepNestingIsRefused() {
        assertThrows(OxbowException.class, () -> Json.parse("[".repeat(100_000)));
    }
}
