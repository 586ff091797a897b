/**
 * Ranks that are processes of one host, through memory that they share. Start with {@link dev.oxbow.net.shm.Network};
 * {@link dev.oxbow.net.shm.Mixed} joins it with another network between hosts. A region is a file that is unlinked once
 * all have mapped it: a crash leaves nothing. A {@link dev.oxbow.net.shm.Lane} goes one way between two processes that have
 * a connection besides.
 */
package dev.oxbow.net.shm;
