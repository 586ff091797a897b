/** An op that waits, for tests of placement. */
package dev.oxbow.cluster.server.waits;
