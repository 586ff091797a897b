package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
    }

    @Test
    void helpListsTheCommandsAndExamples() {
        assertEquals(0, run("--help"));
        assertTrue(out.toString().contains("conformance"), out::toString);
        assertTrue(out.toString().contains("Examples:"), out::toString);
        assertEquals("", err.toString());
    }

    @Test
    void noCommandPrintsTheHelp() {
        assertEquals(0, run());
        assertTrue(out.toString().startsWith("Usage: oxbow"), out::toString);
    }

    @Test
    void anUnknownCommandIsAUsageError() {
        assertEquals(2, run("fly"));
        assertEquals("oxbow: Unmatched argument at index 0: 'fly'\nsee ./oxbow --help\n", err.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"conformance", "explain", "launch", "ops", "train"})
    void everyCommandHasHelpWithExamples(String command) {
        assertEquals(0, run(command, "--help"));
        assertTrue(out.toString().contains("Examples:"), out::toString);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--epochs 0 | --epochs must be at least 1, got 0",
                "--batch -1 | --batch must be at least 1, got -1",
                "--rate 0 | --rate must be positive, got 0.0",
                "--workers 0 | --workers must be at least 1, got 0",
                "--save /no/such/folder/x | --save: /no/such/folder/x can not be written",
                "--compare /no/such/x | --compare: there is no file /no/such/x",
                "--transport tcp | --transport is for workers: give --workers, too"
            })
    void wrongOptionsOfTrainingAreRefusedBeforeIt(String options, String line) {
        assertEquals(2, run(("train " + options).split(" ")));
        assertEquals("oxbow: " + line + "\nsee ./oxbow train --help\n", err.toString());
    }

    @Test
    void anErrorIsOneLineAndAStatus() {
        assertEquals(3, run("conformance", "none.zip", "--engine", "none"));
        assertTrue(err.toString().startsWith("oxbow: conformance: no engine is called 'none', only ["), err::toString);
        assertEquals(1, err.toString().lines().count());
    }

    @Test
    void helpIsACommandToo() {
        assertEquals(0, run("help", "train"));
        assertTrue(out.toString().startsWith("Usage: oxbow train"), out::toString);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "conformance nope.zip | conformance: there is no file nope.zip",
                "explain src | explain: src is a folder, not a file with a graph",
                "train --compare pom.xml | npz: pom.xml is no whole zip archive: zip END header not found"
            })
    void aFileOfTheWrongKindIsAUsersErrorThatIsFoundAtOnce(String arguments, String line) {
        assertEquals(3, run(arguments.split(" ")));
        assertEquals("oxbow: " + line + "\n", err.toString());
        assertEquals("", out.toString());
    }
}
