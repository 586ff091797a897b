package dev.oxbow.natives;

import dev.oxbow.kernels.NativeLibrary;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * OpenBLAS and oneDNN. What cannot be loaded is absent, with one line in the log that says why. oneDNN is used on x86
 * only: elsewhere its products and convolutions are reference loops. With {@code -Doxbow.matmul=bf16} large f32 products
 * are computed by {@link Bf16Product}.
 */
public final class Natives implements NativeLibrary {

    public Natives() {}

    @Override
    public Optional<Multiplier> product(DType dtype) {
        return switch (dtype) {
            case F32 -> hasOneDnn() || hasOpenBlas() ? Optional.of(floats()) : Optional.empty();
            case F64 -> hasOpenBlas() ? Optional.of(OpenBlas::dgemm) : Optional.empty();
            default -> Optional.empty();
        };
    }

    @Override
    public Optional<Multiplier> rowwiseProduct() {
        boolean exact = !isBf16Wanted() && hasOneDnn() && OneDnn.hasAvx2();
        return exact ? Optional.of(new DnnProduct(false)) : Optional.empty();
    }

    @Override
    public Optional<Convolution> convolution(ConvolutionShape shape, Direction direction) {
        if (!hasOneDnn()) return Optional.empty();
        synchronized (OneDnn.GENERATES) {
            return DnnConvolution.of(shape, direction);
        }
    }

    @Override
    public String description() {
        List<String> parts = new ArrayList<>();
        if (hasOpenBlas()) parts.add(OpenBlas.description());
        if (hasOneDnn()) parts.add(OneDnn.description());
        return parts.isEmpty() ? "no native library" : String.join(" + ", parts);
    }

    private static boolean isBf16Wanted() {
        return System.getProperty("oxbow.matmul", "").equals("bf16");
    }

    private static Multiplier floats() {
        Multiplier exact = new FloatProduct();
        if (!isBf16Wanted()) return exact;
        if (hasOneDnn() && OneDnn.multipliesBf16()) return new Bf16Product(exact);
        Logger log = LoggerFactory.getLogger(Natives.class);
        log.warn("-Doxbow.matmul=bf16: this processor does not multiply bf16 numbers, products stay in f32");
        return exact;
    }

    static boolean hasOpenBlas() {
        return Blas.LOADED;
    }

    static boolean hasOneDnn() {
        return Dnn.LOADED;
    }

    /** Whether a library's class could be initialised; if not, the log says why. */
    private static boolean isLoaded(String name, Supplier<SharedLibrary> library) {
        try {
            return library.get() != null;
        } catch (LinkageError e) {
            Throwable cause = e;
            while (cause.getCause() != null) cause = cause.getCause();
            Logger log = LoggerFactory.getLogger(Natives.class);
            log.info("{} is not used: {}", name, cause.getMessage());
            return false;
        }
    }

    private static final class Blas {
        static final boolean LOADED = isLoaded("OpenBLAS", () -> OpenBlas.LIBRARY);
    }

    private static final class Dnn {
        static final boolean LOADED = isLoaded("oneDNN", () -> OneDnn.LIBRARY);
    }
}
