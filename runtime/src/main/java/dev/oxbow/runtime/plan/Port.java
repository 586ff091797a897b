package dev.oxbow.runtime.plan;

/** One output of an instruction of a region. */
record Port(int instruction, int output) {}
