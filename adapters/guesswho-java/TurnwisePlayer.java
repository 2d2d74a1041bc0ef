import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A Guess Who player that makes the guesses of turnwise's strategy {@code custom}, without the program. It needs
 * Java 8 or later, and of the course's files only Player and Guess.
 *
 * <p>The player plays a race: while neither player has more than 63 candidates, it makes the guess with the best exact
 * score against a perfect opponent, and of equally good guesses the one with the fewest expected rounds. On larger
 * boards, and on boards built to defeat the solver, it looks ahead by a few questions. All work is counted, not timed,
 * so the guesses are equal on every machine. Each class follows the module of turnwise with its name; the modules
 * explain the methods.
 */
public class TurnwisePlayer implements Player
{
    /** The persons and the questions about them. */
    final Board board;
    private final int chosen;
    private final Custom custom = new Custom();
    /** The candidates for the opponent's person. */
    private int[] mine;
    /** The opponent's candidates for our person. */
    private int[] theirs;
    /** The index of this player: 0 if it guesses first in each round, 1 if not, -1 before the first call. */
    private int seat = -1;
    /** Whether the opponent has named our person. */
    private boolean opponentFinished;

    /**
     * @param gameFilename configuration file of the game
     * @param chosenName name of the person that this player has chosen
     * @throws IOException if the configuration cannot be read or does not have the person
     */
    public TurnwisePlayer(String gameFilename, String chosenName) throws IOException
    {
        board = new Board(gameFilename);
        chosen = board.names.indexOf(chosenName);
        if (chosen < 0) {
            throw new IOException(gameFilename + " has no person " + chosenName);
        }
        mine = board.everyone();
        theirs = board.everyone();
    }

    @Override
    public Guess guess()
    {
        seat = Math.max(seat, 0);
        return board.guess(choose());
    }

    @Override
    public boolean answer(Guess guess)
    {
        seat = seat < 0 ? 1 : seat;
        Question question = board.question(guess);
        boolean answer = question != null && board.answer(question, chosen);
        if (question != null) {
            theirs = board.remaining(theirs, question, answer);
        }
        opponentFinished = answer && question.isPerson();
        return answer;
    }

    @Override
    public boolean receiveAnswer(Guess guess, boolean answer)
    {
        Question question = board.question(guess);
        if (question == null) {
            // Not a guess of ours, so its answer tells us nothing.
            return false;
        }
        int[] remaining = board.remaining(mine, question, answer);
        // Nobody remains only if the opponent's answers contradict each other.
        mine = remaining.length > 0 ? remaining : mine;
        return answer && question.isPerson();
    }

    /** Chooses the next guess. */
    Question choose()
    {
        return custom.question(board, mine, theirs, seat, opponentFinished);
    }

    /** Whether the game is over once the opponent has named our person: the second player's guess is the last. */
    boolean isOver()
    {
        return opponentFinished && seat == 0;
    }

    boolean hasOpponentFinished()
    {
        return opponentFinished;
    }

    /** The candidates for the opponent's person. */
    int[] candidates()
    {
        return mine;
    }

    /** A guess: about the value of an attribute, or about a person. Both are numbered in alphabetical order. */
    static final class Question
    {
        final int attribute;
        final int value;

        private Question(int attribute, int value)
        {
            this.attribute = attribute;
            this.value = value;
        }

        static Question value(int attribute, int value)
        {
            return new Question(attribute, value);
        }

        static Question person(int person)
        {
            return new Question(-1, person);
        }

        boolean isPerson()
        {
            return attribute < 0;
        }
    }

    /** The persons, and the questions that can be asked about them. */
    static final class Board
    {
        /** The persons' names in the order of the file. */
        final List<String> names = new ArrayList<>();
        private final List<String> attributes = new ArrayList<>();
        private final List<List<String>> values = new ArrayList<>();
        /** The number of each person's value of each attribute. */
        private final int[][] traits;

        Board(String filename) throws IOException
        {
            Map<String, Set<String>> declared = new TreeMap<>();
            Map<String, Map<String, String>> persons = new LinkedHashMap<>();
            read(filename, declared, persons);
            for (Map.Entry<String, Set<String>> attribute : declared.entrySet()) {
                attributes.add(attribute.getKey());
                values.add(new ArrayList<>(attribute.getValue()));
            }
            names.addAll(persons.keySet());
            traits = new int[names.size()][attributes.size()];
            for (int person = 0; person < names.size(); person++) {
                Map<String, String> has = persons.get(names.get(person));
                for (int at = 0; at < attributes.size(); at++) {
                    traits[person][at] = values.get(at).indexOf(has.get(attributes.get(at)));
                }
            }
        }

