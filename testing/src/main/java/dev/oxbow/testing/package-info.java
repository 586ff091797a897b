/**
 * What tests stand on: devices that misbehave, gradients by differences, settings. Start with {@link
 * dev.oxbow.testing.Setting}, the ways in which every suite must give the same answers. {@link
 * dev.oxbow.testing.QueueDevice} has memory that the host can not address, so that nothing is written against host
 * addresses.
 */
package dev.oxbow.testing;
