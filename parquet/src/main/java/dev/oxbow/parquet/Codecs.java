package dev.oxbow.parquet;

import io.airlift.compress.v3.Decompressor;
import io.airlift.compress.v3.lz4.Lz4JavaDecompressor;
import io.airlift.compress.v3.snappy.SnappyJavaDecompressor;
import io.airlift.compress.v3.zstd.ZstdJavaDecompressor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;

/** How pages are decompressed, without Hadoop's codecs; none of it holds native code or state. */
final class Codecs implements CompressionCodecFactory {
    /** Pages are about 1 MB; what says that it is far larger than its bytes can be is broken. */
    private static final long LEAST_BOUND = 1 << 20, MOST_RATIO = 4096;

    @Override
    public BytesInputCompressor getCompressor(CompressionCodecName name) {
        throw new UnsupportedOperationException("nothing is written here");
    }

    @Override
    public BytesInputDecompressor getDecompressor(CompressionCodecName name) {
        return switch (name) {
            case UNCOMPRESSED -> new Plain((from, _) -> from);
            case GZIP -> new Plain(Codecs::unzipped);
            case SNAPPY -> new Plain((from, size) -> by(new SnappyJavaDecompressor(), from, size));
            case ZSTD -> new Plain((from, size) -> by(new ZstdJavaDecompressor(), from, size));
            case LZ4_RAW -> new Plain((from, size) -> by(new Lz4JavaDecompressor(), from, size));
            default ->
                throw new IllegalArgumentException(
                        "compression %s is not supported, only GZIP, SNAPPY, ZSTD and LZ4_RAW".formatted(name));
        };
    }

    @Override
    public void release() {}

    private interface Codec {
        byte[] decompress(byte[] from, int size) throws IOException;
    }

    private static byte[] unzipped(byte[] from, int size) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(from))) {
            return in.readNBytes(size);
        }
    }

    private static byte[] by(Decompressor codec, byte[] from, int size) {
        byte[] to = new byte[size];
        int n = codec.decompress(from, 0, from.length, to, 0, size);
        return n == size ? to : new byte[0];
    }

    private record Plain(Codec codec) implements BytesInputDecompressor {

        @Override
        public BytesInput decompress(BytesInput from, int size) throws IOException {
            byte[] bytes = from.toInputStream().readAllBytes();
            if (size < 0 || size > Math.max(LEAST_BOUND, MOST_RATIO * bytes.length))
                throw new IOException("a page of %d bytes can not hold %d".formatted(bytes.length, size));
            byte[] to = codec.decompress(bytes, size);
            if (to.length != size)
                throw new IOException("a page holds %d bytes, wanted are %d".formatted(to.length, size));
            return BytesInput.from(to);
        }

        @Override
        public void decompress(ByteBuffer from, int compressed, ByteBuffer to, int size) throws IOException {
            byte[] bytes = new byte[compressed];
            from.get(bytes);
            to.put(decompress(BytesInput.from(bytes), size).toInputStream().readAllBytes());
        }

        @Override
        public void release() {}
    }
}
