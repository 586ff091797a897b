package dev.oxbow.cli;

import picocli.CommandLine.Option;

/** Where classes of the user's own are: an option of every command that runs them. */
final class ClassPathOption {
    @Option(
            names = {"--class-path", "-cp"},
            paramLabel = "PATH",
            description = "Where classes of yours are (default: this folder).")
    private String path = ".";

    String path() {
        return path;
    }
}
