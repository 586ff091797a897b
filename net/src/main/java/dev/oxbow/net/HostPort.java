package dev.oxbow.net;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

/** Where a rank listens: {@code 10.0.0.7:4711}, {@code worker-0.train:4711} or {@code [::1]:4711}. */
public record HostPort(String host, int port) {
    public HostPort {
        require(!host.isBlank() && host.length() <= 255, INVALID_ARGUMENT, "address: bad host \"%s\"", host);
        require(port >= 0 && port <= 65535, INVALID_ARGUMENT, "address: port %d is not within 0..65535", port);
    }

    /** Reads {@code host:port}; a host with colons of its own stands in brackets. */
    public static HostPort parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        if (bracketed) host = host.substring(1, host.length() - 1);
        boolean digits = colon >= 0 && text.substring(colon + 1).matches("[0-9]{1,5}");
        require(
                digits && !host.isEmpty() && (bracketed || host.indexOf(':') < 0),
                INVALID_ARGUMENT,
                "address: \"%s\" is not host:port",
                text);
        return new HostPort(host, Integer.parseInt(text.substring(colon + 1)));
    }

    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
