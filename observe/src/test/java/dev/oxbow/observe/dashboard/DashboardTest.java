package dev.oxbow.observe.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.oxbow.observe.Event;
import dev.oxbow.observe.Observer;
import dev.oxbow.observe.RunLog;
import dev.oxbow.observe.run.Runs;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Examples;
import dev.oxbow.train.Input;
import dev.oxbow.train.Model;
import dev.oxbow.train.Trainer;
import dev.oxbow.train.layer.Layers;
import dev.oxbow.train.loss.Losses;
import dev.oxbow.train.optimizer.Optimizer;
import java.io.IOException;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class DashboardTest {
    private static final String TOKEN = "0123456789abcdef";

    @TempDir
    private Path home;

    private Dashboard dashboard;

    @BeforeEach
    void start() {
        dashboard = Dashboard.start(new Dashboard.Config(List.of(home), "127.0.0.1", 0, TOKEN, false));
    }

    @AfterEach
    void stop() {
        dashboard.close();
    }

    private record Answer(int status, String head, String body) {
        JsonObject json() {
            return JsonParser.parseString(body).getAsJsonObject();
        }
    }

    /** Sends a request as it is, byte for byte. */
    private Answer send(String request) throws IOException {
        try (Socket s = new Socket("127.0.0.1", dashboard.port())) {
            s.setSoTimeout(20_000);
            s.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            s.getOutputStream().flush();
            String all = new String(s.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int end = all.indexOf("\r\n\r\n");
            String head = end < 0 ? all : all.substring(0, end);
            int status = head.startsWith("HTTP/1.1 ") ? Integer.parseInt(head.substring(9, 12)) : -1;
            return new Answer(status, head, end < 0 ? "" : all.substring(end + 4));
        }
    }

    private Answer request(String method, String path, String... headers) throws IOException {
        return send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + String.join("", List.of(headers).stream().map(h -> h + "\r\n").toList()) + "\r\n");
    }

    private Answer get(String path) throws IOException {
        return request("GET", path);
    }

    private static String encoded(String s) {
        return URLEncoder.encode(s, StandardCharsets.UTF_8);
    }

    /** Asks again and again until the run has so many points; the server reads files by and by. */
    private JsonArray points(String run, String tag, int atLeast, String more) throws IOException {
        while (true) {
            Answer a = get("/api/series?run=%s&tag=%s%s".formatted(encoded(run), encoded(tag), more));
            if (a.status == 404) continue;
            JsonObject s = a.json().getAsJsonArray("series").get(0).getAsJsonObject();
            if (s.get("count").getAsInt() >= atLeast) return s.getAsJsonArray("points");
        }
    }

    private void logged(String name, int steps) {
        try (RunLog log = RunLog.open(home.resolve(name))) {
            for (int i = 0; i < steps; i++) log.scalar("loss", i, 1.0 / (i + 1));
        }
    }

    @Test
    void thePageAndItsFilesAreServedAndNoOthers() throws IOException {
        for (String path : List.of(
                "/",
                "/index.html",
                "/app.js",
                "/app.css",
                "/icon.svg",
                "/page.js",
                "/chart.js",
                "/timeline.js",
                "/graph.js",
                "/panes.js")) assertEquals(200, get(path).status, path);
        Files.writeString(home.resolve("secret.txt"), "secret");
        for (String path : List.of(
                "/../secret.txt",
                "/%2e%2e/secret.txt",
                "/..%2fsecret.txt",
                "/secret.txt",
                "/app.js/..",
                "//etc/passwd",
                "/api/../secret.txt",
                "/api/",
                "/api/nothing")) {
            Answer a = get(path);
            assertTrue(a.status == 404 || a.status == 400, () -> path + ": " + a.status);
            assertFalse(a.body.contains("secret\n"), path);
        }
        assertEquals(404, send("GET no-path HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").status);
    }

    @Test
    void nothingOnThePageComesFromElsewhere() throws IOException {
        for (String path : List.of("/", "/app.js", "/app.css", "/page.js", "/chart.js", "/panes.js", "/graph.js")) {
            String text = get(path).body.replace("http://www.w3.org/2000/svg", "");
            assertFalse(text.contains("http://") || text.contains("https://") || text.contains("innerHTML"), path);
        }
        assertTrue(get("/").head.contains("default-src 'none'"));
    }

    @Test
    void aCurveIsThinnedToWhatIsAskedForAndZoomed() throws IOException {
        logged("long", 5_000);
        assertTrue(points("long", "loss", 5_000, "&points=100").size() <= 100);
        assertTrue(points("long", "loss", 5_000, "&points=999999999").size() <= 2_000);
        JsonArray zoomed = points("long", "loss", 5_000, "&from=100&to=119&points=50");
        assertEquals(20, zoomed.size());
        assertEquals(100, zoomed.get(0).getAsJsonArray().get(0).getAsInt());
        assertEquals(1.0 / 101, zoomed.get(0).getAsJsonArray().get(2).getAsDouble(), 1e-6);
    }

    @Test
    void aLiveRunIsSeenToMove() throws IOException {
        try (RunLog log = RunLog.open(home.resolve("live"))) {
            log.scalar("loss", 1, 0.5);
            points("live", "loss", 1, "");
            assertEquals("RUNNING", get("/api/run?run=live").json().get("state").getAsString());
            log.scalar("loss", 2, 0.25);
            points("live", "loss", 2, "");
        }
        while (!get("/api/run?run=live").json().get("state").getAsString().equals("DONE")) Thread.onSpinWait();
    }

    @Test
    void questionsThatAreTooLargeOrWrongAreRefused() throws IOException {
        logged("run", 3);
        points("run", "loss", 3, "");
        assertEquals(400, get("/api/series?run=run").status);
        assertEquals(400, get("/api/series?run=run&tag=loss&from=abc").status);
        assertEquals(400, get("/api/series?run=run&tag=loss&to=99999999999999999999999").status);
        assertEquals(400, get("/api/run?run=%zz").status);
        assertEquals(404, get("/api/run?run=..%2f..").status);
        assertEquals(404, get("/api/series?run=run&tag=loss&worker=worker-9").status);
        assertEquals(400, get("/api/series?tag=loss" + "&run=run".repeat(600)).status);
        assertEquals(404, get("/api/image?run=run&tag=loss&index=99999").status);
        assertTrue(get("/api/series?tag=" + "x".repeat(40_000)).status >= 400);
        assertEquals(405, request("DELETE", "/api/runs").status);
        assertEquals(200, get("/api/runs").status);
    }

    @Test
    void markupInNamesIsEscapedAndNeverTakenForAPage() throws IOException {
        String name = "<img src=x onerror=alert(1)>";
        logged(name, 2);
        points(name, "loss", 2, "");
        Answer a = get("/api/runs");
        assertFalse(a.body.contains("<"), a.body);
        assertTrue(a.head.contains("application/json") && a.head.contains("nosniff"), a.head);
        assertEquals(
                name,
                a.json()
                        .getAsJsonArray("runs")
                        .get(0)
                        .getAsJsonObject()
                        .get("name")
                        .getAsString());
        assertTrue(get("/metrics").body.contains("run=\"<img src=x onerror=alert(1)>\""));
    }

    @Test
    void changesNeedTheToken() throws IOException {
        logged("run", 2);
        points("run", "loss", 2, "");
        for (String header :
                List.of("X-None: 1", "Authorization: Bearer wrong", "Authorization: Bearer " + TOKEN + "0"))
            assertEquals(401, request("POST", "/api/stop?run=run", header).status, header);
        assertFalse(Files.exists(home.resolve("run/stop.request")));
        assertEquals(200, request("POST", "/api/stop?run=run", "Authorization: Bearer " + TOKEN).status);
        assertTrue(Files.exists(home.resolve("run/stop.request")));
        assertEquals(200, request("POST", "/api/trace?run=run", "Authorization: Bearer " + TOKEN).status);
        assertEquals(404, request("POST", "/api/trace?run=none", "Authorization: Bearer " + TOKEN).status);
        assertEquals(404, get("/api/stop?run=run").status);
    }

    @Test
    void anotherNameIsRefusedAndOtherMachinesAreOnlyServedWhereTheNetworkIsTrusted() throws IOException {
        Answer a = send("GET /api/runs HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
        assertEquals(421, a.status);
        var everybody = new Dashboard.Config(List.of(home), "0.0.0.0", 0, TOKEN, false);
        var e = assertThrows(OxbowException.class, () -> Dashboard.start(everybody));
        assertTrue(e.getMessage().contains("--trusted-network"), e.getMessage());
        var guessed = new Dashboard.Config(List.of(home), "127.0.0.1", 0, "short", false);
        assertThrows(OxbowException.class, () -> Dashboard.start(guessed));
    }

    @Test
    void aThousandConnectionsThatSayLittleDoNotKeepOthersOut() throws IOException {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 1_000; i++) {
                Socket s = new Socket("127.0.0.1", dashboard.port());
                slow.add(s);
                if (i % 2 == 0) s.getOutputStream().write("GET /api/ru".getBytes(StandardCharsets.US_ASCII));
            }
            assertEquals(200, get("/api/runs").status);
        } finally {
            for (Socket s : slow) s.close();
        }
        assertEquals(200, get("/api/runs").status);
    }

    @Test
    void figuresAreInTheFormOfPrometheus() throws IOException {
        logged("a\"b", 2);
        points("a\"b", "loss", 2, "");
        String text = get("/metrics").body;
        for (String line : text.split("\n"))
            assertTrue(
                    line.matches(
                            "# (HELP|TYPE) oxbow_\\w+ .+|oxbow_\\w+(\\{run=\"(\\\\.|[^\"\\\\])*\",worker=\"worker-\\d+\"})? \\S+"),
                    line);
        assertTrue(text.contains("oxbow_step{run=\"a\\\"b\",worker=\"worker-0\"} 1"), text);
    }

    @Test
    void aRunWithoutTraceOrGraphIsAnsweredAllTheSame() throws IOException {
        logged("bare", 2);
        points("bare", "loss", 2, "");
        assertEquals(
                0, get("/api/trace?run=bare").json().getAsJsonArray("workers").size());
        assertEquals(
                0, get("/api/graph?run=bare").json().getAsJsonArray("boxes").size());
        assertEquals(
                "UNKNOWN", get("/api/diagnosis?run=bare").json().get("bound").getAsString());
        assertEquals(
                0,
                get("/api/histograms?run=bare&tag=w")
                        .json()
                        .getAsJsonArray("histograms")
                        .size());
        assertEquals(200, get("/api/log?run=bare").status);
        assertEquals(200, request("HEAD", "/").status);
    }

    @Test
    void answersAreBoundedHoweverManyRunsAndPointsAreAskedFor() throws IOException {
        logged("long", 5_000);
        points("long", "loss", 5_000, "");
        Answer a = get("/api/series?tag=loss&points=2000" + "&run=long".repeat(200));
        assertEquals(200, a.status);
        assertTrue(a.body.length() < 4_000_000, () -> a.body.length() + " characters");
    }

    @Test
    void trainingGoesOnWhileADashboardIsHeldUpByItsClientsAndDies() throws IOException {
        logged("long", 5_000);
        points("long", "loss", 5_000, "");
        List<Socket> held = new ArrayList<>();
        String large = "GET /api/series?tag=loss&points=2000" + "&run=long".repeat(20)
                + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
        try (RunLog log = RunLog.open(home.resolve("training"))) {
            for (int i = 0; i < 64; i++) { // they ask and ask, and take nothing
                Socket s = new Socket("127.0.0.1", dashboard.port());
                held.add(s);
                s.getOutputStream().write(large.repeat(4).getBytes(StandardCharsets.US_ASCII));
            }
            for (int i = 0; i < 10_000; i++) log.stream().publish(new Event.Step(i, 0.5, 1_000_000, 0, 8));
            dashboard.close();
            for (int i = 10_000; i < 16_000; i++) log.stream().publish(new Event.Step(i, 0.5, 1_000_000, 0, 8));
            assertEquals(0, log.stream().lost());
        } finally {
            for (Socket s : held) s.close();
        }
        try (Runs runs = Runs.read(List.of(home.resolve("training")))) {
            assertEquals(16_000, runs.all().getFirst().first().points("train/loss"));
        }
    }

    private void trained(String name) {
        Model model =
                Model.of(Input.floats("x", 8), Layers.sequential(Layers.dense(16, Value::tanh), Layers.dense(2)), 1);
        Examples examples =
                Examples.of(Tensor.zeros(DType.F32, Shape.of(100, 8)), Tensor.zeros(DType.I32, Shape.of(100)));
        try (Observer observer = Observer.in(home.resolve(name), Map.of("rate", 0.1));
                Trainer trainer = Trainer.of(model, Losses.sparseCrossEntropy(), Optimizer.adam(0.1))
                        .callbacks(observer)
                        .start()) {
            trainer.fit(examples.batches(4), 2);
        }
    }

    private static Map<String, JsonObject> boxes(Answer a) {
        Map<String, JsonObject> all = new TreeMap<>();
        for (JsonElement b : a.json().getAsJsonArray("boxes"))
            all.put(b.getAsJsonObject().get("name").getAsString(), b.getAsJsonObject());
        return all;
    }

    @Test
    void aTrainingIsShownByScopeWithPlacementCostLinesAndThePlanner() throws IOException {
        trained("trained");
        points("trained", "train/loss", 50, "");
        Map<String, JsonObject> top = boxes(get("/api/graph?run=trained"));
        assertTrue(
                top.keySet().containsAll(List.of("dense1", "dense2", "training", "loss", "gradients", "update")),
                () -> top.keySet().toString());
        for (String scope : List.of("gradients", "update")) {
            assertTrue(top.get(scope).get("millis").getAsDouble() > 0, scope);
            String device = top.get(scope).getAsJsonArray("devices").get(0).getAsString();
            assertTrue(device.endsWith("device:CPU:0"), device);
        }
        for (String name : boxes(get("/api/graph?run=trained&scope=gradients")).keySet())
            assertTrue(name.startsWith("gradients/"), name);
        JsonArray spans = get("/api/trace?run=trained")
                .json()
                .getAsJsonArray("workers")
                .get(0)
                .getAsJsonObject()
                .getAsJsonArray("spans");
        boolean lines = false;
        for (JsonElement span : spans)
            lines |= span.getAsJsonArray().get(6).getAsString().contains(".java:");
        assertTrue(lines, "no span tells its line");
        JsonObject run = get("/api/run?run=trained").json();
        JsonObject planner = run.getAsJsonObject("planner");
        assertTrue(planner.get("stepMillis").getAsDouble() > 0);
        assertEquals(
                4 * (8 * 16 + 16 + 16 * 2 + 2), planner.get("gradientBytes").getAsInt());
        JsonObject worker = run.getAsJsonArray("workers").get(0).getAsJsonObject();
        assertTrue(worker.getAsJsonObject("devices").has("CPU:0"), worker::toString);
    }
}
