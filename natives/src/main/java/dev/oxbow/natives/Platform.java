package dev.oxbow.natives;

import java.util.Locale;

/** Names of this operating system and processor as Maven classifiers have them. */
final class Platform {
    private static final String OS = System.getProperty("os.name").toLowerCase(Locale.ROOT);

    private Platform() {}

    static String classifier() {
        String arch = switch (System.getProperty("os.arch")) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64" -> "arm64";
            case String other -> other;
        };
        return (isMac() ? "macosx" : isWindows() ? "windows" : OS) + "-" + arch;
    }

    static boolean isX86() {
        return classifier().endsWith("-x86_64");
    }

    static boolean isLinux() {
        return OS.startsWith("linux");
    }

    static boolean isMac() {
        return OS.startsWith("mac");
    }

    static boolean isWindows() {
        return OS.startsWith("windows");
    }
}
