/** Stages that turn one graph into another: pure, linear, each tested alone. */
package dev.oxbow.graph.pass;
