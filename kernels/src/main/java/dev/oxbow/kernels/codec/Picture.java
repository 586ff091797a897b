package dev.oxbow.kernels.codec;

/** Samples of an image, row by row, with the channels of a pixel beside each other. */
public record Picture(int width, int height, int channels, byte[] samples) {}
