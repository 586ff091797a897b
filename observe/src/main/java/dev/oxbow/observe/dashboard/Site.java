package dev.oxbow.observe.dashboard;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives each request to who answers it: files of the page, the interface, figures. Everything else is refused. */
final class Site implements HttpHandler {
    private static final Logger LOG = LoggerFactory.getLogger(Site.class);
    private static final int AT_ONCE = 16;
    private static final long LONGEST_WAIT_SECONDS = 5;
    private static final String JSON = "application/json; charset=utf-8";

    /** The files of the page, by path; there are no others. */
    private static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry("/index.html", "text/html; charset=utf-8"),
            Map.entry("/app.css", "text/css; charset=utf-8"),
            Map.entry("/icon.svg", "image/svg+xml"),
            Map.entry("/app.js", "text/javascript; charset=utf-8"),
            Map.entry("/chart.js", "text/javascript; charset=utf-8"),
            Map.entry("/graph.js", "text/javascript; charset=utf-8"),
            Map.entry("/page.js", "text/javascript; charset=utf-8"),
            Map.entry("/panes.js", "text/javascript; charset=utf-8"),
            Map.entry("/timeline.js", "text/javascript; charset=utf-8"));

    private final Api api;
    private final Metrics metrics;
    private final Dashboard.Config config;
    private final Semaphore places = new Semaphore(AT_ONCE);
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();

    Site(Api api, Metrics metrics, Dashboard.Config config) {
        this.api = api;
        this.metrics = metrics;
        this.config = config;
    }

    /** Bytes of a type. */
    record Answer(String type, byte[] bytes) {
        static Answer json(String text) {
            return new Answer(JSON, text.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Override
    public void handle(HttpExchange e) throws IOException {
        requests.incrementAndGet();
        boolean taken = false;
        try (e) {
            try {
                taken = places.tryAcquire(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
                if (!taken) throw new Refusal(503, "too many requests at once");
                send(e, 200, answer(e));
            } catch (Refusal r) {
                refused.incrementAndGet();
                send(e, r.status(), new Answer("text/plain; charset=utf-8", bytes(r.getMessage() + "\n")));
            } catch (RuntimeException wrong) {
                if (wrong.getCause() instanceof ClosedByInterruptException) return; // the server is being closed
                LOG.warn("{} failed", e.getRequestURI().getPath(), wrong);
                send(e, 500, new Answer("text/plain; charset=utf-8", bytes("this went wrong here\n")));
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        } finally {
            if (taken) places.release();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private Answer answer(HttpExchange e) throws IOException {
        checkHost(e.getRequestHeaders().getFirst("Host"));
        String path = e.getRequestURI().getPath(), method = e.getRequestMethod();
        if (path == null) throw new Refusal(400, "there is no path");
        if (method.equals("POST")) {
            // a page of another site can not set this header without asking first
            return api.change(
                    path,
                    new Query(e.getRequestURI().getRawQuery()),
                    e.getRequestHeaders().getFirst("Authorization"));
        }
        if (!Set.of("GET", "HEAD").contains(method)) throw new Refusal(405, "only GET, HEAD and POST are answered");
        if (path.equals("/metrics"))
            return new Answer(
                    "text/plain; version=0.0.4; charset=utf-8", bytes(metrics.text(requests.get(), refused.get())));
        if (path.startsWith("/api/"))
            return api.answer(path, new Query(e.getRequestURI().getRawQuery()));
        return file(path.equals("/") ? "/index.html" : path);
    }

    private static Answer file(String path) throws IOException {
        String type = TYPES.get(path);
        if (type == null) throw new Refusal(404, "there is nothing here");
        try (InputStream in = Site.class.getResourceAsStream("page" + path)) {
            if (in == null) throw new Refusal(404, "there is nothing here");
            return new Answer(type, in.readAllBytes());
        }
    }

    /** A name that was not meant for this server may belong to a page that wants to read it by a changed address. */
    private void checkHost(String host) {
        if (config.trusted()) return;
        String name = host == null ? "" : host.replaceFirst(":\\d+$", "");
        boolean own = name.equals("localhost") || name.equals(config.host()) || isLoopback(name);
        if (!own) throw new Refusal(421, "this server is not called that");
    }

    private static boolean isLoopback(String name) {
        if (!name.matches("[\\d.]+|\\[[0-9a-fA-F:]+]")) return false; // a name would be looked up
        try {
            return InetAddress.getByName(name).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private static void send(HttpExchange e, int status, Answer a) throws IOException {
        Headers h = e.getResponseHeaders();
        h.set("Content-Type", a.type);
        h.set("Cache-Control", "no-store");
        h.set("X-Content-Type-Options", "nosniff");
        h.set("Referrer-Policy", "no-referrer");
        h.set(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self';"
                        + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
        boolean head = e.getRequestMethod().equals("HEAD");
        if (head) h.set("Content-Length", Integer.toString(a.bytes.length));
        e.sendResponseHeaders(status, head ? -1 : a.bytes.length == 0 ? -1 : a.bytes.length);
        if (head) return;
        try (OutputStream out = e.getResponseBody()) {
            out.write(a.bytes);
        }
    }
}
