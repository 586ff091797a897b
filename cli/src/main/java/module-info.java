/** The command line: one class per command. */
module dev.oxbow.cli {
    requires dev.oxbow.testing;
    requires info.picocli;

    opens dev.oxbow.cli to
            info.picocli;
}
