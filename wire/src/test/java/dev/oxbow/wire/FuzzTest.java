package dev.oxbow.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Seeded mutations of valid bytes: only OxbowException may come out, and no memory beyond the limits is taken. */
final class FuzzTest {
    private static final int MAX_BYTES = 1 << 20;

    private interface Reading {
        void read(byte[] bytes) throws IOException;
    }

    @Test
    void mutatedGraphs() throws IOException {
        byte[] valid = Fixtures.bytes("graph.pb");
        MemoryPool pool = new MemoryPool("fuzz", 1L << 30);
        int refused = mutate(valid, 4000, bytes -> {
            GraphDef graph = GraphParser.parse(bytes);
            GraphText.of(graph);
            for (NodeDef node : graph.getNodeList()) {
                for (AttrValue value : node.getAttrMap().values()) {
                    if (value.hasTensor())
                        TensorCodec.decode(value.getTensor(), MAX_BYTES, pool, "fuzz")
                                .release();
                }
            }
        });
        assertTrue(refused > 400, "refused " + refused);
        assertEquals(0, pool.bytesInUse());
        assertTrue(pool.peakBytes() <= 2 * MAX_BYTES, "peak " + pool.peakBytes());
    }

    @Test
    void mutatedTensors() throws IOException {
        for (DType dtype : DType.values()) {
            try (Tensor t = TensorCodecTest.random(dtype, Shape.of(2, 3))) {
                byte[] valid = TensorCodec.encode(t).toByteArray();
                mutate(
                        valid,
                        200,
                        bytes -> TensorCodec.parse(ByteBuffer.wrap(bytes), MAX_BYTES)
                                .close());
            }
        }
    }

    @Test
    void mutatedArrays() throws IOException {
        for (DType dtype : List.of(DType.F32, DType.C128, DType.STRING, DType.BOOL)) {
            try (Tensor t = TensorCodecTest.random(dtype, Shape.of(2, 3))) {
                var out = new ByteArrayOutputStream();
                Npy.write(out, t);
                mutate(out.toByteArray(), 500, bytes -> Npy.read(bytes).close());
            }
        }
    }

    @Test
    void mutatedIndexFiles(@TempDir Path directory) throws IOException {
        byte[] data = Fixtures.bytes("all.data-00000-of-00001");
        Path prefix = directory.resolve("x");
        long before = MemoryPool.shared().bytesInUse();
        mutate(Fixtures.bytes("all.index"), 500, bytes -> {
            CheckpointTest.write(prefix, bytes, data);
            CheckpointTest.readAll(prefix);
        });
        assertTrue(MemoryPool.shared().bytesInUse() <= before, "memory is given back");
    }

    @Test
    void mutatedBlocksWithRightChecksums() throws IOException {
        byte[] valid = Fixtures.bytes("all.index");
        ByteBuffer footer = ByteBuffer.wrap(valid, valid.length - 48, 40).slice();
        int dataSize = (int) Varint.read(footer, "") - 5; // the metaindex block follows the data block's trailer
        int refused = mutate(Arrays.copyOf(valid, dataSize), 3000, block -> {
            if (block.length != dataSize) return;
            byte[] file = valid.clone();
            System.arraycopy(block, 0, file, 0, dataSize);
            int crc = Checksum.masked(ByteBuffer.wrap(file, 0, dataSize + 1));
            ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).putInt(dataSize + 1, crc);
            SortedTable.read(ByteBuffer.wrap(file), "fuzz");
        });
        assertTrue(refused > 100, "refused " + refused);
    }

    @Test
    void mutatedEntriesWithRightChecksums(@TempDir Path directory) throws IOException {
        byte[] data = Fixtures.bytes("all.data-00000-of-00001");
        Path prefix = directory.resolve("x");
        var table = SortedTable.read(ByteBuffer.wrap(Fixtures.bytes("all.index")), "fuzz");
        List<String> keys = new ArrayList<>(table.keySet());
        long before = MemoryPool.shared().bytesInUse();
        for (int k = 0; k < keys.size(); k++) {
            String key = keys.get(k);
            byte[] value = bytes(table.get(key));
            mutate(value, 40, bytes -> {
                TreeMap<String, byte[]> changed = new TreeMap<>();
                table.forEach((name, v) -> changed.put(name, bytes(v)));
                changed.put(key, bytes);
                CheckpointTest.write(prefix, SortedTable.write(changed), data);
                CheckpointTest.readAll(prefix);
            });
        }
        assertTrue(MemoryPool.shared().bytesInUse() <= before, "memory is given back");
        long peak = MemoryPool.shared().peakBytes();
        assertTrue(peak < before + 64 * MAX_BYTES, "peak " + peak);
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    /** Reads {@code times} mutations of {@code valid}; how many of them were refused. */
    private static int mutate(byte[] valid, int times, Reading reading) throws IOException {
        int refused = 0;
        for (int seed = 0; seed < times; seed++) {
            byte[] bytes = mutated(valid, new Random(seed));
            try {
                reading.read(bytes);
            } catch (OxbowException e) {
                refused++;
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + ": " + e, e);
            }
        }
        return refused;
    }

    private static byte[] mutated(byte[] valid, Random random) {
        byte[] bytes = valid.clone();
        if (bytes.length == 0) return bytes;
        int changes = 1 + random.nextInt(4);
        for (int i = 0; i < changes && bytes.length > 0; i++) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(6)) {
                case 0 -> bytes[at] = (byte) random.nextInt();
                case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> bytes[at] = (byte) 0xff;
                case 3 -> Arrays.fill(bytes, at, Math.min(bytes.length, at + 9), (byte) 0xff);
                case 4 -> bytes = Arrays.copyOf(bytes, at);
                default -> System.arraycopy(bytes, at, bytes, 0, Math.min(8, bytes.length - at));
            }
        }
        return bytes;
    }
}
