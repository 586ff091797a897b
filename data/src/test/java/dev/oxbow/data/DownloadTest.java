package dev.oxbow.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Data sets that come over HTTP: whole and checked, or not at all. */
final class DownloadTest {
    private static final byte[] CONTENT = "hello".getBytes(StandardCharsets.UTF_8);
    private static final DataSet SET =
            new DataSet("greeting", "a greeting", Map.of("hello.txt", "5d41402abc4b2a76b9719d911017c592"));

    private HttpServer server;
    private String address;

    @TempDir
    private Path home;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/good/", exchange -> {
            exchange.sendResponseHeaders(200, CONTENT.length);
            exchange.getResponseBody().write(CONTENT);
            exchange.close();
        });
        server.createContext("/other/", exchange -> {
            exchange.sendResponseHeaders(200, 3);
            exchange.getResponseBody().write(CONTENT, 0, 3);
            exchange.close();
        });
        server.createContext("/short/", exchange -> {
            exchange.sendResponseHeaders(200, 100);
            exchange.getResponseBody().write(CONTENT);
            exchange.getResponseBody().flush();
            exchange.close();
        });
        server.start();
        address = "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private String refused(String from) {
        OxbowException e = assertThrows(OxbowException.class, () -> new DataFolder(home).fetch(SET, from));
        assertTrue(e.text().lines().count() == 1, e.text());
        return e.text();
    }

    private void assertNothingIsThere() throws IOException {
        try (var files = Files.walk(home)) {
            assertEquals(List.of(), files.filter(Files::isRegularFile).toList());
        }
    }

    @Test
    void aFileIsKeptFromAFolderAndFromItsOwnAddress() throws IOException {
        for (String from : List.of(address + "/good/", address + "/good/any-name")) {
            List<Path> kept = new DataFolder(home).fetch(SET, from);
            assertEquals(List.of(home.resolve("greeting/hello.txt")), kept);
            assertArrayEquals(CONTENT, Files.readAllBytes(kept.getFirst()));
            Files.delete(kept.getFirst());
        }
    }

    @Test
    void whatIsMissingCutOrDifferentIsOneLineAndLeavesNothing() throws IOException {
        assertTrue(refused(address + "/none/").contains(address + "/none/hello.txt"), "names the address");
        assertTrue(refused(address + "/none/").contains("answers 404"));
        assertTrue(refused(address + "/other/").contains("has MD5"));
        refused(address + "/short/");
        refused("http://not a host/");
        assertNothingIsThere();
    }

    @Test
    void aServerThatIsNotThereIsOneLineAndLeavesNothing() throws IOException {
        server.stop(0);
        assertTrue(refused(address + "/good/").startsWith("data: can not keep " + address + "/good/hello.txt in "));
        assertNothingIsThere();
    }

    @Test
    void aFolderThatCanNotBeMadeIsOneLine() throws IOException {
        Files.writeString(home.resolve("greeting"), "a file");
        assertTrue(refused(address + "/good/").contains(home.resolve("greeting").toString()));
    }

    @Test
    void everyDataSetHasMirrors() {
        for (DataSet s : DataSet.all()) assertTrue(!s.mirrors().isEmpty(), s.name());
    }
}
