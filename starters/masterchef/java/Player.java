import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/** A player of MasterChef that looks one ply ahead. For each pick it reads input.txt and writes output.txt. */
public final class Player {
    /** Capacity and happiness are counted in millionths: whole numbers, so that equal values tie exactly. */
    private static final long MILLION = 1_000_000;
    private static final long BONUS = 120 * MILLION * MILLION;

    private static final int FREE = 0;
    private static final int OURS = 1;
    private static final int THEIRS = 2;

    /** Gains are what the contestant adds to our team and to theirs: happiness times capacity. */
    private record Contestant(long id, long ourGain, long theirGain, int state) {}

    /** The power of a team as it stands: what its members add, and the bonus while their last digits differ. */
    private static long power(List<Contestant> team, ToLongFunction<Contestant> gain) {
        long total = 0;
        Set<Long> digits = new HashSet<>();
        for (Contestant one : team) {
            total += gain.applyAsLong(one);
            digits.add(one.id() % 10);
        }
        return digits.size() == team.size() ? total + BONUS : total;
    }

    private static long ourPower(List<Contestant> team) {
        return power(team, Contestant::ourGain);
    }

    private static long theirPower(List<Contestant> team) {
        return power(team, Contestant::theirGain);
    }

    private static List<Contestant> with(List<Contestant> team, Contestant one) {
        List<Contestant> larger = new ArrayList<>(team);
        larger.add(one);
        return larger;
    }

    private static List<Contestant> ofState(List<Contestant> contestants, int state) {
        List<Contestant> found = new ArrayList<>();
        for (Contestant one : contestants) {
            if (one.state() == state) {
                found.add(one);
            }
        }
        return found;
    }

    // -------------------------------------------------------------- what to change first

    /** What our team is worth with this contestant, and what theirs would be: that is what they cannot have any more. */
    private static long valueOfPick(List<Contestant> ours, List<Contestant> theirs, Contestant one) {
        return ourPower(with(ours, one)) + theirPower(with(theirs, one));
    }

    /** The free contestant of the greatest value, of equal ones the smallest ID. */
    private static Contestant choosePick(List<Contestant> contestants) {
        List<Contestant> ours = ofState(contestants, OURS);
        List<Contestant> theirs = ofState(contestants, THEIRS);
        Contestant best = null;
        long most = -1;
        for (Contestant one : ofState(contestants, FREE)) {
            long value = valueOfPick(ours, theirs, one);
            if (best == null || value > most || value == most && one.id() < best.id()) {
                most = value;
                best = one;
            }
        }
        return best;
    }

    // ------------------------------------------------------------------------------------

    private static long millionths(String text) {
        return (long) (Double.parseDouble(text) * MILLION + 0.5);
    }

    private static Contestant contestant(String line) {
        String[] fields = line.split(",");
        long capacity = millionths(fields[1]);
        return new Contestant(
            Long.parseLong(fields[0]),
            millionths(fields[2]) * capacity,
            millionths(fields[3]) * capacity,
            Integer.parseInt(fields[4]));
    }

    public static void main(String[] arguments) throws IOException {
        // How many there are, the algorithm, and the contestants.
        String[] words = Files.readString(Path.of("input.txt")).trim().split("\\s+");
        List<Contestant> contestants = new ArrayList<>();
        for (int number = 2; number < words.length; number++) {
            contestants.add(contestant(words[number]));
        }
        Contestant pick = choosePick(contestants);
        Files.writeString(Path.of("output.txt"), pick.id() + "\n");
    }
}
