package dev.oxbow.cuda;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Kernels by their source: compiled once, kept in the process and, as machine code, in a folder of the user. */
final class Sources {

    /*
     * A file is named after a hash of all that its content depends on: source, options with the architecture, version of the
     * compiler. It is written beside its place and moved there in one step, so processes may share the folder. Modules stay
     * loaded: graphs hold their kernels.
     */

    private static final Logger log = LoggerFactory.getLogger(Sources.class);

    private final List<String> options;
    private final Path folder;
    private final Map<String, Long> functions = new ConcurrentHashMap<>();
    private final AtomicLong compiled = new AtomicLong();
    private volatile boolean cannotKeep;

    /** For an architecture such as {@code sm_90a}; without a folder, null, nothing is kept beyond the process. */
    Sources(String architecture, Path folder) {
        this.options = options(architecture);
        this.folder = folder;
    }

    /** How kernels are compiled: nothing is contracted, so that the bits are those of the CPU. */
    static List<String> options(String architecture) {
        return List.of("--gpu-architecture=" + architecture, "--fmad=false", "--std=c++17", "-default-device");
    }

    /** The folder of this user for files that can be made again, or {@code -Doxbow.cuda.cache}. */
    static Path userFolder() {
        String own = System.getProperty("oxbow.cuda.cache");
        if (own != null) return Path.of(own);
        String set = System.getenv("XDG_CACHE_HOME");
        Path base = set != null && !set.isBlank()
                ? Path.of(set)
                : Path.of(System.getProperty("user.home", ".")).resolve(".cache");
        return base.resolve("oxbow").resolve("cuda");
    }

    /** How many sources this process has compiled itself. */
    long compiled() {
        return compiled.get();
    }

    /** The kernel {@code entry} of a source; the context of the card must be entered. */
    long function(String source, String entry) {
        return functions.computeIfAbsent(source, s -> load(binary(Early.text(s)), entry));
    }

    private static long load(byte[] binary, String entry) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, binary);
            return Driver.function(Driver.load(memory), entry);
        }
    }

    private byte[] binary(String source) {
        Path file = folder == null ? null : folder.resolve(key(source) + ".cubin");
        byte[] known = file == null ? null : read(file);
        if (known != null) return known;
        byte[] made = Nvrtc.compile(source, options);
        compiled.incrementAndGet();
        if (file != null && !cannotKeep) keep(file, made);
        return made;
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            log.debug("{} can not be read: {}", file, e.toString());
            return null;
        }
    }

    private void keep(Path file, byte[] binary) {
        try {
            Files.createDirectories(file.getParent());
            Path part = Files.createTempFile(file.getParent(), "part", null);
            Files.write(part, binary);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            cannotKeep = true;
            log.warn("compiled kernels can not be kept in {}: {}", file.getParent(), e.toString());
        }
    }

    private String key(String source) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update((Nvrtc.version() + options).getBytes(StandardCharsets.UTF_8));
            digest.update(source.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest(), 0, 20);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
