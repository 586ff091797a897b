package dev.oxbow.data.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.RecordFrame;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sources over files that are not of this machine. */
final class StoresTest {

    /** Files in memory, of which some can be listed but not read any more. */
    private static final class Bucket implements FileStore {
        private final Map<String, byte[]> files = new TreeMap<>();
        private int opened;

        private Bucket with(String name, byte[] content) {
            files.put(name, content);
            return this;
        }

        private Bucket with(String name, String text) {
            return with(name, text.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public List<String> list(String pattern) {
            String rule = Pattern.quote(pattern).replace("*", "\\E[^/]*\\Q");
            return files.keySet().stream().filter(f -> f.matches(rule)).toList();
        }

        @Override
        public long size(String file) throws IOException {
            return content(file).length;
        }

        @Override
        public InputStream open(String file, long offset) throws IOException {
            byte[] all = content(file);
            opened++;
            return new ByteArrayInputStream(all, (int) offset, all.length - (int) offset);
        }

        private byte[] content(String file) throws IOException {
            byte[] content = files.get(file);
            if (content == null || content.length == 0) throw new FileNotFoundException(file + " is in the cold");
            return content;
        }
    }

    private static <T> List<T> all(Pipeline<T> p) {
        List<T> all = new ArrayList<>();
        try (Feed<T> feed = p.open()) {
            feed.forEachRemaining(all::add);
        }
        return all;
    }

    private static byte[] records(int... lengths) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int n : lengths) RecordFrame.write(out, new byte[n]);
        return out.toByteArray();
    }

    @Test
    void aStoreOfOnesOwnServesRecordsLinesRowsAndImages() throws IOException {
        Bucket bucket = new Bucket()
                .with("s3/a-1.tfrecord", records(1, 2))
                .with("s3/a-2.tfrecord", records(3))
                .with("s3/b.txt", "one\ntwo\n")
                .with("s3/c.csv", "1.5,x\n2.5,y\n")
                .with("s3/photos/cat/1.png", "cat")
                .with("s3/photos/ant/1.png", "ant");
        assertEquals(
                List.of(1, 2, 3), all(TfRecords.in(bucket, "s3/a-*.tfrecord").map(r -> r.bytes().length)));
        assertEquals(List.of("one", "two"), all(Lines.in(bucket, "s3/b.txt").map(Record::text)));
        Csv csv = Csv.of(2).with(DType.F32, 0, 1).with(DType.STRING, 1, 1);
        List<Float> read = new ArrayList<>();
        try (var feed = csv.records(bucket, "s3/c.csv")
                        .map("csv", 0, csv)
                        .batch(2)
                        .open();
                var batch = feed.next()) {
            for (float f : batch.tensors().get(0).floats()) read.add(f);
            assertEquals(List.of("x", "y"), batch.tensors().get(1).strings());
        }
        assertEquals(List.of(1.5f, 2.5f), read);
        ImageFolder images = ImageFolder.in(bucket, "s3/photos");
        assertEquals(List.of("ant", "cat"), images.classes());
        assertEquals(
                List.of("ant 0", "cat 1"),
                all(images.images().map(i -> i.content().text() + " " + i.label())));
    }

    @Test
    void aFileIsOpenedWhenItsTurnHasComeAndOneThatIsGoneIsNamedInItsPlace() throws IOException {
        Bucket bucket = new Bucket()
                .with("a.tfrecord", records(1))
                .with("b.tfrecord", new byte[0])
                .with("c.tfrecord", records(2));
        try (Feed<Integer> feed = TfRecords.in(bucket, "*.tfrecord")
                .map(r -> r.bytes().length)
                .threads(0)
                .open()) {
            assertEquals(1, feed.next());
            assertEquals(1, bucket.opened);
            assertEquals(
                    "tfrecord: there is no file b.tfrecord",
                    assertThrows(OxbowException.class, feed::next).getMessage());
            assertEquals(2, feed.next());
        }
    }

