package dev.oxbow.data.source;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** The files of this machine. */
final class LocalFiles implements FileStore {
    static final LocalFiles ALL = new LocalFiles();

    private static final String WILD = "*?[";

    private LocalFiles() {}

    /** A pattern that only this name matches. */
    static String quoted(String name) {
        return name.replaceAll("[*?\\[]", "[$0]");
    }

    @Override
    public List<String> list(String pattern) throws IOException {
        if (new File(pattern).exists()) return List.of(pattern); // be there a bracket in its name
        int wild = 0;
        while (wild < pattern.length() && WILD.indexOf(pattern.charAt(wild)) < 0) wild++;
        if (wild == pattern.length()) return List.of();
        int slash = pattern.lastIndexOf('/', wild);
        List<Path> found = List.of(Path.of(slash < 0 ? "" : pattern.substring(0, slash + 1)));
        String[] names = pattern.substring(slash + 1).split("/+");
        for (String name : names) {
            List<Path> next = new ArrayList<>();
            for (Path folder : found) if (Files.isDirectory(folder)) next.addAll(matching(folder, name));
            found = next;
        }
        return found.stream()
                .filter(Files::isRegularFile)
                .map(Path::toString)
                .sorted()
                .toList();
    }

    /** What is in a folder under the names of a pattern; links to folders and files are followed. */
    private static List<Path> matching(Path folder, String name) throws IOException {
        PathMatcher matcher = FileSystems.getDefault()
                .getPathMatcher("glob:" + name.replace("{", "\\{").replace("}", "\\}"));
        List<Path> all = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path p : files) if (matcher.matches(p.getFileName())) all.add(p);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return all;
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
