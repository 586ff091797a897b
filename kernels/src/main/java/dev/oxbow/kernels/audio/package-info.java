/** Sound: files of samples ({@code Wav}), spectra of windows ({@code Spectra}) and their shape as ears hear it ({@code Mel}). */
package dev.oxbow.kernels.audio;
