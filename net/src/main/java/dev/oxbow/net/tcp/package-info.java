/**
 * Ranks that are connected by TCP, each with each, plain or under TLS 1.3. Start with {@link dev.oxbow.net.tcp.Network}
 * and {@code Introduction}, the proof that both ends know the token. Before that proof a connection holds little, and
 * not for long. {@link dev.oxbow.net.tcp.Switchboard} connects processes that are no ranks of one job: they come, go and
 * restart, and are dialled when they are wanted.
 */
package dev.oxbow.net.tcp;
