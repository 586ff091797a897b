package dev.oxbow.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the processes of an elastic job wrote down, added up. */
final class ElasticLogTest {
    @TempDir
    private Path folder;

    private static String line(String event, int generation, long step) {
        return "{\"event\":\"%s\",\"generation\":%d,\"step\":%d,\"epoch\":0,\"batch\":%d,\"of\":1}\n"
                .formatted(event, generation, step, step);
    }

    private void worker(String name, String... lines) throws IOException {
        Files.writeString(folder.resolve("worker-" + name + ".jsonl"), String.join("", lines));
    }

    @Test
    void aStepThatNobodyWhoWasLeftHadDoneIsDoneAgainAndCountsOnce() throws IOException {
        worker("0-0", line("begin", 1, 0), line("step", 1, 1), line("step", 1, 2), "{\"event\":\"st");
        worker(
                "1-1",
                line("begin", 1, 0),
                line("step", 1, 1),
                line("begin", 2, 1),
                line("step", 2, 2),
                line("step", 2, 3));
        assertEquals(new ElasticLog.Account(2, 3, 1, List.of(), 3, List.of(), List.of()), ElasticLog.account(folder));
    }

    @Test
    void aStepThatNobodyDidIsMissed() throws IOException {
        worker("0-0", line("begin", 1, 0), line("step", 1, 1));
        worker("1-1", line("begin", 2, 2), line("step", 2, 3));
        assertEquals(
                new ElasticLog.Account(2, 2, 0, List.of(2L), 2, List.of(new ElasticLog.Numbered(0, 1)), List.of()),
                ElasticLog.account(folder));
    }

    private static String pushed(long epoch, long batch) {
        return "{\"event\":\"batch\",\"epoch\":%d,\"batch\":%d}\n".formatted(epoch, batch);
    }

    private static String size(long epoch, long batches) {
        return "{\"event\":\"epoch\",\"epoch\":%d,\"batches\":%d}\n".formatted(epoch, batches);
    }

    private static String step(int generation, long step, long epoch, long batch) {
        return "{\"event\":\"step\",\"generation\":%d,\"step\":%d,\"epoch\":%d,\"batch\":%d,\"of\":1}\n"
                .formatted(generation, step, epoch, batch);
    }

    @Test
    void stepsBeyondACheckpointToWhichAllWentBackCountOnceEvenOverSeveralGenerations() throws IOException {
        worker(
                "0-0",
                line("begin", 1, 0) + line("step", 1, 1) + line("step", 1, 2) + line("step", 1, 3),
                line("begin", 2, 3) + line("step", 2, 4),
                line("begin", 3, 1) + line("step", 3, 2) + line("step", 3, 3) + line("step", 3, 4));
        assertEquals(new ElasticLog.Account(3, 4, 3, List.of(), 4, List.of(), List.of()), ElasticLog.account(folder));
    }

    @Test
    void aStepOnTheWrongBatchIsNoticedThoughNoStepIsMissing() throws IOException {
        worker("0-0", line("begin", 1, 0), step(1, 1, 0, 1), step(1, 2, 0, 3), step(1, 3, 0, 3));
        ElasticLog.Account a = ElasticLog.account(folder);
        assertEquals(List.of(), a.missing());
        assertEquals(List.of(new ElasticLog.Numbered(0, 1)), a.lost());
        assertEquals(List.of(new ElasticLog.Numbered(0, 2)), a.twice());
    }

    @Test
    void theLastBatchOfAnEpochIsMissedByWhatTheEpochHas() throws IOException {
        worker("0-0", pushed(0, 0), pushed(0, 1), pushed(1, 0));
        worker("1-1", pushed(1, 1), pushed(1, 1), pushed(1, 2), size(0, 3), size(1, 3));
        assertEquals(
                new ElasticLog.Account(
                        0,
                        6,
                        0,
                        List.of(),
                        5,
                        List.of(new ElasticLog.Numbered(0, 2)),
                        List.of(new ElasticLog.Numbered(1, 1))),
                ElasticLog.account(folder));
    }
}
