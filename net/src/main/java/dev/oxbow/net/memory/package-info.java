/**
 * Ranks that are threads of one process. Start with {@link dev.oxbow.net.memory.Network}. A link is a ring of bytes
 * each way; memory that ranks share is sent by reference.
 */
package dev.oxbow.net.memory;
