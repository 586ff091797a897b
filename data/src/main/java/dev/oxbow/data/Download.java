package dev.oxbow.data;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Files that come over HTTP. */
final class Download {
    private static final Duration ANSWER = Duration.ofSeconds(30);
    private static final Duration WHOLE = Duration.ofMinutes(30);

    private Download() {}

    static boolean isAddress(String text) {
        return text.startsWith("http://") || text.startsWith("https://");
    }

    /** Writes what is at an address to a file, or fails in one sentence. */
    static void get(String address, Path to) throws IOException {
        try (HttpClient client = HttpClient.newBuilder()
                .connectTimeout(ANSWER)
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build()) {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create(address)).timeout(ANSWER).build();
            try {
                HttpResponse<Path> response = client.sendAsync(request, HttpResponse.BodyHandlers.ofFile(to))
                        .get(WHOLE.toSeconds(), TimeUnit.SECONDS);
                if (response.statusCode() != 200) throw new IOException("it answers " + response.statusCode());
            } catch (TimeoutException e) {
                throw new IOException("it takes more than " + WHOLE.toMinutes() + " minutes", e);
            } catch (ExecutionException e) {
                throw new IOException(reason(e.getCause()), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            } finally {
                client.shutdownNow();
            }
        } catch (IllegalArgumentException e) {
            throw new IOException("it is no address: " + e.getMessage(), e);
        }
    }

    private static String reason(Throwable e) {
        Throwable last = e;
        while (last.getCause() != null && last.getMessage() == null) last = last.getCause();
        return last.getMessage() == null ? last.getClass().getSimpleName() : last.getMessage();
    }
}
