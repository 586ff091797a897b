package dev.oxbow.net.shm;

import static dev.oxbow.tensor.ErrorCode.ALREADY_EXISTS;
import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.PERMISSION_DENIED;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The meeting of the ranks of a job on one host: each makes a region, finds the others', and unlinks its own. */
final class Formation {

    /*
     * A region is made under a name of its own that contains the process id, and gets its final name by a second link once
     * it is complete, so nobody sees half a region and a final name has one owner. Both names go as soon as every
     * rank has mapped the region. A process that ends before that leaves names behind, which the next join removes:
     * a name is a leftover when its process is gone. Two joins may clean up at once, and one remove what
     * the other has just linked anew; therefore the final name is looked after until the end.
     */

    private static final String PREFIX = "oxbow-";
    private static final String DRAFT = "%d.%d.%d.new";
    private static final Pattern DRAFT_NAME = Pattern.compile(PREFIX + "(-?\\d{1,10})\\.(\\d{1,18})\\.\\d+\\.new");
    private static final AtomicLong DRAFTS = new AtomicLong();
    private static final long NAP = 200_000;
    /** In naps. */
    private static final int LOOK_AROUND = 50;

    private final Path directory;
    private final String job;
    private final int rank;
    private final int size;
    private final Region[] regions;
    private final String[] lost;
    private Path draft;
    private UserPrincipal user;

    Formation(String job, int rank, int size, ShmConfig config) {
        this.job = job;
        this.rank = rank;
        this.size = size;
        directory = config.directory();
        regions = new Region[size];
        lost = new String[size];
    }

    /** The regions of all ranks. */
    Region[] form(ShmConfig config, Duration deadline) {
        long start = System.nanoTime();
        try {
            ProcessId self = ProcessId.self();
            draft = directory.resolve(PREFIX + DRAFT.formatted(self.namespace(), self.pid(), DRAFTS.incrementAndGet()));
            regions[rank] = Region.create(draft, rank, size, config.ringBytesFor(size), config.arenaBytes());
            user = Files.getOwner(draft);
            sweep();
            link();
            for (int turn = 1; !isComplete(); turn++) {
                if (System.nanoTime() - start > deadline.toNanos()) throw late(deadline);
                require(
                        !Thread.currentThread().isInterrupted(),
                        CANCELLED,
                        "shm: rank %d of job %s was interrupted while it waited for the others",
                        rank,
                        job);
                LockSupport.parkNanos(NAP);
                if (turn % LOOK_AROUND == 0) lookAround();
            }
            unlink();
            return regions;
        } catch (IOException e) {
            discard();
            throw new OxbowException(UNAVAILABLE, "shm: rank %d of job %s: %s".formatted(rank, job, e), e);
        } catch (RuntimeException e) {
            discard();
            throw e;
        }
    }

    private Path name(int r) {
        return directory.resolve(PREFIX + job + "-" + r);
    }

    private void link() throws IOException {
        try {
            Files.createLink(name(rank), draft);
        } catch (FileAlreadyExistsException e) {
            Region other = Region.open(name(rank));
            if (other == null) return;
            ProcessId process = other.process();
            other.close();
            require(
                    process.isGone(),
                    ALREADY_EXISTS,
                    "shm: rank %d of job %s is already there: process %d",
                    rank,
                    job,
                    process.pid());
            Files.deleteIfExists(name(rank));
        }
    }

    private boolean isComplete() throws IOException {
        boolean complete = true;
        for (int peer = 0; peer < size; peer++) {
            if (peer == rank) continue;
            if (regions[peer] == null) map(peer);
            complete &= regions[peer] != null && regions[rank].isMapped(peer, regions[peer].number());
        }
        return complete;
    }

    private void lookAround() throws IOException {
        if (!Files.exists(name(rank))) link();
        for (int peer = 0; peer < size; peer++) if (peer != rank) forgetIfGone(peer);
    }

    private void map(int peer) throws IOException {
        if (!Files.exists(name(peer))) return;
        require(
                isMine(name(peer)),
                PERMISSION_DENIED,
                "shm: %s of rank %d of job %s belongs to another user than %s",
                name(peer),
                peer,
                job,
                user);
        Region region = Region.open(name(peer));
        if (region == null) return;
        regions[peer] = region;
        require(
                region.rank() == peer && region.size() == size,
                FAILED_PRECONDITION,
                "shm: rank %d of %d of job %s was found as rank %d of %d by rank %d",
                region.rank(),
                region.size(),
                job,
                peer,
                size,
                rank);
        region.markMapped(rank, regions[rank].number());
    }

    /** The process may have been started again; until then its end is what is known of the rank. */
    private void forgetIfGone(int peer) throws IOException {
        Region region = regions[peer];
        if (region == null || !region.process().isGone()) return;
        lost[peer] =
                "rank %d (process %d is gone)".formatted(peer, region.process().pid());
        region.close();
        regions[peer] = null;
        sweep();
    }

    private OxbowException late(Duration deadline) {
        List<String> missing = new ArrayList<>();
        for (int peer = 0; peer < size; peer++) {
            if (peer == rank) continue;
            if (regions[peer] == null) {
                missing.add(lost[peer] != null ? lost[peer] : "rank %d (no sign of it)".formatted(peer));
            } else if (!regions[rank].isMapped(peer, regions[peer].number())) {
                missing.add("rank %d (process %d has not answered)"
                        .formatted(peer, regions[peer].process().pid()));
            }
        }
        return new OxbowException(
                DEADLINE_EXCEEDED,
                "shm: rank %d of job %s waited %s in %s for %s"
                        .formatted(rank, job, deadline, directory, String.join(", ", missing)));
    }

    private void unlink() throws IOException {
        Files.deleteIfExists(name(rank));
        Files.deleteIfExists(draft);
    }

    private void discard() {
        boolean linked = regions[rank] != null && isOwn();
        for (Region region : regions) if (region != null) region.close();
        try {
            if (linked) Files.deleteIfExists(name(rank));
            if (draft != null) Files.deleteIfExists(draft);
        } catch (IOException e) {
            Network.LOG.warn("shm: files of rank {} of job {} are left in {}: {}", rank, job, directory, e.toString());
        }
    }

    /** Whether the final name is this region's: another process may hold it. */
    private boolean isOwn() {
        try {
            return Files.isSameFile(name(rank), draft);
        } catch (IOException e) {
            return false;
        }
    }

    /** Removes what processes of this user that are gone have left behind. */
    private void sweep() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, PREFIX + "*")) {
            for (Path file : files) if (!file.equals(draft) && isLeftover(file)) Files.deleteIfExists(file);
        }
    }

    private boolean isLeftover(Path file) throws IOException {
        if (!isMine(file)) return false;
        Matcher draft = DRAFT_NAME.matcher(file.getFileName().toString());
        if (draft.matches()) {
            return Integer.parseInt(draft.group(1)) == ProcessId.self().namespace()
                    && ProcessHandle.of(Long.parseLong(draft.group(2))).isEmpty();
        }
        try (Region region = Region.open(file)) {
            return region != null && region.process().isGone();
        } catch (OxbowException e) {
            return false; // not a region
        }
    }

    private boolean isMine(Path file) throws IOException {
        try {
            return Files.getOwner(file, LinkOption.NOFOLLOW_LINKS).equals(user);
        } catch (NoSuchFileException e) {
            return false;
        }
    }
}
