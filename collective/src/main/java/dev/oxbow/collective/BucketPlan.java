package dev.oxbow.collective;

import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which tensors go into which bucket, alike on all ranks. */
final class BucketPlan {

    /** A tensor that is reduced in every step, and when it became ready in the first one. */
    record Member(String name, DType dtype, long count, long ready) {
        long bytes() {
            return count * dtype.size();
        }
    }

    /** Members of one dtype, one after the other. */
    record Bucket(int index, DType dtype, List<Member> members) {
        long count() {
            return members.stream().mapToLong(Member::count).sum();
        }
    }

    private final List<Bucket> buckets = new ArrayList<>();
    private final Map<String, Bucket> byName = new HashMap<>();

    /** Packs members in their order into buckets of about {@code bytes}, none of which waits longer than {@code delay}. */
    BucketPlan(List<Member> order, long bytes, long delay) {
        Map<DType, List<Member>> open = new HashMap<>();
        Map<DType, Long> sizes = new HashMap<>();
        for (Member m : order) {
            List<Member> current = open.get(m.dtype);
            boolean fits = current != null
                    && sizes.get(m.dtype) + m.bytes() <= bytes
                    && m.ready - current.getFirst().ready <= delay;
            if (!fits) {
                current = new ArrayList<>();
                open.put(m.dtype, current);
                sizes.put(m.dtype, 0L);
                buckets.add(new Bucket(buckets.size(), m.dtype, current));
            }
            current.add(m);
            sizes.merge(m.dtype, m.bytes(), Long::sum);
        }
        for (Bucket b : buckets) for (Member m : b.members) byName.put(m.name, b);
    }

    List<Bucket> buckets() {
        return buckets;
    }

    /** The bucket of a tensor, or {@code null}. */
    Bucket bucket(String name) {
        return byName.get(name);
    }
}
