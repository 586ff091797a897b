package dev.oxbow.net.shm;

import static dev.oxbow.tensor.ErrorCode.ALREADY_EXISTS;
import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.PERMISSION_DENIED;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
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
     *
     * A rank that can not make its region leaves an empty file that says so, for which even a full file system has room.
     * Nobody can have a complete set of regions then, so all others wait, see it, and give up as well.
     */

    static final String PREFIX = "oxbow-";
    static final String DRAFT = "%d.%d.%d.new";
    static final Pattern DRAFT_NAME = Pattern.compile(PREFIX + "(-?\\d{1,10})\\.(\\d{1,18})\\.\\d+\\.new");
    private static final Pattern REFUSAL_NAME =
            Pattern.compile(PREFIX + "(.+)-(\\d+)\\.(-?\\d{1,10})\\.(\\d{1,18})\\.(full|denied)");
    private static final AtomicLong DRAFTS = new AtomicLong();
    private static final long NAP = 200_000;
    /** In naps. */
    private static final int LOOK_AROUND = 50;

    private final Path directory;
    private final String job;
    private final int rank;
    private final int size;
    private final long ringBytes;
    private final Region[] regions;
    private final String[] lost;
    private Path draft;
    private UserPrincipal user;

    Formation(String job, int rank, int size, ShmConfig config) {
        this.job = job;
        this.rank = rank;
        this.size = size;
        directory = config.directory();
        ringBytes = config.ringBytesFor(size);
        regions = new Region[size];
        lost = new String[size];
    }

    /** The regions of all ranks. */
    Region[] form(ShmConfig config, Duration deadline) {
        long start = System.nanoTime();
        if (!Memory.isNative()) throw refused("denied", null);
        Thread hook = new Thread(this::removeNames, "remove names of shared memory");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            ProcessId self = ProcessId.self();
            draft = directory.resolve(PREFIX + DRAFT.formatted(self.namespace(), self.pid(), DRAFTS.incrementAndGet()));
            try {
                regions[rank] = Region.create(draft, rank, size, ringBytes, config.arenaBytes());
            } catch (IOException e) {
                throw refused("full", e);
            }
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
        } finally {
            removeHook(hook);
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return; // it runs
        }
    }

    /** Tells the others that this rank has no region, and says why. */
    private OxbowException refused(String why, IOException cause) {
        ProcessId self = ProcessId.self();
        Path refusal =
                directory.resolve(PREFIX + "%s-%d.%d.%d.%s".formatted(job, rank, self.namespace(), self.pid(), why));
        try {
            if (draft != null) Files.deleteIfExists(draft);
            refusal.toFile().deleteOnExit(); // until then it is there for peers that come late
            Files.createFile(refusal);
        } catch (FileAlreadyExistsException e) {
            return refusal(rank, why, cause);
        } catch (IOException e) {
            Network.LOG.debug("shm: {} can not be made: {}", refusal, e.toString());
        }
        return refusal(rank, why, cause);
    }

    private OxbowException refusal(int whose, String why, IOException cause) {
        String text = why.equals("denied")
                ? "shm: rank %d of job %s can not share memory, since native access is denied".formatted(whose, job)
                : "shm: %d ranks want %s of shared memory, and %s"
                        .formatted(size, megabytes(size * Region.reserved(size, ringBytes)), room());
        return new OxbowException(
                RESOURCE_EXHAUSTED,
                text + (cause == null ? "" : " (" + cause.getMessage() + ")")
                        + "; --transport tcp (OXBOW_TRANSPORT=tcp) does without",
                cause);
    }

    private String room() {
        try {
            FileStore store = Files.getFileStore(directory);
            return "%s has %s, of which %s are free"
                    .formatted(directory, megabytes(store.getTotalSpace()), megabytes(store.getUsableSpace()));
        } catch (IOException e) {
            return directory + " can not be used: " + e;
        }
    }

    private static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MB", bytes / (double) (1 << 20));
    }

    /** Fails as soon as another rank of the job has no region to give. */
    private void heedRefusals() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, PREFIX + job + "-*.{full,denied}")) {
            for (Path file : files) {
                Matcher m = REFUSAL_NAME.matcher(file.getFileName().toString());
                if (m.matches() && m.group(1).equals(job) && isMine(file) && !isLeftover(file))
                    throw refusal(Integer.parseInt(m.group(2)), m.group(5), null);
            }
        }
    }

    /** Removes all files of the ranks of a job whose processes have ended, wherever they were at that time. */
    static void clear(Path directory, String job, Collection<Long> pids) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, PREFIX + "*")) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                Matcher draft = DRAFT_NAME.matcher(name);
                boolean own = draft.matches()
                        ? pids.contains(Long.parseLong(draft.group(2)))
                        : name.startsWith(PREFIX + job + "-") || name.startsWith(PREFIX + job + ".");
                if (own) Files.deleteIfExists(file);
            }
        } catch (IOException | DirectoryIteratorException e) {
            Network.LOG.warn("shm: files of job {} are left in {}: {}", job, directory, e.toString());
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
        heedRefusals();
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
        removeNames();
        for (Region region : regions) if (region != null) region.close();
    }

    /** What this rank has in the directory; also when the process is stopped. */
    private void removeNames() {
        try {
            if (draft != null && isOwn()) Files.deleteIfExists(name(rank));
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
        if (draft.matches()) return isGone(draft.group(1), draft.group(2));
        Matcher refusal = REFUSAL_NAME.matcher(file.getFileName().toString());
        if (refusal.matches()) return isGone(refusal.group(3), refusal.group(4));
        try (Region region = Region.open(file)) {
            return region != null && region.process().isGone();
        } catch (OxbowException e) {
            return false; // not a region
        }
    }

    static boolean isGone(String namespace, String pid) {
        return Integer.parseInt(namespace) == ProcessId.self().namespace()
                && ProcessHandle.of(Long.parseLong(pid)).isEmpty();
    }

    private boolean isMine(Path file) throws IOException {
        try {
            return Files.getOwner(file, LinkOption.NOFOLLOW_LINKS).equals(user);
        } catch (NoSuchFileException e) {
            return false;
        }
    }
}
