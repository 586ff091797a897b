package dev.oxbow.cluster.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.net.ProtocolException;

/**
 * Waits for what a server says first to a client without certificates. One that wants TLS says an alert of that, or nothing, and
 * hangs up, of which HTTP/2 makes no sense.
 */
final class Greeting extends ChannelInboundHandlerAdapter {
    /** How a record of TLS with an alert begins (RFC 8446, 5.1). */
    private static final int ALERT = 21, MAJOR = 3;

    static void await(Channel c) {
        c.pipeline().addFirst(new Greeting());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        int from = in.readerIndex();
        if (in.readableBytes() > 1 && in.getByte(from) == ALERT && in.getByte(from + 1) == MAJOR) {
            ReferenceCountUtil.release(message);
            refuse(context, "the port wants TLS, the caller has no certificates");
            context.close();
            return;
        }
        context.pipeline().remove(this);
        context.fireChannelRead(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        refuse(
                context,
                "the port hung up before it said anything, as one does that wants TLS; the caller has no certificates");
        context.fireChannelInactive();
    }

    private static void refuse(ChannelHandlerContext context, String why) {
        context.fireExceptionCaught(new ProtocolException(why));
    }
}
