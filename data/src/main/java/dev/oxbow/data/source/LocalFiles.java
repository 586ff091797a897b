package dev.oxbow.data.source;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** The files of this machine. */
final class LocalFiles implements FileStore {
    static final LocalFiles ALL = new LocalFiles();

    private LocalFiles() {}

    @Override
    public List<String> list(String pattern) throws IOException {
        int wild = 0;
        while (wild < pattern.length() && "*?[".indexOf(pattern.charAt(wild)) < 0) wild++;
        if (wild == pattern.length()) return Files.exists(Path.of(pattern)) ? List.of(pattern) : List.of();
        int slash = pattern.lastIndexOf('/', wild);
        Path root = Path.of(slash < 0 ? "." : slash == 0 ? "/" : pattern.substring(0, slash));
        if (!Files.isDirectory(root)) return List.of();
        String rest = pattern.substring(slash + 1);
        PathMatcher matcher = FileSystems.getDefault()
                .getPathMatcher("glob:" + rest.replace("{", "\\{").replace("}", "\\}"));
        int depth = 1 + (int) rest.chars().filter(c -> c == '/').count();
        try (Stream<Path> all = Files.walk(root, depth)) {
            return all.filter(p -> !p.equals(root) && matcher.matches(root.relativize(p)) && Files.isRegularFile(p))
                    .map(p -> slash < 0 ? root.relativize(p).toString() : p.toString())
                    .sorted()
                    .toList();
        }
    }

    @Override
    public long size(String file) throws IOException {
        return Files.size(Path.of(file));
    }

    @Override
    public InputStream open(String file, long offset) throws IOException {
        FileChannel channel = FileChannel.open(Path.of(file), StandardOpenOption.READ);
        channel.position(offset);
        return Channels.newInputStream(channel);
    }
}
