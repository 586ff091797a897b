package dev.oxbow.collective.keyed;

import java.util.List;

/** The devices of a group in the order of their ranks. */
public record KeyedGroup(int key, List<Member> members) {
    public int size() {
        return members.size();
    }

    /** The rank of a device, -1 where it is not one of the group. */
    public int rankOf(String device) {
        for (int i = 0; i < members.size(); i++) if (members.get(i).device().equals(device)) return i;
        return -1;
    }
}
