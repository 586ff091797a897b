/**
 * A job of ranks as processes of this machine. Start with {@link dev.oxbow.net.launch.LocalJob}. The processes live no
 * longer than their launcher, and its {@link dev.oxbow.net.launch.Outcome} names the rank that failed first.
 */
package dev.oxbow.net.launch;
