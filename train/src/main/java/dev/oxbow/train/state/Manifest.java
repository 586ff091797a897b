package dev.oxbow.train.state;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.WholeFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/** What a checkpoint consists of, as JSON beside its files: where the run was, and size and CRC-32C of each file. */
record Manifest(int version, Position position, Map<String, String> notes, List<File> files) {
    private static final String NAME = "manifest.json";
    private static final String NOTE = ".written";
    private static final int VERSION = 1;
    private static final long MOST_BYTES = 1 << 24;
    private static final Gson GSON = new GsonBuilder().setPrettyPrinting().create();

    /** A file of the checkpoint; the checksum is in hexadecimal. */
    record File(String name, long bytes, String crc32c) {

        static File of(Path folder, String name) throws IOException {
            Path file = folder.resolve(name);
            return new File(name, Files.size(file), checksum(file));
        }
    }

    static Manifest of(Position position, Map<String, String> notes, List<File> files) {
        return new Manifest(VERSION, position, new TreeMap<>(notes), files);
    }

    /** Leaves a note beside a file that is written: its size and checksum. */
    static void note(Path folder, String name) {
        try {
            byte[] text = GSON.toJson(File.of(folder, name)).getBytes(StandardCharsets.UTF_8);
            WholeFile.write(folder.resolve(name + NOTE), out -> out.write(text));
        } catch (IOException e) {
            throw Checkpoints.failed("can not read " + folder.resolve(name), e);
        }
    }

    /** What the note beside a file says, which goes; nothing where there is none yet. */
    static Optional<File> noted(Path folder, String name) throws IOException {
        Path note = folder.resolve(name + NOTE);
        if (!Files.exists(note)) return Optional.empty();
        File f = GSON.fromJson(Files.readString(note), File.class);
        Files.delete(note);
        return Optional.of(f);
    }

    void write(Path folder) {
        byte[] text = GSON.toJson(this).getBytes(StandardCharsets.UTF_8);
        WholeFile.write(folder.resolve(NAME), out -> out.write(text));
    }

    static Manifest read(Path folder) {
        Path file = folder.resolve(NAME);
        try {
            require(Files.size(file) <= MOST_BYTES, DATA_LOSS, "checkpoints: %s has %d bytes", file, Files.size(file));
            Manifest m = GSON.fromJson(Files.readString(file), Manifest.class);
            require(
                    m != null && m.version == VERSION && m.position != null && m.files != null && m.notes != null,
                    DATA_LOSS,
                    "checkpoints: %s is no manifest of version %d",
                    file,
                    VERSION);
            return m;
        } catch (JsonParseException e) {
            throw new OxbowException(DATA_LOSS, "checkpoints: %s is malformed: %s".formatted(file, e.getMessage()), e);
        } catch (IOException e) {
            throw Checkpoints.failed("can not read " + file, e);
        }
    }

    /** Fails unless every file is as it was written. */
    void check(Path folder) {
        for (File f : files) {
            try {
                require(
                        !f.name.contains("/") && !f.name.contains("\\") && !f.name.equals(".."),
                        DATA_LOSS,
                        "checkpoints: the manifest of %s names a file elsewhere: %s",
                        folder,
                        f.name);
                File now = File.of(folder, f.name);
                require(
                        now.equals(f),
                        DATA_LOSS,
                        "checkpoints: %s has %d bytes with checksum %s, written were %d with %s",
                        folder.resolve(f.name),
                        now.bytes,
                        now.crc32c,
                        f.bytes,
                        f.crc32c);
            } catch (IOException e) {
                throw Checkpoints.failed("can not read " + folder.resolve(f.name), e);
            }
        }
    }

    private static String checksum(Path file) throws IOException {
        CRC32C sum = new CRC32C();
        try (InputStream in = Files.newInputStream(file)) {
            byte[] chunk = new byte[1 << 16];
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) sum.update(chunk, 0, n);
        }
        return "%08x".formatted(sum.getValue());
    }
}
