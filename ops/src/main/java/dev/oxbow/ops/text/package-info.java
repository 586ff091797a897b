/**
 * Ops on strings of bytes: splitting, joining, numbers, regular expressions, Unicode, hashes. Start with {@code
 * Strings}. A string is bytes; only ops that say so read it as UTF-8.
 */
package dev.oxbow.ops.text;
