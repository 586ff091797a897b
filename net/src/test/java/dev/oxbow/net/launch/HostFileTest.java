package dev.oxbow.net.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of hosts, and places that keep their numbers while files change. */
final class HostFileTest {

    @Test
    void aLineIsAHostAndItsPlaces() {
        HostFile hosts = HostFile.parse("# two of them\nlocalhost slots=2\n\nuser@node7 # one\n", "hosts");
        assertEquals(List.of(new HostFile.Host("localhost", 2), new HostFile.Host("user@node7", 1)), hosts.hosts());
        assertEquals(3, hosts.places().size());
        assertEquals(true, hosts.hosts().get(0).isLocal());
        assertEquals(false, hosts.hosts().get(1).isLocal());
    }

    @Test
    void aWrongLineIsNamed() {
        assertEquals(
                "hosts, line 2: wanted is HOST slots=N, got 'b slots=x'",
                assertThrows(OxbowException.class, () -> HostFile.parse("a\nb slots=x\n", "hosts"))
                        .getMessage());
        assertEquals(
                "hosts, line 2: a is there twice",
                assertThrows(OxbowException.class, () -> HostFile.parse("a slots=2\na\n", "hosts"))
                        .getMessage());
    }

    @Test
    void placesKeepTheirNumbersWhileHostsComeAndGo(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("hosts");
        List<String> told = new ArrayList<>();
        Files.writeString(file, "a slots=2\nb\n");
        HostSlots slots = new HostSlots(file, 4, told::add);
        assertEquals(Map.of(0, "a", 1, "a", 2, "b"), slots.get());
        Files.writeString(file, "b\nc slots=5\n");
        assertEquals(Map.of(0, "c", 1, "c", 2, "b", 3, "c"), slots.get());
        Files.writeString(file, "c slots=\n");
        assertEquals(Map.of(0, "c", 1, "c", 2, "b", 3, "c"), slots.get());
        slots.get();
        assertEquals(List.of(file + ", line 1: wanted is HOST slots=N, got 'c slots='"), told);
    }
}
