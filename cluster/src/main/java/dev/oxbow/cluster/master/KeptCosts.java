package dev.oxbow.cluster.master;

import com.google.protobuf.CodedOutputStream;
import dev.oxbow.runtime.compile.CostModel;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.WholeFile;
import dev.oxbow.wire.proto.GraphDef;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What graphs cost, by graph: in memory, and in files of a folder where there is one, for the next life of the task. */
final class KeptCosts {
    private static final Logger LOG = LoggerFactory.getLogger(KeptCosts.class);

    /** How many graphs' costs are kept; those that were used last. */
    private static final int GRAPHS = 64;

    private static final Pattern FILE = Pattern.compile("graph-[0-9a-f]{32}\\.costs");

    private final Path folder;
    private final Map<String, CostModel> models = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, CostModel> eldest) {
            return size() > GRAPHS;
        }
    };

    /** How many runs the files know of, by graph. */
    private final Map<String, Long> written = new HashMap<>();

    /** {@code folder} may be null. */
    KeptCosts(Path folder) {
        this.folder = folder;
    }

    /** What is known of a graph: of earlier sessions with the same one, too. */
    synchronized CostModel of(GraphDef def) {
        return models.computeIfAbsent(name(def), this::read);
    }

    /** A name that tells graphs apart, of this process and of others. */
    private static String name(GraphDef def) {
        byte[] bytes = new byte[def.getSerializedSize()];
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.useDeterministicSerialization(); // attributes are a map, in any order
        try {
            def.writeTo(out);
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return "graph-%s.costs".formatted(HexFormat.of().formatHex(hash, 0, 16));
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new AssertionError("bytes take what fits, and every Java has the digest", e);
        }
    }

    private CostModel read(String name) {
        written.remove(name);
        if (folder == null || !Files.exists(folder.resolve(name))) return new CostModel();
        Path file = folder.resolve(name);
        try {
            CheckedInputStream in =
                    new CheckedInputStream(new ByteArrayInputStream(Files.readAllBytes(file)), new CRC32C());
            DataInputStream data = new DataInputStream(in);
            CostModel m = CostModel.read(data);
            long sum = in.getChecksum().getValue();
            if (data.readLong() != sum) throw new IOException("its checksum is another");
            return m;
        } catch (IOException e) {
            LOG.warn("costs: {} is not used: {}", file, e.toString());
            return new CostModel();
        }
    }

    /** Writes what was learnt since the last time; where that fails a line of the log says so. */
    synchronized void save() {
        if (folder == null) return;
        models.forEach((name, m) -> {
            long runs = m.runs();
            if (runs == written.getOrDefault(name, 0L)) return;
            try {
                Files.createDirectories(folder);
                write(folder.resolve(name), m);
                written.put(name, runs);
                makeRoom();
            } catch (IOException | OxbowException e) {
                LOG.warn("costs: {} can not be written: {}", folder.resolve(name), e.getMessage());
            }
        });
    }

    private static void write(Path file, CostModel m) {
        WholeFile.write(file, to -> {
            CheckedOutputStream out = new CheckedOutputStream(to, new CRC32C());
            DataOutputStream data = new DataOutputStream(out);
            m.write(data);
            data.flush();
            data.writeLong(out.getChecksum().getValue());
            data.flush();
        });
    }

    private void makeRoom() throws IOException {
        record Aged(Path file, FileTime time) {}
        List<Aged> all;
        try (Stream<Path> files = Files.list(folder)) {
            all = files.filter(f -> FILE.matcher(f.getFileName().toString()).matches())
                    .map(f -> new Aged(f, FileTime.fromMillis(f.toFile().lastModified())))
                    .sorted(Comparator.comparing(Aged::time))
                    .toList();
        }
        for (int i = 0; i < all.size() - GRAPHS; i++) Files.deleteIfExists(all.get(i).file);
    }
}
