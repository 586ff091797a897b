package dev.oxbow.collective;

/** Kind and name of a call, for messages: {@code all-reduce 'grads/w1'}, or {@code all-reduce#17} for one without a name. */
record Label(Kind kind, String name, long number) {
    @Override
    public String toString() {
        return name == null ? kind + "#" + number : kind + " '" + name + "'";
    }
}
