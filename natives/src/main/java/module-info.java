/** Matrix products and convolutions of OpenBLAS and oneDNN by foreign-function calls; optional, nothing requires it. */
module dev.oxbow.natives {
    requires dev.oxbow.kernels;
    requires org.slf4j;

    provides dev.oxbow.kernels.NativeLibrary with
            dev.oxbow.natives.Natives;
}
