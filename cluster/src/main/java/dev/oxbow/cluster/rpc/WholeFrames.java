package dev.oxbow.cluster.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Hands on what a connection reads in whole frames of HTTP/2. Its decoder keeps slices of what it was given, and copies the next
 * megabyte behind the rest of a frame that was cut in the middle; here only that one frame is put together.
 */
final class WholeFrames extends ChannelInboundHandlerAdapter {
    private static final int HEADER = 9;

    /** The longest content of a frame that both sides agree on where nobody says otherwise (RFC 9113, 4.2). */
    private static final int MOST = 1 << 14;

    /** What a client says before its first frame. */
    private static final int PREFACE = 24;

    /** Bytes that are no frames, and go on as they come. */
    private long before;

    /** The frame of which a part is still to come. */
    private ByteBuf cut;

    private WholeFrames(int before) {
        this.before = before;
    }

    static void ofClient(Channel c) {
        c.pipeline().addFirst(new WholeFrames(0));
    }

    static void ofServer(Channel c) {
        c.pipeline().addFirst(new WholeFrames(PREFACE));
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        if (cut != null) complete(context, in);
        if (before > 0 && in.isReadable()) {
            int n = (int) Math.min(before, in.readableBytes());
            before -= n;
            context.fireChannelRead(in.readRetainedSlice(n));
        }
        int whole = wholeFrames(in);
        if (whole == in.readableBytes() && whole > 0) {
            context.fireChannelRead(in);
            return;
        }
        if (whole > 0) context.fireChannelRead(in.readRetainedSlice(whole));
        if (in.isReadable()) {
            cut = context.alloc().directBuffer(HEADER + MOST);
            cut.writeBytes(in);
        }
        in.release();
    }

    /** Takes what the frame lacks that was cut. */
    private void complete(ChannelHandlerContext context, ByteBuf in) {
        take(in, HEADER);
        if (cut.readableBytes() < HEADER) return;
        int length = length(cut, cut.readerIndex());
        if (length > HEADER + MOST) before = Long.MAX_VALUE;
        else {
            take(in, length);
            if (cut.readableBytes() < length) return;
        }
        ByteBuf frame = cut;
        cut = null;
        context.fireChannelRead(frame);
    }

    private void take(ByteBuf in, int length) {
        int n = Math.min(length - cut.readableBytes(), in.readableBytes());
        if (n > 0) cut.writeBytes(in, n);
    }

    /** How many bytes whole frames have at the start; all, where a frame is too long: the decoder refuses it. */
    private int wholeFrames(ByteBuf in) {
        int from = in.readerIndex(), at = from, end = in.writerIndex();
        while (end - at >= HEADER) {
            int length = length(in, at);
            if (length > HEADER + MOST) {
                before = Long.MAX_VALUE;
                return end - from;
            }
            if (length > end - at) break;
            at += length;
        }
        return at - from;
    }

    private static int length(ByteBuf b, int at) {
        return HEADER + b.getUnsignedMedium(at);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (cut != null) cut.release();
        cut = null;
    }
}
