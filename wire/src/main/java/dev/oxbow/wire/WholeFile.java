package dev.oxbow.wire;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Files that are there whole or not at all: written beside their place, forced to the disk, and then renamed. */
public final class WholeFile {
    private WholeFile() {}

    /** What goes into a file. */
    @FunctionalInterface
    public interface Content {
        void write(OutputStream to) throws IOException;
    }

    /** Writes a file; where that fails, what was there before stays and nothing else is left. */
    public static void write(Path file, Content content) {
        Path part = file.resolveSibling(
                "." + file.getFileName() + "." + ProcessHandle.current().pid() + ".part");
        try {
            try (FileChannel channel = FileChannel.open(
                            part,
                            StandardOpenOption.WRITE,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.TRUNCATE_EXISTING);
                    OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16)) {
                content.write(out);
                out.flush();
                channel.force(true);
            }
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw Messages.failed("files", file, e);
        } finally {
            part.toFile().delete();
        }
    }
}
