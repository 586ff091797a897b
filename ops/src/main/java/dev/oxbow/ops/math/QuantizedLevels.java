package dev.oxbow.ops.math;

import dev.oxbow.tensor.DType;

/** How a quantised dtype stands for the numbers between two limits, in each of TensorFlow's three modes. */
record QuantizedLevels(DType type, String mode, float low, float high, boolean narrow) {

    /** The levels with limits moved where the mode asks for it. */
    static QuantizedLevels of(DType type, String mode, float low, float high, boolean narrow) {
        QuantizedLevels wide = new QuantizedLevels(type, mode, low, high, narrow);
        if (!mode.equals("SCALED")) return wide;
        double scale = wide.symmetricScale();
        boolean signed = wide.least() < 0;
        double least = signed ? wide.least() + (narrow ? 1 : 0) : 0;
        return new QuantizedLevels(type, mode, (float) (least * scale), (float) (wide.most() * scale), narrow);
    }

    private double least() {
        return switch (type) {
            case QI8 -> -128;
            case QI16 -> -32768;
            case QI32 -> Integer.MIN_VALUE;
            default -> 0;
        };
    }

    private double most() {
        return switch (type) {
            case QI8 -> 127;
            case QU8 -> 255;
            case QI16 -> 32767;
            case QU16 -> 65535;
            default -> Integer.MAX_VALUE;
        };
    }

    /** The width of one level when zero is a level and the greater limit the last one. */
    private double symmetricScale() {
        double least = least() + (narrow ? 1 : 0);
        double fromLow = least() < 0 ? low / least : 0;
        return Math.max(fromLow, high / most());
    }

    long quantise(float x, boolean even) {
        double least = least(), most = most(), level;
        switch (mode) {
            case "SCALED" -> {
                double scale = symmetricScale();
                level = scale == 0 ? 0 : round(x / scale, even);
                least += narrow ? 1 : 0;
            }
            case "MIN_FIRST" -> {
                double scale = (most - least) / (high - low);
                level = round(x * scale, false) - round(low * scale, false) + least;
            }
            default -> {
                double clipped = Math.max(low, Math.min(high, x));
                level = (clipped - low) * ((most - least) / (high - low));
                level = round(level + least, false);
            }
        }
        return (long) Math.max(least, Math.min(most, level));
    }

    double dequantise(long q) {
        double least = least(), most = most();
        return switch (mode) {
            case "SCALED" -> q * symmetricScale();
            case "MIN_FIRST" -> {
                double scale = (high - low) / (most - least), zero = round(low / scale, false) * scale;
                yield (q - least) * scale + zero;
            }
            default -> (q - least) * ((high - low) / (most - least)) + low;
        };
    }

    private static double round(double x, boolean even) {
        return even ? Math.rint(x) : Math.signum(x) * Math.floor(Math.abs(x) + 0.5);
    }
}
