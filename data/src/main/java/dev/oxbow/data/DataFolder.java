package dev.oxbow.data;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/** A folder with checked copies of data sets, one sub-folder for each. */
public record DataFolder(Path path) {

    /** The folder of this user: {@code -Doxbow.data}, {@code OXBOW_DATA}, or {@code oxbow} in the place for caches. */
    public static DataFolder ofUser() {
        String own = System.getProperty("oxbow.data", System.getenv("OXBOW_DATA"));
        String cache = System.getenv("XDG_CACHE_HOME");
        if (own != null && !own.isEmpty()) return new DataFolder(Path.of(own));
        Path base =
                cache != null && !cache.isEmpty() ? Path.of(cache) : Path.of(System.getProperty("user.home"), ".cache");
        return new DataFolder(base.resolve("oxbow"));
    }

    /** A file of a data set; fails with what to do where it was not fetched. */
    public Path file(DataSet set, String name) {
        Path file = path.resolve(set.name()).resolve(name);
        require(
                Files.isReadable(file),
                NOT_FOUND,
                "data: %s is not there; download %s and run ./oxbow data get %s --from FOLDER",
                file,
                set.home(),
                set.name());
        return file;
    }

    /** The file of a data set that has only one. */
    public Path file(DataSet set) {
        return file(set, set.files().keySet().iterator().next());
    }

    /** A file of a data set as text. */
    public String text(DataSet set, String name) {
        Path file = file(set, name);
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new OxbowException(FAILED_PRECONDITION, "data: can not read " + file + ": " + e, e);
        }
    }

    /** The file of a data set that has only one, as text. */
    public String text(DataSet set) {
        return text(set, set.files().keySet().iterator().next());
    }

    /** Gets the files of a data set from the first of its known mirrors that has them, checks them and keeps copies. */
    public List<Path> fetch(DataSet set) {
        StringJoiner reasons = new StringJoiner("; ");
        for (String mirror : set.mirrors()) {
            try {
                return fetch(set, mirror);
            } catch (OxbowException e) {
                reasons.add(e.text());
            }
        }
        throw new OxbowException(
                NOT_FOUND,
                "data: no mirror gives %s (%s); download %s and run ./oxbow data get %s --from FOLDER"
                        .formatted(set.name(), reasons, set.home(), set.name()));
    }

    /**
     * Takes the files of a data set from a folder, or from where one of them is, checks them and keeps copies. Where there is
     * only one, a file may have any name. The place is a path, or an address that begins with http.
     */
    public List<Path> fetch(DataSet set, String from) {
        if (!Download.isAddress(from)) return fetch(set, Path.of(from));
        boolean single = set.files().size() == 1 && !from.endsWith("/");
        String folder = from.substring(0, from.lastIndexOf('/') + 1);
        return keep(set, name -> single ? from : folder + name, Download::get);
    }

    /** As above, from a path. */
    public List<Path> fetch(DataSet set, Path from) {
        boolean single = set.files().size() == 1 && !Files.isDirectory(from);
        Path folder = Files.isDirectory(from) ? from : from.toAbsolutePath().getParent();
        return keep(set, name -> (single ? from : folder.resolve(name)).toString(), (source, part) -> {
            require(Files.isReadable(Path.of(source)), NOT_FOUND, "data: there is no file %s", source);
            Files.copy(Path.of(source), part, StandardCopyOption.REPLACE_EXISTING);
        });
    }

    private interface Copying {
        void copy(String source, Path part) throws IOException;
    }

    private List<Path> keep(DataSet set, UnaryOperator<String> places, Copying copying) {
        Path to = path.resolve(set.name());
        for (String name : new TreeSet<>(set.files().keySet())) {
            String source = places.apply(name);
            Path part = null;
            try {
                Files.createDirectories(to);
                part = Files.createTempFile(to, name, ".part");
                copying.copy(source, part);
                String sum = md5(part), wanted = set.files().get(name);
                require(sum.equals(wanted), DATA_LOSS, "data: %s has MD5 %s, wanted is %s", source, sum, wanted);
                Files.move(part, to.resolve(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } catch (IOException e) {
                throw new OxbowException(
                        FAILED_PRECONDITION,
                        "data: can not keep %s in %s: %s"
                                .formatted(source, to, part == null ? e.toString() : e.getMessage()),
                        e);
            } finally {
                if (part != null) part.toFile().delete();
            }
        }
        return set.files().keySet().stream().sorted().map(to::resolve).toList();
    }

    private static String md5(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("MD5");
            byte[] chunk = new byte[1 << 16];
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) digest.update(chunk, 0, n);
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
