package dev.oxbow.collective;

/** The kinds of collective calls. */
enum Kind {
    ALL_REDUCE("all-reduce"),
    REDUCE("reduce"),
    REDUCE_SCATTER("reduce-scatter"),
    ALL_GATHER("all-gather"),
    BROADCAST("broadcast"),
    SCATTER("scatter"),
    GATHER("gather"),
    ALL_TO_ALL("all-to-all"),
    VIEW("view"),
    BARRIER("barrier"),
    POINT_TO_POINT("send"),
    SUBGROUP("subgroup"),
    CARDS("joining of cards"),
    CLOSE("close");

    private final String text;

    Kind(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