        /** Reads the attributes, then the persons: blocks of lines with blank lines between them. */
        private static void read(
            String filename, Map<String, Set<String>> attributes, Map<String, Map<String, String>> persons)
            throws IOException
        {
            try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(new FileInputStream(filename), StandardCharsets.UTF_8))) {
                boolean inAttributes = true;
                Map<String, String> person = null;
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    String trimmed = line.replace("\uFEFF", "").trim();
                    if (trimmed.isEmpty()) {
                        inAttributes = inAttributes && attributes.isEmpty();
                        person = null;
                        continue;
                    }
                    String[] words = trimmed.split("\\s+");
                    if (inAttributes) {
                        attributes.put(words[0], new TreeSet<>(Arrays.asList(words).subList(1, words.length)));
                    } else if (person == null) {
                        person = new LinkedHashMap<>();
                        persons.put(words[0], person);
                    } else if (words.length == 2) {
                        person.put(words[0], words[1]);
                        attributes.computeIfAbsent(words[0], name -> new TreeSet<>()).add(words[1]);
                    } else {
                        throw new IOException(filename + ": expected an attribute and a value, got: " + trimmed);
                    }
                }
            }
        }

        int[] everyone()
        {
            int[] all = new int[names.size()];
            for (int person = 0; person < all.length; person++) {
                all[person] = person;
            }
            return all;
        }

        boolean answer(Question question, int person)
        {
            return question.isPerson()
                ? question.value == person
                : traits[person][question.attribute] == question.value;
        }

        int[] remaining(int[] candidates, Question question, boolean answer)
        {
            int[] remaining = new int[candidates.length];
            int count = 0;
            for (int person : candidates) {
                if (answer(question, person) == answer) {
                    remaining[count++] = person;
                }
            }
            return Arrays.copyOf(remaining, count);
        }

        /** The attribute questions that are not redundant, in alphabetical order. */
        List<Question> splits(int[] candidates)
        {
            List<Question> splits = new ArrayList<>();
            for (int attribute = 0; attribute < attributes.size(); attribute++) {
                int[] counts = new int[values.get(attribute).size()];
                for (int person : candidates) {
                    if (traits[person][attribute] >= 0) {
                        counts[traits[person][attribute]]++;
                    }
                }
                for (int value = 0; value < counts.length; value++) {
                    if (counts[value] > 0 && counts[value] < candidates.length) {
                        splits.add(Question.value(attribute, value));
                    }
                }
            }
            return splits;
        }

        /** The question that a guess of the framework means, or null if it can be about nobody. */
        Question question(Guess guess)
        {
            if (guess == null || guess.getType() == null || guess.getValue() == null) {
                return null;
            }
            if (guess.getType() == Guess.GuessType.Person) {
                int person = names.indexOf(guess.getValue());
                return person < 0 ? null : Question.person(person);
            }
            int attribute = attributes.indexOf(guess.getAttribute());
            int value = attribute < 0 ? -1 : values.get(attribute).indexOf(guess.getValue());
            return value < 0 ? null : Question.value(attribute, value);
        }

        Guess guess(Question question)
        {
            return question.isPerson()
                ? new Guess(Guess.GuessType.Person, "", names.get(question.value))
                : new Guess(
                    Guess.GuessType.Attribute,
                    attributes.get(question.attribute),
                    values.get(question.attribute).get(question.value));
        }
    }

    /** The strongest strategy. */
    static final class Custom
    {
        private static final int EXACT_AT_LEISURE = 30;
        private static final long WORK_AT_LEISURE = 10_000_000;
        private static final long WORK_IN_HASTE = 100_000;
        private static final int MOST_BY_SIZE = 128;
        /** The number of sets that the exact solver may examine for a question. */
        private static final long NODES_FOR_A_QUESTION = 20_000;

        private RaceSolver race;
        private IdealRace ideal;
        private Optimal optimal;

        Question question(Board board, int[] mine, int[] theirs, int seat, boolean opponentFinished)
        {
            if (opponentFinished || mine.length == 1) {
                return Question.person(mine[0]);
            }
            int[][] candidates = seat == 0 ? new int[][] {mine, theirs} : new int[][] {theirs, mine};
            if (race == null || race.isFull() || race.masks(candidates) == null) {
                race = RaceSolver.create(board, candidates);
            }
            if (race != null) {
                return raceQuestion(board, mine, race.masks(candidates), seat);
            }
            if (mine.length <= MOST_BY_SIZE && theirs.length <= RaceSolver.MOST_CANDIDATES) {
                return questionBySize(board, mine, theirs.length, seat);
            }
            return fewestRounds(board, mine);
        }

        private Question raceQuestion(Board board, int[] mine, long[] sets, int turn)
        {
            boolean isSmall = board.names.size() <= EXACT_AT_LEISURE;
            List<Question> best = race.best(sets, turn, isSmall ? WORK_AT_LEISURE : WORK_IN_HASTE);
            if (best == null) {
                return race.promising(sets, turn);
            }
            Question cheapest = null;
            long least = 0;
            for (Question question : best) {
                long yes = question.isPerson() ? 0 : cost(board, mine, question, true, turn);
                long no = cost(board, mine, question, false, turn);
                long cost = yes < 0 || no < 0 ? Optimal.ENDLESS : yes + no;
                if (cheapest == null || cost < least) {
                    cheapest = question;
                    least = cost;
                }
            }
            return cheapest;
        }

        private long cost(Board board, int[] mine, Question question, boolean answer, int turn)
        {
            Optimal solver = race.optimal(turn);
            return solver.cost(solver.table.mask(board.remaining(mine, question, answer)), NODES_FOR_A_QUESTION);
        }

        private Question questionBySize(Board board, int[] mine, int theirs, int seat)
        {
            if (ideal == null) {
                ideal = new IdealRace(MOST_BY_SIZE);
            }
            int all = mine.length;
            double right = seat == 0 ? Scores.ifFirstIsRight(theirs) : 1.0;
            Question best = null;
            double bestScore = 0;
            for (Question question : Lookahead.mostEven(board, mine, Integer.MAX_VALUE)) {
                int yes = board.remaining(mine, question, true).length;
                double score = after(yes, theirs, seat) + after(all - yes, theirs, seat);
                if (best == null || score > bestScore + RaceSolver.EQUAL) {
                    best = question;
                    bestScore = score;
                }
            }
            double guess = right + after(all - 1, theirs, seat);
            return best == null || guess > bestScore + RaceSolver.EQUAL ? Question.person(mine[0]) : best;
        }

        private double after(int part, int theirs, int seat)
        {
            double score = seat == 0 ? ideal.value(part, theirs, 1) : 1.0 - ideal.value(theirs, part, 0);
            return part * score;
        }

        private Question fewestRounds(Board board, int[] mine)
        {
            if (optimal == null || optimal.table.mask(mine) == 0) {
                Table table = Table.create(board, mine, Table.MOST_CANDIDATES);
                optimal = table == null ? null : new Optimal(table);
            }
            Question best = optimal == null ? null : optimal.best(optimal.table.mask(mine), NODES_FOR_A_QUESTION);
            return best == null ? Lookahead.best(board, mine) : best;
        }
    }

    /** A bounded look-ahead for boards that are too large to solve. */
    static final class Lookahead
    {
        private Lookahead()
        {
        }

        private static int[] widths(int candidates)
        {
            if (candidates <= 256) {
                return new int[] {10, 3};
            }
            return new int[] {candidates <= 1024 ? 6 : 1};
        }

        static Question best(Board board, int[] candidates)
        {
            if (candidates.length <= 3) {
                return Question.person(candidates[0]);
            }
            int[] widths = widths(candidates.length);
            List<Question> questions = mostEven(board, candidates, widths[0]);
            if (questions.size() < 2) {
                return questions.isEmpty() ? Question.person(candidates[0]) : questions.get(0);
            }
            Question best = null;
            long least = 0;
            for (Question question : questions) {
                long cost = after(board, candidates, question, widths, 1);
                if (best == null || cost < least) {
                    best = question;
                    least = cost;
                }
            }
            return best;
        }

        /** The most even divisions first; equally even ones in alphabetical order. */
        static List<Question> mostEven(Board board, int[] candidates, int width)
        {
            List<Question> splits = board.splits(candidates);
            Map<Question, Integer> unevenness = new HashMap<>();
            for (Question question : splits) {
                int yes = board.remaining(candidates, question, true).length;
                unevenness.put(question, Math.abs(candidates.length - 2 * yes));
            }
            splits.sort(Comparator.comparing(unevenness::get));
            return splits.subList(0, Math.min(width, splits.size()));
        }

        private static long after(Board board, int[] candidates, Question question, int[] widths, int level)
        {
            return cost(board, board.remaining(candidates, question, true), widths, level)
                + cost(board, board.remaining(candidates, question, false), widths, level);
        }

        private static long cost(Board board, int[] candidates, int[] widths, int level)
        {
            long size = candidates.length;
            long least = -1;
            if (size > 3) {
                int width = level < widths.length ? widths[level] : 1;
                for (Question question : mostEven(board, candidates, width)) {
                    long cost = size + after(board, candidates, question, widths, level + 1);
                    least = least < 0 || cost < least ? cost : least;
                }
            }
            return least < 0 ? size * (size + 1) / 2 : least;
        }
    }

    /** Up to 64 candidates as bits of a mask, and all different divisions that attribute questions cause. */
    static final class Table
    {
        static final int MOST_CANDIDATES = 64;

        private final int[] persons;
        /** For each division, the candidates for whom the answer is yes. */
        final long[] yes;
        final Question[] questions;

        private Table(Board board, int[] candidates)
        {
            persons = candidates;
            Set<Long> known = new TreeSet<>();
            List<Question> splits = new ArrayList<>();
            List<Long> masks = new ArrayList<>();
            for (Question question : board.splits(candidates)) {
                long yes = mask(board.remaining(candidates, question, true));
                if (known.add(yes) && known.add(everyone() & ~yes)) {
                    splits.add(question);
                    masks.add(yes);
                }
            }
            questions = splits.toArray(new Question[0]);
            yes = masks.stream().mapToLong(Long::longValue).toArray();
        }

        /** The table of these candidates, or null if there are more than {@code most}. */
        static Table create(Board board, int[] candidates, int most)
        {
            return candidates.length > most ? null : new Table(board, candidates);
        }

        long everyone()
        {
            return persons.length == 0 ? 0 : -1L >>> (64 - persons.length);
        }

        int person(long bit)
        {
            return persons[Long.numberOfTrailingZeros(bit)];
        }

        /** The mask of some candidates, or 0 if the table lacks one. */
        long mask(int[] candidates)
        {
            long mask = 0;
            for (int person : candidates) {
                int at = Arrays.binarySearch(persons, person);
                if (at < 0) {
                    return 0;
                }
                mask |= 1L << at;
            }
            return mask;
        }

        int largestMinority(long set)
        {
            int size = Long.bitCount(set);
            int largest = 0;
            for (long mask : yes) {
                int part = Long.bitCount(set & mask);
                largest = Math.max(largest, Math.min(part, size - part));
            }
            return largest;
        }
    }

    /** Finds the questions with which a player needs the fewest rounds on average. A cost below 0 is no result. */
    static final class Optimal
    {
        static final long ENDLESS = 0xFFFF_FFFFL;
        private static final long NONE = -1;

        final Table table;
        /** The costs of sets on ideal boards, by the largest minority and the size. */
        private final int[][] floor;
        /** For each examined set, twice a lower bound on its cost, plus 1 if the bound is exact. */
        private final Map<Long, Long> known = new HashMap<>();
        private long nodesLeft;
        private long examined;

        Optimal(Table table)
        {
            this.table = table;
            int most = Long.bitCount(table.everyone());
            floor = new int[most / 2 + 1][most + 1];
            for (int minority = 0; minority < floor.length; minority++) {
                int[] costs = floor[minority];
                for (int size = 1; size <= most; size++) {
                    int least = costs[size - 1];
                    for (int part = 1; part <= Math.min(minority, size / 2); part++) {
                        least = Math.min(least, costs[part] + costs[size - part]);
                    }
                    costs[size] = size + least;
                }
            }
        }

        /** The work so far: one unit for each division of each examined set. */
        long work()
        {
            return examined * table.yes.length;
        }

        long cost(long set, long mostNodes)
        {
            nodesLeft = mostNodes;
            return solve(set, ENDLESS);
        }

        Question best(long set, long mostNodes)
        {
            Option option = bestOption(set, mostNodes);
            return option == null ? null : option.question;
        }

        /** The sets that the best question leaves, or null for a single candidate or too little work. */
        long[] bestParts(long set, long mostNodes)
        {
            Option option = bestOption(set, mostNodes);
            return option == null || option.larger == 0 ? null : new long[] {option.larger, option.smaller};
        }

        private Option bestOption(long set, long mostNodes)
        {
            int size = Long.bitCount(set);
            long cost = cost(set, mostNodes);
            if (cost < 0) {
                return null;
            }
            if (size == 1) {
                return new Option(Question.person(table.person(set)), 0, 0, 0);
            }
            for (int at = 0; at < table.yes.length; at++) {
                long yes = set & table.yes[at];
                long no = set & ~table.yes[at];
                if (yes != 0 && no != 0) {
                    int reached = reaches(cost - size, yes, no);
                    if (reached != 0) {
                        return reached < 0 ? null : new Option(table.questions[at], yes, no, 0);
                    }
                }
            }
            for (long rest = set; rest != 0; rest &= rest - 1) {
                long bit = Long.lowestOneBit(rest);
                int reached = reaches(cost - size, set & ~bit, 0);
                if (reached != 0) {
                    return reached < 0 ? null : new Option(Question.person(table.person(bit)), set & ~bit, 0, 0);
                }
            }
            throw new AssertionError("some question has the exact cost");
        }

        /** 1 if the costs of two sets add up to the target, 0 if not, -1 if the nodes are used up. */
        private int reaches(long target, long first, long second)
        {
            long firstLower = lower(first);
            long secondLower = lower(second);
            if (firstLower + secondLower > target) {
                return 0;
            }
            long firstCost = within(first, target - secondLower);
            if (firstCost < 0 || firstCost + secondLower > target) {
                return firstCost < 0 ? -1 : 0;
            }
            long secondCost = within(second, target - firstCost);
            if (secondCost < 0) {
                return -1;
            }
            return firstCost + secondCost <= target ? 1 : 0;
        }

        private long within(long set, long limit)
        {
            return set == 0 ? 0 : solve(set, limit);
        }

        private long lower(long set)
        {
            if (set == 0) {
                return 0;
            }
            Long bound = known.get(set);
            return bound == null ? floor[table.largestMinority(set)][Long.bitCount(set)] : bound >> 1;
        }

        private long solve(long set, long limit)
        {
            int size = Long.bitCount(set);
            if (size <= 2) {
                return size == 1 ? 1 : 3;
            }
            int minority = table.largestMinority(set);
            if (minority <= 1) {
                return (long) size * (size + 1) / 2;
            }
            Long bound = known.get(set);
            long lower = bound == null ? floor[minority][size] : bound >> 1;
            if (lower > limit || (bound != null && (bound & 1) == 1)) {
                return lower;
            }
            if (nodesLeft == 0) {
                return NONE;
            }
            nodesLeft--;
            examined++;
            long best = Math.min(limit + 1, ENDLESS);
            long refuted = ENDLESS;
            for (Option parts : options(set, size, minority)) {
                if (size + parts.lower >= best) {
                    refuted = Math.min(refuted, size + parts.lower);
                    break;
                }
                long room = best - 1 - size;
                long smallerLower = lower(parts.smaller);
                long larger = solve(parts.larger, room - smallerLower);
                if (larger < 0) {
                    return NONE;
                }
                long cost = size + larger + smallerLower;
                if (cost < best) {
                    long smaller = within(parts.smaller, room - larger);
                    if (smaller < 0) {
                        return NONE;
                    }
                    cost = size + larger + smaller;
                }
                if (cost < best) {
                    best = cost;
                } else {
                    refuted = Math.min(refuted, cost);
                }
            }
            boolean isExact = best <= limit;
            lower = Math.max(lower, isExact ? best : refuted);
            known.put(set, lower << 1 | (isExact ? 1 : 0));
            return lower;
        }

        private List<Option> options(long set, int size, int minority)
        {
            List<Option> options = new ArrayList<>();
            for (long mask : table.yes) {
                long smaller = set & mask;
                long larger = set & ~mask;
                if (Long.bitCount(smaller) > Long.bitCount(larger)) {
                    smaller = larger;
                    larger = set & mask;
                }
                if (Long.bitCount(smaller) >= 2) {
                    options.add(new Option(null, larger, smaller, lower(larger) + lower(smaller)));
                }
            }
            int afterGuess = floor[minority][size - 1];
            for (long left = set; left != 0; left &= left - 1) {
                long rest = set & ~Long.lowestOneBit(left);
                Long bound = known.get(rest);
                options.add(new Option(null, rest, 0, bound == null ? afterGuess : bound >> 1));
            }
            options.sort(Option.MOST_PROMISING_FIRST);
            List<Option> distinct = new ArrayList<>();
            Option last = null;
            for (Option option : options) {
                if (last == null || last.larger != option.larger || last.smaller != option.smaller) {
                    distinct.add(option);
                    last = option;
                }
            }
            return distinct;
        }

        /** The two sets that a question leaves; after a person guess, the second is empty. */
        private static final class Option
        {
            static final Comparator<Option> MOST_PROMISING_FIRST = Comparator
                .comparingLong((Option option) -> option.lower)
                .thenComparingInt(option -> Long.bitCount(option.larger))
                .thenComparing((one, other) -> Long.compareUnsigned(one.larger, other.larger));

            final Question question;
            final long larger;
            final long smaller;
            final long lower;

            Option(Question question, long larger, long smaller, long lower)
            {
                this.question = question;
                this.larger = larger;
                this.smaller = smaller;
                this.lower = lower;
            }
        }
    }

    /** The scores of player 1 that the numbers of candidates determine. */
    static final class Scores
    {
        private Scores()
        {
        }

        static double ifFirstIsRight(int theirs)
        {
            return 1.0 - 0.5 / theirs;
        }

        /** The score if the sizes alone determine it, else NaN. */
        static double decided(int first, int second, int turn)
        {
            if (turn == 0 && first == 1) {
                return ifFirstIsRight(second);
            }
            if (turn == 0 && second == 1) {
                return 0.5 / first;
            }
            return turn == 1 && second == 1 ? 0.0 : Double.NaN;
        }

        static double better(int turn, double one, double other)
        {
            return turn == 0 ? Math.max(one, other) : Math.min(one, other);
        }

        static double ofRightGuess(int second, int turn)
        {
            return turn == 0 ? ifFirstIsRight(second) : 0.0;
        }
    }

    /** The race on ideal boards, where a question can divide candidates into parts of any two sizes. */
    static final class IdealRace
    {
        private final int most;
        private final double[][] values;

        IdealRace(int most)
        {
            this.most = most;
            values = new double[2][most * most];
            for (int total = 2; total <= 2 * most; total++) {
                for (int first = Math.max(total - most, 1); first <= Math.min(most, total - 1); first++) {
                    for (int turn = 0; turn < 2; turn++) {
                        values[turn][index(first, total - first)] = solve(first, total - first, turn);
                    }
                }
            }
        }

        private int index(int first, int second)
        {
            return (first - 1) * most + second - 1;
        }

        double value(int first, int second, int turn)
        {
            return values[turn][index(first, second)];
        }

        private double solve(int first, int second, int turn)
        {
            double decided = Scores.decided(first, second, turn);
            if (!Double.isNaN(decided)) {
                return decided;
            }
            int size = turn == 0 ? first : second;
            double best = Scores.ofRightGuess(second, turn) + after(size - 1, first, second, turn);
            for (int part = 1; part <= size / 2; part++) {
                double divided = after(part, first, second, turn) + after(size - part, first, second, turn);
                best = Scores.better(turn, best, divided);
            }
            return best / size;
        }

        private double after(int part, int first, int second, int turn)
        {
            return part * (turn == 0 ? value(part, second, 1) : value(first, part, 0));
        }
    }

    /** Gives numbers to the shapes of small sets: sets with equal questions share a number. */
    static final class Shapes
    {
        private static final int LARGEST = 7;

        private final Table table;
        private final Map<Long, Long> bySet = new HashMap<>();
        private final Map<List<Long>, Long> numbers = new HashMap<>();

        Shapes(Table table)
        {
            this.table = table;
        }

        long key(long set)
        {
            int size = Long.bitCount(set);
            if (size > LARGEST) {
                return set << 1;
            }
            Long known = bySet.get(set);
            if (known != null) {
                return known;
            }
            Set<List<Long>> divisions = new TreeSet<>(
                Comparator.comparing((List<Long> pair) -> pair.get(0)).thenComparing(pair -> pair.get(1)));
            for (long mask : table.yes) {
                long yes = set & mask;
                long no = set & ~mask;
                if (Long.bitCount(yes) >= 2 && Long.bitCount(no) >= 2) {
                    long one = key(yes);
                    long other = key(no);
                    divisions.add(Arrays.asList(Math.min(one, other), Math.max(one, other)));
                }
            }
            Set<Long> guesses = new TreeSet<>();
            for (long rest = size > 1 ? set : 0; rest != 0; rest &= rest - 1) {
                guesses.add(key(set & ~Long.lowestOneBit(rest)));
            }
            List<Long> shape = new ArrayList<>();
            shape.add((long) size);
            divisions.forEach(shape::addAll);
            // No key is negative for a set this small, so this number separates the two lists.
            shape.add(-1L);
            shape.addAll(guesses);
            Long number = numbers.get(shape);
            if (number == null) {
                number = 2L * numbers.size() + 1;
                numbers.put(shape, number);
            }
            bySet.put(set, number);
            return number;
        }
    }

    /** Bounds the value of a race by the race of a player with an ideal board against one that follows a plan. */
    static final class Relaxation
    {
        private static final int LAST = 0;
        private static final int GUESS = 1;
        private static final int DIVIDE = 2;

        /** For each plan, its kind, the numbers of the plans that follow, and its number of candidates. */
        private final List<int[]> plans = new ArrayList<>();
        private final Map<Long, Integer> numbers = new HashMap<>();
        private final Map<Long, Double> known = new HashMap<>();

        /** The number of races solved so far. */
        int solved()
        {
            return known.size();
        }

        private int number(int kind, int one, int other)
        {
            long key = (long) kind << 60 | (long) one << 30 | other;
            Integer number = numbers.get(key);
            if (number == null) {
                int size = kind == LAST ? 1 : plans.get(one)[3] + (kind == GUESS ? 1 : plans.get(other)[3]);
                number = plans.size();
                plans.add(new int[] {kind, one, other, size});
                numbers.put(key, number);
            }
            return number;
        }

        private int guessesOnly(int size)
        {
            int plan = number(LAST, 0, 0);
            for (int guesses = 1; guesses < size; guesses++) {
                plan = number(GUESS, plan, 0);
            }
            return plan;
        }

        /** The plan that needs the fewest rounds for a set. */
        int plan(long set, Optimal optimal, Map<Long, Integer> knownPlans, long mostNodes)
        {
            Integer knownPlan = knownPlans.get(set);
            if (knownPlan != null) {
                return knownPlan;
            }
            long[] parts = optimal.bestParts(set, mostNodes);
            if (parts == null) {
                parts = mostEven(optimal.table, set);
            }
            int plan;
            if (parts == null) {
                plan = guessesOnly(Long.bitCount(set));
            } else if (parts[1] == 0) {
                plan = number(GUESS, plan(parts[0], optimal, knownPlans, mostNodes), 0);
            } else {
                int yes = plan(parts[0], optimal, knownPlans, mostNodes);
                int no = plan(parts[1], optimal, knownPlans, mostNodes);
                plan = number(DIVIDE, Math.min(yes, no), Math.max(yes, no));
            }
            knownPlans.put(set, plan);
            return plan;
        }

        private static long[] mostEven(Table table, long set)
        {
            long[] best = null;
            int least = Integer.MAX_VALUE;
            for (long mask : table.yes) {
                long yes = set & mask;
                long no = set & ~mask;
                int uneven = Math.abs(Long.bitCount(yes) - Long.bitCount(no));
                if (yes != 0 && no != 0 && uneven < least) {
                    best = new long[] {yes, no};
                    least = uneven;
                }
            }
            return best;
        }

        /** Player 1's score if the player {@code strong} has an ideal board and the other one follows a plan. */
        double value(int strong, int size, int largestMinority, int number, int turn)
        {
            int[] plan = plans.get(number);
            int first = strong == 0 ? size : plan[3];
            int second = strong == 0 ? plan[3] : size;
            double decided = Scores.decided(first, second, turn);
            if (!Double.isNaN(decided)) {
                return decided;
            }
            int minority = Math.min(largestMinority, size / 2);
            long key = (long) number << 16 | size << 8 | minority << 2 | strong << 1 | turn;
            Double knownValue = known.get(key);
            if (knownValue != null) {
                return knownValue;
            }
            double right = Scores.ofRightGuess(second, turn);
            int next = 1 - turn;
            double value;
            if (turn == strong) {
                double best = right + (size - 1) * value(strong, size - 1, minority, number, next);
                for (int part = 2; part <= minority; part++) {
                    double divided = part * value(strong, part, minority, number, next)
                        + (size - part) * value(strong, size - part, minority, number, next);
                    best = Scores.better(turn, best, divided);
                }
                value = best / size;
            } else {
                int guessesOnly = guessesOnly(plan[3] - 1);
                double planned = after(strong, size, minority, plan[1], next);
                planned = plan[0] == GUESS ? right + planned : planned + after(strong, size, minority, plan[2], next);
                double guess = right + after(strong, size, minority, guessesOnly, next);
                value = Scores.better(turn, planned, guess) / plan[3];
            }
            known.put(key, value);
            return value;
        }

        private double after(int strong, int size, int minority, int plan, int next)
        {
            return plans.get(plan)[3] * value(strong, size, minority, plan, next);
        }
    }

    /** Computes the exact value of a race on real candidates, and the best guesses. NaN stands for used-up work. */
    static final class RaceSolver
    {
        static final double EQUAL = 1e-11;
        static final int MOST_CANDIDATES = 63;
        private static final long NODES_FOR_A_PLAN = 500;
        private static final long WORK_OF_AN_OPTION = 8;
        private static final long WORK_OF_A_RELAXED_RACE = 16;
        private static final int MOST_REMEMBERED = 2_000_000;

        private final Optimal[] optimal = new Optimal[2];
        private final Shapes[] shapes = new Shapes[2];
        private final List<Map<Long, Integer>> plans = Arrays.asList(new HashMap<>(), new HashMap<>());
        private final Relaxation relaxation = new Relaxation();
        private final Intervals[] known = {new Intervals(), new Intervals()};
        private long workLeft;

        private RaceSolver(Table first, Table second)
        {
            Table[] tables = {first, second};
            for (int player = 0; player < 2; player++) {
                optimal[player] = new Optimal(tables[player]);
                shapes[player] = new Shapes(tables[player]);
            }
        }

        /** The solver for these candidates, or null if either player has too many. */
        static RaceSolver create(Board board, int[][] candidates)
        {
            Table first = Table.create(board, candidates[0], MOST_CANDIDATES);
            Table second = Table.create(board, candidates[1], MOST_CANDIDATES);
            return first == null || second == null ? null : new RaceSolver(first, second);
        }

        /** The masks of the candidates, or null if the solver does not know one of them. */
        long[] masks(int[][] candidates)
        {
            long[] masks = {optimal[0].table.mask(candidates[0]), optimal[1].table.mask(candidates[1])};
            return masks[0] == 0 || masks[1] == 0 ? null : masks;
        }

        boolean isFull()
        {
            return known[0].size() + known[1].size() + relaxation.solved() >= MOST_REMEMBERED;
        }

        Optimal optimal(int player)
        {
            return optimal[player];
        }

        /** All best guesses in alphabetical order, person guesses last, or null if the work does not suffice. */
        List<Question> best(long[] sets, int turn, long mostWork)
        {
            workLeft = mostWork;
            double score = solve(sets[0], sets[1], turn, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
            if (Double.isNaN(score)) {
                return null;
            }
            List<Question> best = new ArrayList<>();
            for (Division guess : questions(sets[turn], turn)) {
                double reached = option(sets[0], sets[1], turn, guess, score - 2.0 * EQUAL, score + 2.0 * EQUAL);
                if (Double.isNaN(reached)) {
                    return null;
                }
                if (Math.abs(reached - score) <= EQUAL) {
                    best.add(guess.question);
                }
            }
            return best;
        }

        /** The guess with the best middle between its bounds. */
        Question promising(long[] sets, int turn)
        {
            Question best = null;
            double most = 0;
            for (Division guess : questions(sets[turn], turn)) {
                optionBounds(sets[0], sets[1], turn, guess);
                double promise = middle(guess.lower, guess.upper);
                if (best == null || (most != promise && Scores.better(turn, most, promise) == promise)) {
                    best = guess.question;
                    most = promise;
                }
            }
            return best;
        }

        private static double middle(double lower, double upper)
        {
            return 0.5 * (lower + upper);
        }

        private List<Division> questions(long set, int turn)
        {
            Table table = optimal[turn].table;
            List<Division> questions = new ArrayList<>();
            for (int at = 0; at < table.yes.length; at++) {
                long yes = set & table.yes[at];
                long no = set & ~table.yes[at];
                if (yes != 0 && no != 0) {
                    questions.add(new Division(table.questions[at], yes, no));
                }
            }
            for (long rest = set; rest != 0; rest &= rest - 1) {
                long bit = Long.lowestOneBit(rest);
                questions.add(new Division(Question.person(table.person(bit)), set & ~bit, 0));
            }
            return questions;
        }

        /** The place of the known bounds on a position's value, which are computed first if necessary. */
        private int interval(long first, long second, int turn)
        {
            long firstKey = shapes[0].key(first);
            long secondKey = shapes[1].key(second);
            int place = known[turn].find(firstKey, secondKey);
            if (place >= 0) {
                return place;
            }
            long workBefore = workOfBounds();
            long nodes = workLeft > 0 ? NODES_FOR_A_PLAN : 0;
            double lower = bound(1, first, second, turn, nodes);
            double upper = bound(0, first, second, turn, nodes);
            workLeft = Math.max(0, workLeft - (workOfBounds() - workBefore));
            return known[turn].add(firstKey, secondKey, lower, upper);
        }

        private double bound(int strong, long first, long second, int turn, long nodes)
        {
            int weak = 1 - strong;
            long strongSet = strong == 0 ? first : second;
            long weakSet = strong == 0 ? second : first;
            int plan = relaxation.plan(weakSet, optimal[weak], plans.get(weak), nodes);
            int minority = optimal[strong].table.largestMinority(strongSet);
            return relaxation.value(strong, Long.bitCount(strongSet), minority, plan, turn);
        }

        private long workOfBounds()
        {
            return optimal[0].work() + optimal[1].work() + WORK_OF_A_RELAXED_RACE * relaxation.solved();
        }

        private double solve(long first, long second, int turn, double lowest, double highest)
        {
            double decided = Scores.decided(Long.bitCount(first), Long.bitCount(second), turn);
            if (!Double.isNaN(decided)) {
                return decided;
            }
            int place = interval(first, second, turn);
            double lower = known[turn].lower(place);
            double upper = known[turn].upper(place);
            if (upper - lower <= EQUAL) {
                return middle(lower, upper);
            }
            if (upper <= lowest) {
                return upper;
            }
            if (lower >= highest) {
                return lower;
            }
            long work = WORK_OF_AN_OPTION * (optimal[turn].table.yes.length + 1);
            if (workLeft < work) {
                return Double.NaN;
            }
            workLeft -= work;
            double alpha = Math.max(lowest, lower - EQUAL);
            double beta = Math.min(highest, upper + EQUAL);
            List<Division> options = options(first, second, turn);
            options.sort((one, other) -> turn == 0
                ? Double.compare(middle(other.lower, other.upper), middle(one.lower, one.upper))
                : Double.compare(middle(one.lower, one.upper), middle(other.lower, other.upper)));
            double best = turn == 0 ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
            double low = alpha;
            double high = beta;
            for (Division option : options) {
                // An option that cannot beat the best one so far needs no search: its bound serves as its value.
                boolean isHopeless = turn == 0 ? option.upper <= low : option.lower >= high;
                double value = turn == 0 ? option.upper : option.lower;
                if (!isHopeless) {
                    value = option(first, second, turn, option, low, high);
                    if (Double.isNaN(value)) {
                        return value;
                    }
                }
                best = Scores.better(turn, best, value);
                if (turn == 0) {
                    low = Math.max(low, best);
                } else {
                    high = Math.min(high, best);
                }
                if (low >= high) {
                    break;
                }
            }
            // The search below may have moved the entry.
            place = interval(first, second, turn);
            if (best > alpha) {
                known[turn].raise(place, best);
            }
            if (best < beta) {
                known[turn].lower(place, best);
            }
            return best;
        }

        /** The guesses worth trying, with bounds on the score after each. */
        private List<Division> options(long first, long second, int turn)
        {
            List<Division> options = new ArrayList<>();
            List<Division> questions = questions(turn == 0 ? first : second, turn);
            long[] seen = new long[2 * questions.size()];
            int count = 0;
            for (Division guess : questions) {
                // A question that separates one candidate gives only the information that guessing the candidate gives.
                if (guess.no != 0 && (Long.bitCount(guess.yes) == 1 || Long.bitCount(guess.no) == 1)) {
                    continue;
                }
                long one = shapes[turn].key(guess.yes);
                long other = guess.no == 0 ? 0 : shapes[turn].key(guess.no);
                long least = Math.min(one, other);
                long most = Math.max(one, other);
                int at = 0;
                while (at < count && (seen[at] != least || seen[at + 1] != most)) {
                    at += 2;
                }
                if (at == count) {
                    seen[count++] = least;
                    seen[count++] = most;
                    optionBounds(first, second, turn, guess);
                    options.add(guess);
                }
            }
            return options;
        }

        /** Fills in the bounds on the score after a guess. */
        private void optionBounds(long first, long second, int turn, Division guess)
        {
            Child yes = new Child(first, second, turn, guess.yes);
            Child no = new Child(first, second, turn, guess.no);
            guess.lower = 0.0 + yes.weight * yes.lower + no.weight * no.lower;
            guess.upper = 0.0 + yes.weight * yes.upper + no.weight * no.upper;
        }

        /** The value of a guess, between the bounds that the search needs. */
        private double option(long first, long second, int turn, Division guess, double alpha, double beta)
        {
            Child yes = new Child(first, second, turn, guess.yes);
            Child no = new Child(first, second, turn, guess.no);
            double low = (alpha - no.weight * no.upper) / yes.weight;
            double high = (beta - no.weight * no.lower) / yes.weight;
            double found = yes.solve(low, high);
            if (Double.isNaN(found)) {
                return found;
            }
            if (found <= low) {
                return yes.weight * found + no.weight * no.upper;
            }
            if (found >= high) {
                return yes.weight * found + no.weight * no.lower;
            }
            double value = yes.weight * found;
            if (no.isRight) {
                return value + no.weight * middle(no.lower, no.upper);
            }
            found = no.solve((alpha - value) / no.weight, (beta - value) / no.weight);
            return value + no.weight * found;
        }

        /** The position after an answer, with its probability and bounds. Without a part, the guess was right. */
        private final class Child
        {
            final boolean isRight;
            final double weight;
            final double lower;
            final double upper;
            private final long first;
            private final long second;
            private final int turn;

            Child(long first, long second, int turn, long part)
            {
                int size = Long.bitCount(turn == 0 ? first : second);
                this.first = turn == 0 ? part : first;
                this.second = turn == 1 ? part : second;
                this.turn = 1 - turn;
                isRight = part == 0;
                if (isRight) {
                    weight = 1.0 / size;
                    lower = Scores.ofRightGuess(Long.bitCount(second), turn);
                    upper = lower;
                    return;
                }
                weight = (double) Long.bitCount(part) / size;
                double decided = Scores.decided(Long.bitCount(this.first), Long.bitCount(this.second), this.turn);
                if (Double.isNaN(decided)) {
                    int place = interval(this.first, this.second, this.turn);
                    lower = known[this.turn].lower(place);
                    upper = known[this.turn].upper(place);
                } else {
                    lower = decided;
                    upper = decided;
                }
            }

            double solve(double alpha, double beta)
            {
                return RaceSolver.this.solve(first, second, turn, alpha, beta);
            }
        }

        /** A guess with the parts that it leaves; after a person guess, the second is empty. */
        private static final class Division
        {
            final Question question;
            final long yes;
            final long no;
            double lower;
            double upper;

            Division(Question question, long yes, long no)
            {
                this.question = question;
                this.yes = yes;
                this.no = no;
            }
        }

        /** Bounds by two keys, of which the first is never 0. Objects would need much more memory. */
        private static final class Intervals
        {
            private long[] keys = new long[1 << 11];
            private double[] bounds = new double[1 << 11];
            private int size;

            int size()
            {
                return size;
            }

            /** The place of the keys, or the complement of the place where they belong. */
            int find(long one, long other)
            {
                long mixed = (one * 0x9e3779b97f4a7c15L ^ other) * 0xbf58476d1ce4e5b9L;
                int at = (int) (mixed >>> 32) & (keys.length - 2);
                while (keys[at] != 0 && (keys[at] != one || keys[at + 1] != other)) {
                    at = (at + 2) & (keys.length - 1);
                }
                return keys[at] == 0 ? ~at : at;
            }

            int add(long one, long other, double lower, double upper)
            {
                if (4 * ++size > keys.length) {
                    long[] oldKeys = keys;
                    double[] oldBounds = bounds;
                    keys = new long[2 * oldKeys.length];
                    bounds = new double[keys.length];
                    for (int at = 0; at < oldKeys.length; at += 2) {
                        if (oldKeys[at] != 0) {
                            put(oldKeys[at], oldKeys[at + 1], oldBounds[at], oldBounds[at + 1]);
                        }
                    }
                }
                return put(one, other, lower, upper);
            }

            private int put(long one, long other, double lower, double upper)
            {
                int at = ~find(one, other);
                keys[at] = one;
                keys[at + 1] = other;
                bounds[at] = lower;
                bounds[at + 1] = upper;
                return at;
            }

            double lower(int at)
            {
                return bounds[at];
            }

            double upper(int at)
            {
                return bounds[at + 1];
            }

            void raise(int at, double value)
            {
                bounds[at] = Math.max(bounds[at], Math.min(value, bounds[at + 1]));
            }

            void lower(int at, double value)
            {
                bounds[at + 1] = Math.min(bounds[at + 1], Math.max(value, bounds[at]));
            }
        }
    }
}
