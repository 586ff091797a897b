package dev.oxbow.parquet;

import io.airlift.compress.v3.Decompressor;
import io.airlift.compress.v3.lz4.Lz4JavaDecompressor;
import io.airlift.compress.v3.snappy.SnappyJavaDecompressor;
import io.airlift.compress.v3.zstd.ZstdJavaDecompressor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;
import org.apache.parquet.bytes.ByteBufferInputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
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
        ByteBuffer decompress(ByteBuffer from, int size) throws IOException;
    }

    private static ByteBuffer unzipped(ByteBuffer from, int size) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(ByteBufferInputStream.wrap(from))) {
            return ByteBuffer.wrap(in.readNBytes(size));
        }
    }

    private static ByteBuffer by(Decompressor codec, ByteBuffer from, int size) {
        byte[] to = new byte[size];
        int n = codec.decompress(MemorySegment.ofBuffer(from), MemorySegment.ofArray(to));
        return ByteBuffer.wrap(to, 0, n);
    }

    private record Plain(Codec codec) implements BytesInputDecompressor {

        @Override
        public BytesInput decompress(BytesInput from, int size) throws IOException {
            return BytesInput.from(
                    decompressed(from.toByteBuffer(HeapByteBufferAllocator.getInstance(), _ -> {}), size));
        }

        @Override
        public void decompress(ByteBuffer from, int compressed, ByteBuffer to, int size) throws IOException {
            to.put(decompressed(from.slice(from.position(), compressed), size));
            from.position(from.position() + compressed);
        }

        private ByteBuffer decompressed(ByteBuffer from, int size) throws IOException {
            int bytes = from.remaining();
            if (size < 0 || size > Math.max(LEAST_BOUND, MOST_RATIO * bytes))
                throw new IOException("a page of %d bytes can not hold %d".formatted(bytes, size));
            ByteBuffer to = codec.decompress(from, size);
            if (to.remaining() != size)
                throw new IOException("a page holds %d bytes, wanted are %d".formatted(to.remaining(), size));
            return to;
        }

        @Override
        public void release() {}
    }
}
