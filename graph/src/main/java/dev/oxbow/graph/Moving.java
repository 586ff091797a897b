package dev.oxbow.graph;

/** An op that copies elements from place to place and does little more than to look at each once. */
public interface Moving extends Op {}
