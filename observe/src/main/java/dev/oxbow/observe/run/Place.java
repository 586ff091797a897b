package dev.oxbow.observe.run;

/** Where a record is: the number of its file, and the byte at which it begins. */
public record Place(long step, double seconds, int file, long offset) {}
