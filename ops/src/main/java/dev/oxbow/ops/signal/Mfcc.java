package dev.oxbow.ops.signal;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.audio.Mel;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Mel frequency coefficients of spectra of squared magnitudes. */
@Signature(
        "Mfcc(spectrogram: float, sample_rate: int32) -> (output: float) {upper_frequency_limit: float = 4000.0; lower_frequency_limit: float = 20.0; filterbank_channel_count: int = 40; dct_coefficient_count: int = 13}")
public record Mfcc(
        float upperFrequencyLimit, float lowerFrequencyLimit, long filterbankChannelCount, long dctCoefficientCount)
        implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(0, 3);
        c.scalar(1);
        require(
                filterbankChannelCount >= 1 && dctCoefficientCount >= 1,
                INVALID_ARGUMENT,
                "filterbank_channel_count and dct_coefficient_count must be positive, got %d and %d",
                filterbankChannelCount,
                dctCoefficientCount);
        require(
                lowerFrequencyLimit >= 0 && upperFrequencyLimit > lowerFrequencyLimit,
                INVALID_ARGUMENT,
                "frequency limits must be 0 <= lower < upper, got %s and %s",
                lowerFrequencyLimit,
                upperFrequencyLimit);
        return List.of(
                new TensorType(DType.F32, Shape.of(c.shape(0).dim(0), c.shape(0).dim(1), dctCoefficientCount)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            long rate = c.input(1).getLong(0);
            int frequencies = Counts.toInt(x.shape().dim(2));
            require(rate > 0, INVALID_ARGUMENT, "sample_rate must be positive, got %d", rate);
            require(frequencies > 1, INVALID_ARGUMENT, "a spectrum must have two frequencies, got %s", x.shape());
            int bands = Counts.objects(filterbankChannelCount, 8), wanted = Counts.objects(dctCoefficientCount, 16);
            Counts.objects(Counts.times(bands, wanted), 8);
            Mel mel = new Mel(frequencies, rate, lowerFrequencyLimit, upperFrequencyLimit, bands, wanted);
            require(
                    mel.fits(),
                    INVALID_ARGUMENT,
                    "upper_frequency_limit %s is above half of the sample rate %d",
                    upperFrequencyLimit,
                    rate);
            double[] spectrum = new double[frequencies], coefficients = new double[wanted];
            for (long i = 0; i < x.size() / frequencies; i++) {
                for (int f = 0; f < frequencies; f++) spectrum[f] = x.getDouble(i * frequencies + f);
                mel.coefficients(spectrum, coefficients);
                for (int k = 0; k < wanted; k++) y.set(i * wanted + k, coefficients[k]);
            }
        };
    }
}
