package dev.oxbow.kernels;

import dev.oxbow.tensor.DType;
import java.util.List;
import java.util.Optional;

/**
 * Kernels of native libraries, provided by an optional module and found by ServiceLoader. Nothing is loaded before it
 * is asked for, what cannot be loaded is absent, and every call works on the calling thread alone.
 */
public interface NativeLibrary {

    /** The product of f32 or f64 matrices; the first call for a dtype loads the library behind it. */
    Optional<Multiplier> product(DType dtype);

    /**
     * The product of f32 matrices in which the bits of a row are the same for any number of rows beyond one; it
     * overwrites C and cannot add to it. Empty where the library has none.
     */
    Optional<Multiplier> rowwiseProduct();

    /**
     * A convolution of f32 images, made once for each shape and kept; empty where the library has no fast kernel for
     * it.
     */
    Optional<Convolution> convolution(ConvolutionShape shape, Direction direction);

    /** The libraries, their versions and the instructions that they use; loads them. */
    String description();

    /** The library on this module or class path. */
    static Optional<NativeLibrary> installed() {
        return InstalledLibrary.FOUND;
    }

    /** Multiplies matrices of sizes and strides below 2^31. */
    interface Multiplier {
        void run(Product p, long a, long b, long c);
    }

    /** What a convolution computes from the other two of input, filter and output. */
    enum Direction {
        OUTPUT,
        INPUT_GRADIENT,
        FILTER_GRADIENT
    }

    /**
     * The geometry of a convolution. Lists have the three spatial dimensions, missing ones of size 1 first; images are
     * (batch, spatial, channels) or with channels before spatial, filters (spatial, channels of a group, outputs).
     */
    record ConvolutionShape(
            long batch,
            long channels,
            long outChannels,
            long groups,
            List<Long> in,
            List<Long> kernel,
            List<Long> stride,
            List<Long> dilation,
            List<Long> before,
            List<Long> out,
            boolean channelsFirst) {}

    /** A prepared convolution, for any number of threads at once. */
    interface Convolution {
        /** Bytes of a filter in the layout that this convolution works on. */
        long packedFilterBytes();

        /** Bytes of memory that each run needs for itself. */
        long scratchBytes();

        void packFilter(long filter, long packed);

        void unpackFilter(long packed, long filter);

        /** Computes one of {@code x}, the packed filter and {@code y} from the others. */
        void run(long x, long packedFilter, long y, long scratch);
    }
}
