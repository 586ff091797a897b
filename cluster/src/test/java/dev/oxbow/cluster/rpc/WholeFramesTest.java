package dev.oxbow.cluster.rpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Bytes of a connection, cut anywhere, go on in order and never in the middle of a frame. */
final class WholeFramesTest {
    private static final int PREFACE = 24, HEADER = 9;

    private static void frame(ByteBuf to, int length, Random random) {
        byte[] content = new byte[length];
        random.nextBytes(content);
        to.writeMedium(length).writeByte(0).writeByte(0).writeInt(1).writeBytes(content);
    }

    /** Reads the bytes in pieces of random lengths, and gives what went on. */
    private static List<byte[]> passed(EmbeddedChannel channel, byte[] bytes, Random random, int most) {
        List<byte[]> all = new ArrayList<>();
        for (int at = 0, n; at < bytes.length; at += n) {
            n = Math.min(bytes.length - at, 1 + random.nextInt(most));
            channel.writeInbound(Unpooled.copiedBuffer(bytes, at, n));
            for (ByteBuf b = channel.readInbound(); b != null; b = channel.readInbound()) {
                all.add(ByteBufUtil.getBytes(b));
                b.release();
            }
        }
        return all;
    }

    private static byte[] together(List<byte[]> parts) {
        ByteBuf all = Unpooled.buffer();
        parts.forEach(all::writeBytes);
        return ByteBufUtil.getBytes(all);
    }

    @Test
    void framesThatAreCutAnywhereGoOnWhole() {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            ByteBuf sent = Unpooled.buffer();
            for (int i = 0; i < 40; i++) frame(sent, random.nextInt(5) == 0 ? 1 << 14 : random.nextInt(300), random);
            EmbeddedChannel channel = new EmbeddedChannel();
            WholeFrames.ofClient(channel);
            byte[] bytes = ByteBufUtil.getBytes(sent);
            List<byte[]> parts = passed(channel, bytes, random, seed % 2 == 0 ? 20 : 60_000);
            for (byte[] part : parts) {
                int at = 0;
                while (at < part.length)
                    at += HEADER + Unpooled.wrappedBuffer(part).getUnsignedMedium(at);
                assertEquals(part.length, at, "seed " + seed);
            }
            assertArrayEquals(bytes, together(parts), "seed " + seed);
            channel.close();
        }
    }

    @Test
    void whatAClientSaysBeforeItsFramesGoesOnAsItComes() {
        Random random = new Random(1);
        ByteBuf sent = Unpooled.buffer().writeZero(PREFACE);
        for (int i = 0; i < 10; i++) frame(sent, 1_000, random);
        EmbeddedChannel channel = new EmbeddedChannel();
        WholeFrames.ofServer(channel);
        byte[] bytes = ByteBufUtil.getBytes(sent);
        List<byte[]> parts = passed(channel, bytes, random, 10);
        assertTrue(parts.getFirst().length <= 10, "the first piece waits for nothing");
        assertArrayEquals(bytes, together(parts));
    }

    @Test
    void aFrameThatIsTooLongGoesOnAsItComesForTheDecoderToRefuse() {
        for (int most : new int[] {5, 1 << 20}) {
            ByteBuf sent = Unpooled.buffer();
            frame(sent, (1 << 14) + 1, new Random(2));
            frame(sent, 100, new Random(3));
            EmbeddedChannel channel = new EmbeddedChannel();
            WholeFrames.ofClient(channel);
            byte[] bytes = ByteBufUtil.getBytes(sent);
            assertArrayEquals(bytes, together(passed(channel, bytes, new Random(4), most)));
        }
    }

    @Test
    void thePartOfAFrameThatNeverCompletesIsGivenBack() {
        EmbeddedChannel channel = new EmbeddedChannel();
        WholeFrames.ofClient(channel);
        ByteBuf sent = Unpooled.buffer().writeMedium(100).writeZero(50);
        channel.writeInbound(sent);
        assertEquals(0, sent.refCnt());
        assertTrue(channel.inboundMessages().isEmpty());
        channel.close();
        assertTrue(channel.inboundMessages().isEmpty());
    }
}
