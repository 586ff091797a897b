package dev.oxbow.data.image;

/** In which order the dimensions of an image stand. */
public enum ImageLayout {
    /** Rows, columns, channels, as TensorFlow has it. */
    HWC,
    /** Channels, rows, columns, as PyTorch has it. */
    CHW
}
