/**
 * Images as files: JPEG, PNG, GIF and BMP from bytes to samples, JPEG and PNG back. Decoders take arrays that they do not trust:
 * what is wrong is an error that names the byte and the rule, and no memory is taken that the size of the file does not justify.
 * Results are those of libjpeg, bit for bit, so that decoders can be changed for each other. Start with {@link
 * dev.oxbow.kernels.codec.JpegDecoder}.
 */
package dev.oxbow.kernels.codec;
