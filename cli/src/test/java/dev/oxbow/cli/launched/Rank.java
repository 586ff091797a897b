package dev.oxbow.cli.launched;

import dev.oxbow.collective.Communicator;
import dev.oxbow.collective.Ranks;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** What ranks run in tests of {@code launch}; the first argument says what. */
public final class Rank {
    private Rank() {}

    public static void main(String[] arguments) throws Exception {
        String rank = System.getenv("OXBOW_RANK");
        switch (arguments[0]) {
            case "environment" -> {
                for (String name :
                        List.of("RANK", "SIZE", "LOCAL_RANK", "LOCAL_SIZE", "TRANSPORT", "THREADS", "TIMEOUT"))
                    System.out.println(name + "=" + System.getenv("OXBOW_" + name));
                System.out.println("common " + System.getenv("OXBOW_JOB") + " " + System.getenv("OXBOW_TOKEN") + " "
                        + System.getenv("OXBOW_RENDEZVOUS"));
            }
            case "talk" -> {
                String word = "x".repeat(3000);
                for (int i = 0; i < 300; i++) System.out.println(i + " " + word);
                System.err.print("no end of line");
            }
            case "fail" -> {
                if (rank.equals("1")) {
                    System.err.println("the disk is full");
                    System.exit(7);
                }
                new CountDownLatch(1).await();
            }
            case "stubborn" -> {
                if (rank.equals("1")) System.exit(9);
                Runtime.getRuntime().addShutdownHook(new Thread(Rank::never));
                Files.writeString(
                        Path.of(arguments[1]).resolve(rank),
                        "" + ProcessHandle.current().pid());
                new CountDownLatch(1).await();
            }
            case "wait" -> {
                Files.writeString(
                        Path.of(arguments[1]).resolve(rank),
                        "" + ProcessHandle.current().pid());
                System.out.println("waiting");
                new CountDownLatch(1).await();
            }
            case "absent" -> {
                if (!rank.equals("1")) Ranks.join().close();
            }
            case "early" -> {
                try (Communicator job = Ranks.join();
                        Tensor x = Tensor.of(Shape.of(2), 1f, 2f)) {
                    for (int i = 0; i < (rank.equals("1") ? 5 : 100); i++)
                        job.world().allReduce(x).await();
                }
            }
            case "stopped" -> {
                try (Communicator job = Ranks.join();
                        Tensor x = Tensor.of(Shape.of(2), 1f, 2f)) {
                    job.world().allReduce(x).await();
                    String self = Long.toString(ProcessHandle.current().pid());
                    if (rank.equals("1")) new ProcessBuilder("kill", "-STOP", self).start();
                    while (true) job.world().allReduce(x).await();
                }
            }
            case "throws" -> {
                try (Communicator job = Ranks.join();
                        Tensor x = Tensor.of(Shape.of(2), 1f, 2f)) {
                    job.world().allReduce(x).await();
                    if (rank.equals("1")) throw new IllegalStateException("the data are gone");
                    while (true) job.world().allReduce(x).await();
                }
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static void never() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
