/**
 * Arithmetic on quantised numbers: levels of few bits that stand for what is between two limits, which go along with
 * them. Start with {@code Levels}, which says what a level stands for; {@code Ranged} is an op with such outputs. Ops
 * between floats and levels are in {@code math}.
 */
package dev.oxbow.ops.quantised;
