package dev.oxbow.cluster.rpc;

import dev.oxbow.net.TlsConfig;
import dev.oxbow.net.Token;

/**
 * Who may talk to whom.
 *
 * @param tls the certificates of the cluster; null where connections are in the clear
 * @param token the secret of the cluster; {@link Token#NONE} where anybody may call
 */
public record Security(TlsConfig tls, Token token) {
    /** In the clear, for anybody: for one machine, or a network that is trusted. */
    public static final Security NONE = new Security(null, Token.NONE);
}
