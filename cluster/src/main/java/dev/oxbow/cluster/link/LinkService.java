package dev.oxbow.cluster.link;

import com.google.protobuf.StringValue;
import dev.oxbow.cluster.rpc.Methods;
import dev.oxbow.cluster.rpc.Service;
import dev.oxbow.cluster.rpc.Traffic;

/** Tells other tasks where the links of this one are. */
public final class LinkService {
    private LinkService() {}

    /** {@code links} may be null: then it says that there are none. */
    public static Service of(Links links, Traffic traffic) {
        StringValue place = StringValue.of(links == null ? "" : "%d %x".formatted(links.port(), links.incarnation()));
        return new Service(Methods.CLUSTER, traffic).on(Methods.LINK_PLACE, (_, call) -> call.answer(place));
    }
}
