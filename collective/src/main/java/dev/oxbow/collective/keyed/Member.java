package dev.oxbow.collective.keyed;

/**
 * A device that takes part in collectives.
 *
 * @param device its full name
 * @param incarnation another number each time it comes to life
 */
public record Member(String device, String type, long incarnation) {}
