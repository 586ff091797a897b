package dev.oxbow.cuda;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** NVIDIA's libraries, as they are found on this machine, loaded for the life of the process. */
final class Libraries {

    /** What is looked for; newer versions first. */
    enum Name {
        DRIVER("the driver", true, "libcuda.so.1"),
        NVRTC("NVRTC", true, "libnvrtc.so.13", "libnvrtc.so.12"),
        BLAS_LT("cuBLASLt", true, "libcublasLt.so.13", "libcublasLt.so.12"),
        DNN("cuDNN", false, "libcudnn.so.9"),
        NCCL("NCCL", false, "libnccl.so.2");

        final String title;

        /** Whether there is no computing on a card without it. */
        final boolean needed;

        private final List<String> files;

        Name(String title, boolean needed, String... files) {
            this.title = title;
            this.needed = needed;
            this.files = List.of(files);
        }
    }

    /** A library, or why there is none. */
    record Found(SymbolLookup symbols, String where, String missing) {
        boolean isThere() {
            return symbols != null;
        }
    }

    private static final int LEAST_DNN = 90_000;

    /** The first whose calls need not wait for other ranks. */
    private static final int LEAST_NCCL = 21_400;

    private static final Map<Name, Found> FOUND = new ConcurrentHashMap<>();

    private Libraries() {}

    static Found find(Name name) {
        return FOUND.computeIfAbsent(name, Libraries::search);
    }

    /** Why there is no cuDNN, in one sentence; null where it can be used. It is switched off by {@code -Doxbow.cuda.dnn=off}. */
    static String missingDnn() {
        if (System.getProperty("oxbow.cuda.dnn", "").equals("off"))
            return "CUDA: cuDNN is switched off by -Doxbow.cuda.dnn=off";
        for (Name n : List.of(Name.NVRTC, Name.BLAS_LT))
            find(n); // it looks for these by name, and ends the process without them
        Found found = find(Name.DNN);
        if (!found.isThere()) return "CUDA: " + found.missing();
        int version = Dnn.version();
        return version >= LEAST_DNN
                ? null
                : "CUDA: cuDNN %s is too old: convolutions need %s".formatted(text(version), text(LEAST_DNN));
    }

    /** Why cards of several processes can not exchange what lies on them, in one sentence; null where they can. */
    static String missingNccl() {
        Found found = find(Name.NCCL);
        if (!found.isThere()) return "CUDA: " + found.missing();
        MemorySegment version = found.symbols().find("ncclGetVersion").orElse(null);
        if (version == null) return "CUDA: %s is no NCCL: it has no ncclGetVersion".formatted(found.where());
        if (found.symbols().find("ncclCommInitRankConfig").isEmpty())
            return "CUDA: NCCL (%s) is too old: cards of several processes need %s"
                    .formatted(found.where(), text(LEAST_NCCL));
        return Nccl.version() >= LEAST_NCCL
                ? null
                : "CUDA: NCCL %s is too old: cards of several processes need %s"
                        .formatted(text(Nccl.version()), text(LEAST_NCCL));
    }

    /** A version of cuDNN or NCCL, such as 9.19.0. */
    static String text(int version) {
        return version / 10_000 + "." + version / 100 % 100 + "." + version % 100;
    }

    private static Found search(Name name) {
        List<String> problems = new ArrayList<>();
        if (name != Name.DRIVER) {
            for (Path folder : folders()) {
                for (String file : name.files) {
                    Path path = folder.resolve(file);
                    if (!Files.exists(path)) continue;
                    if (name == Name.NVRTC) // which asks the loader for these by name when it first compiles
                    for (Path more : list(folder, "libnvrtc-builtins.so.*")) load(more, new ArrayList<>());
                    SymbolLookup symbols = load(path, problems);
                    if (symbols != null) return new Found(symbols, path.toString(), null);
                }
            }
        }
        for (String file : name.files) {
            SymbolLookup symbols = load(file, problems);
            if (symbols != null) return new Found(symbols, file, null);
        }
        String why = "%s (%s) was not found%s"
                .formatted(
                        name.title,
                        name.files.getFirst(),
                        name == Name.DRIVER
                                ? " by the system's loader"
                                : " in -Doxbow.cuda.path, CUDA_HOME, the loader's path or Python's nvidia packages");
        return new Found(null, null, problems.isEmpty() ? why : why + ": " + problems.getFirst());
    }

    @SuppressWarnings("restricted")
    private static SymbolLookup load(Path file, List<String> problems) {
        try {
            return SymbolLookup.libraryLookup(file, Arena.global());
        } catch (IllegalArgumentException | IllegalCallerException e) {
            problems.add(e.getMessage());
            return null;
        }
    }

    @SuppressWarnings("restricted")
    private static SymbolLookup load(String name, List<String> problems) {
        try {
            return SymbolLookup.libraryLookup(name, Arena.global());
        } catch (IllegalArgumentException e) {
            return null; // the loader does not know it
        } catch (IllegalCallerException e) {
            problems.add(e.getMessage());
            return null;
        }
    }

    /** Where libraries may lie, the first that has one wins. */
    private static List<Path> folders() {
        Set<Path> all = new LinkedHashSet<>();
        String own = System.getProperty("oxbow.cuda.path", "");
        for (String p : own.split(File.pathSeparator)) if (!p.isBlank()) addHome(Path.of(p), all);
        for (String variable : List.of("CUDA_HOME", "CUDA_PATH")) {
            String home = System.getenv(variable);
            if (home != null && !home.isBlank()) addHome(Path.of(home), all);
        }
        addHome(Path.of("/usr/local/cuda"), all);
        for (String p : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
            if (!p.isBlank()) addPython(Path.of(p), all);
        return List.copyOf(all);
    }

    private static void addHome(Path home, Set<Path> all) {
        for (String sub : List.of("", "lib64", "lib", "targets/x86_64-linux/lib")) {
            Path folder = home.resolve(sub);
            if (Files.isDirectory(folder)) all.add(folder);
        }
    }

    /** The {@code nvidia} packages of the Python whose programs are in this folder. */
    private static void addPython(Path programs, Set<Path> all) {
        Path home = programs.getParent();
        if (home == null || !Files.exists(programs.resolve("python3"))) return;
        for (Path version : list(home.resolve("lib"), "python3*")) {
            for (String packages : List.of("site-packages", "dist-packages")) {
                for (Path part : list(version.resolve(packages).resolve("nvidia"), "*")) {
                    if (Files.isDirectory(part.resolve("lib"))) all.add(part.resolve("lib"));
                }
            }
        }
    }

    private static List<Path> list(Path folder, String pattern) {
        if (!Files.isDirectory(folder)) return List.of();
        List<Path> all = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, pattern)) {
            found.forEach(all::add);
        } catch (IOException e) {
            return List.of(); // a folder that can not be read holds nothing for us
        }
        all.sort(null);
        return all;
    }
}
