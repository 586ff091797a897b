/**
 * {@link dev.oxbow.net.ring.Ring}: a queue of bytes from one writer to one reader in memory that two processes may
 * share, with two counters and no lock. What the other side writes is checked before it is believed.
 */
package dev.oxbow.net.ring;
