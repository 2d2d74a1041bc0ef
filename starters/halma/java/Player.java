import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A player of Halma that looks one ply ahead. For each move it reads input.txt and writes output.txt. */
public final class Player {
    private static final int SIZE = 16;
    private static final char EMPTY = '.';
    private static final int[][] DIRECTIONS = {
        {-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}
    };
    private static final int[] CAMP_WIDTHS = {5, 5, 4, 3, 2};

    private final char[][] board;
    private final char player;

    private Player(char[][] board, char player) {
        this.board = board;
        this.player = player;
    }

    /** Column and row from the top left, as in output.txt. */
    private record Square(int x, int y) {
        /** The square seen from the opposite side of the board. */
        Square opposite() {
            return new Square(SIZE - 1 - x, SIZE - 1 - y);
        }

        int squaredDistance(Square other) {
            return (x - other.x) * (x - other.x) + (y - other.y) * (y - other.y);
        }
    }

    /** The squares that a piece visits. */
    private record Move(List<Square> path) {
        Square start() {
            return path.get(0);
        }

        Square end() {
            return path.get(path.size() - 1);
        }

        boolean isStep() {
            Square next = path.get(1);
            return Math.abs(next.x() - start().x()) <= 1 && Math.abs(next.y() - start().y()) <= 1;
        }

        Move then(Square end) {
            List<Square> longer = new ArrayList<>(path);
            longer.add(end);
            return new Move(longer);
        }
    }

    private boolean isInOwnCamp(Square square) {
        Square seen = player == 'B' ? square : square.opposite();
        return seen.y() < CAMP_WIDTHS.length && seen.x() < CAMP_WIDTHS[seen.y()];
    }

    private boolean isInGoal(Square square) {
        return isInOwnCamp(square.opposite());
    }

    private Square goalCorner() {
        return player == 'B' ? new Square(SIZE - 1, SIZE - 1) : new Square(0, 0);
    }

    private char at(Square square) {
        return board[square.y()][square.x()];
    }

    private boolean isEmpty(Square square) {
        boolean isOnBoard = square.x() >= 0 && square.x() < SIZE && square.y() >= 0 && square.y() < SIZE;
        return isOnBoard && at(square) == EMPTY;
    }

    private static List<Square> allSquares() {
        List<Square> squares = new ArrayList<>();
        for (int y = 0; y < SIZE; y++) {
            for (int x = 0; x < SIZE; x++) {
                squares.add(new Square(x, y));
            }
        }
        return squares;
    }

    /** Moves to a neighbouring square. */
    private List<Move> steps(Square start) {
        List<Move> moves = new ArrayList<>();
        for (int[] direction : DIRECTIONS) {
            Square end = new Square(start.x() + direction[0], start.y() + direction[1]);
            if (isEmpty(end)) {
                moves.add(new Move(List.of(start, end)));
            }
        }
        return moves;
    }

    /** Chains of jumps: for each square that they reach, one with the fewest jumps. */
    private List<Move> jumps(Square start) {
        List<Move> moves = new ArrayList<>();
        moves.add(new Move(List.of(start)));
        boolean[][] isReached = new boolean[SIZE][SIZE];
        isReached[start.y()][start.x()] = true;
        // The list grows while the loop goes over it.
        for (int number = 0; number < moves.size(); number++) {
            Move move = moves.get(number);
            Square last = move.end();
            for (int[] direction : DIRECTIONS) {
                Square over = new Square(last.x() + direction[0], last.y() + direction[1]);
                Square end = new Square(last.x() + 2 * direction[0], last.y() + 2 * direction[1]);
                // The piece itself has left its square: nothing can be jumped over there.
                if (!isEmpty(end) || isEmpty(over) || over.equals(start) || isReached[end.y()][end.x()]) {
                    continue;
                }
                isReached[end.y()][end.x()] = true;
                moves.add(move.then(end));
            }
        }
        return moves.subList(1, moves.size());
    }

    /** Further from the own corner in one axis, closer in none. */
    private boolean leadsAway(Move move) {
        int forward = player == 'B' ? 1 : -1;
        return forward * (move.end().x() - move.start().x()) >= 0
            && forward * (move.end().y() - move.start().y()) >= 0;
    }

    /** All moves by the rules of the addendum. They are legal without it, too. */
    private List<Move> legalMoves() {
        List<Move> moves = new ArrayList<>();
        for (Square start : allSquares()) {
            if (at(start) == player) {
                moves.addAll(steps(start));
                moves.addAll(jumps(start));
            }
        }
        List<Move> leaving = new ArrayList<>();
        List<Move> forward = new ArrayList<>();
        List<Move> others = new ArrayList<>();
        for (Move move : moves) {
            boolean beginsAtHome = isInOwnCamp(move.start());
            boolean endsAtHome = isInOwnCamp(move.end());
            if (beginsAtHome && !endsAtHome) {
                leaving.add(move);
            }
            if (beginsAtHome && leadsAway(move)) {
                forward.add(move);
            }
            if (isInGoal(move.start()) ? isInGoal(move.end()) : beginsAtHome || !endsAtHome) {
                others.add(move);
            }
        }
        if (!leaving.isEmpty()) {
            return leaving;
        }
        return forward.isEmpty() ? others : forward;
    }

    private void play(Square start, Square end) {
        board[end.y()][end.x()] = at(start);
        board[start.y()][start.x()] = EMPTY;
    }

    // -------------------------------------------------------------- what to change first

    /**
     * The squares of the distances of all pieces outside the goal to the square that is to be filled next, added
     * up. That is the one nearest the corner of those that the player does not hold.
     */
    private int distanceToGo() {
        Square corner = goalCorner();
        Square target = null;
        for (Square square : allSquares()) {
            if (!isInGoal(square) || at(square) == player) {
                continue;
            }
            if (target == null || square.squaredDistance(corner) < target.squaredDistance(corner)) {
                target = square;
            }
        }
        int total = 0;
        for (Square square : allSquares()) {
            if (target != null && at(square) == player && !isInGoal(square)) {
                total += square.squaredDistance(target);
            }
        }
        return total;
    }

    /** The move after which the least distance is left. All moves to come have so many seconds of CPU time together. */
    private Move chooseMove(double seconds) {
        Move best = null;
        int least = 0;
        for (Move move : legalMoves()) {
            play(move.start(), move.end());
            int distance = distanceToGo();
            play(move.end(), move.start());
            if (best == null || distance < least) {
                least = distance;
                best = move;
            }
        }
        return best;
    }

    // ------------------------------------------------------------------------------------

    public static void main(String[] arguments) throws IOException {
        // SINGLE or GAME, the colour, the time left, and 16 rows.
        String[] words = Files.readString(Path.of("input.txt")).trim().split("\\s+");
        char[][] board = new char[SIZE][];
        for (int row = 0; row < SIZE; row++) {
            board[row] = words[3 + row].toCharArray();
        }
        Player player = new Player(board, words[1].charAt(0));
        Move move = player.chooseMove(Double.parseDouble(words[2]));
        StringBuilder output = new StringBuilder();
        for (int number = 0; number + 1 < move.path().size(); number++) {
            Square start = move.path().get(number);
            Square end = move.path().get(number + 1);
            output.append(move.isStep() ? "E " : "J ").append(start.x()).append(',').append(start.y());
            output.append(' ').append(end.x()).append(',').append(end.y()).append('\n');
        }
        Files.writeString(Path.of("output.txt"), output);
    }
}