    /** A store whose streams give few bytes at a time and never say how many more there are, as those of networks. */
    private static FileStore trickling(byte[] content, int most) {
        return new FileStore() {
            @Override
            public List<String> list(String pattern) {
                return List.of(pattern);
            }

            @Override
            public long size(String file) {
                return content.length;
            }

            @Override
            public InputStream open(String file, long offset) {
                InputStream all = new ByteArrayInputStream(content, (int) offset, content.length);
                return new InputStream() {
                    @Override
                    public int read() throws IOException {
                        return all.read();
                    }

                    @Override
                    public int read(byte[] to, int from, int count) throws IOException {
                        return all.read(to, from, Math.min(count, most));
                    }
                };
            }
        };
    }

    @Test
    void allMembersOfAGzippedFileAreReadWhateverAStoreSaysOfWhatIsLeft() throws IOException {
        ByteArrayOutputStream members = new ByteArrayOutputStream();
        int first = 0;
        for (int m = 0; m < 5; m++) {
            GZIPOutputStream zip = new GZIPOutputStream(members);
            for (int i = 0; i < 10; i++)
                zip.write("line %d.%d%n".formatted(m, i).getBytes(StandardCharsets.UTF_8));
            zip.finish();
            if (m == 0) first = members.size();
        }
        for (int most : new int[] {1, 7, first, 1 << 20})
            assertEquals(
                    50,
                    all(Lines.in(trickling(members.toByteArray(), most), "s3/x.gz"))
                            .size(),
                    "reads of " + most);
    }

    @Test
    void whatAStoreThrowsNamesTheFileAndTheNextOneFollows() {
        FileStore store = new FileStore() {
            @Override
            public List<String> list(String pattern) {
                return List.of("a/a/1.png", "a/b/2.png");
            }

            @Override
            public long size(String file) {
                return 4;
            }

            @Override
            public InputStream open(String file, long offset) {
                if (file.endsWith("1.png")) throw new IllegalStateException("no access");
                return new ByteArrayInputStream("two\n".getBytes(StandardCharsets.UTF_8));
            }
        };
        List<String> told = new ArrayList<>();
        assertEquals(
                List.of("two"), all(Lines.in(store, "*").map(Record::text).skipBad(e -> told.add(e.getMessage()))));
        assertEquals(
                1,
                all(ImageFolder.in(store, "a").images().skipBad(e -> told.add(e.getMessage())))
                        .size());
        assertEquals(
                List.of(
                        "lines: can not read a/a/1.png: java.lang.IllegalStateException: no access",
                        "read of element 0 of epoch 0: images: can not read a/a/1.png:"
                                + " java.lang.IllegalStateException: no access"),
                told);
    }

    @Test
    void patternsFollowLinksAndNamesMayHaveBrackets(@TempDir Path folder) throws IOException {
        Path there = Files.createDirectories(folder.resolve("there [2024]/cat"));
        Files.writeString(there.resolve("a{1}.png"), "a");
        Files.writeString(there.resolve("b.png"), "b");
        Path photos = Files.createDirectories(folder.resolve("photos"));
        Files.createSymbolicLink(photos.resolve("cat"), there);
        Files.createSymbolicLink(photos.resolve("lost"), folder.resolve("nowhere"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), photos);
        FileStore local = FileStore.local();
        assertEquals(List.of(link + "/cat/a{1}.png", link + "/cat/b.png"), local.list(link + "/*/*.png"));
        assertEquals(List.of(link + "/cat/a{1}.png"), local.list(link + "/c?t//a{1}.*"));
        assertEquals(List.of(link + "/cat/b.png"), local.list(link + "/cat/[b-d].png"));
        assertEquals(List.of(), local.list(link + "/*"));
        assertEquals(List.of(), local.list(folder + "/none/*"));
        assertEquals(List.of("cat"), ImageFolder.of(folder + "/there [2024]").classes());
        Path bracket = Files.writeString(folder.resolve("a[1].txt"), "one");
        assertEquals(List.of("one"), all(Lines.of(bracket.toString()).map(Record::text)));
    }
}
