import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The rules of Tic-Tac-Toe. Replace them with the rules of your game. */
public final class Referee extends TurnwiseReferee.Game {
    // The cells are numbered row by row:
    //     0 1 2
    //     3 4 5
    //     6 7 8
    private static final int[][] ROWS = {
        {0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}
    };

    private StringBuilder board = new StringBuilder(".........");
    private boolean isOpeningDue;

    @Override
    public void start(Map<String, Object> settings, int seats) {
        isOpeningDue = Boolean.TRUE.equals(settings.get("random_opening"));
    }

    @Override
    public void startFrom(String position, Map<String, Object> settings, int seats) {
        if (!position.matches("[XO.]{9}") || count(position, 'X') - count(position, 'O') >> 1 != 0) {
            throw new TurnwiseReferee.RefereeError(
                "expected nine letters X, O and . with as many X as O or one more");
        }
        board = new StringBuilder(position);
    }

    @Override
    public String position() {
        return board.toString();
    }

    @Override
    public Referee copy() {
        Referee copy = new Referee();
        copy.board = new StringBuilder(board);
        copy.isOpeningDue = isOpeningDue;
        return copy;
    }

    @Override
    public int draws() {
        return isOpeningDue ? 1 : 0;
    }

    @Override
    public List<String> draw(long[] values) {
        isOpeningDue = false;
        int cell = TurnwiseReferee.choose(values[0], 9);
        board.setCharAt(cell, 'X');
        return List.of("X on cell " + cell);
    }

    private static int count(CharSequence board, char piece) {
        return (int) board.chars().filter(other -> other == piece).count();
    }

    /** Returns the seat with three in a row, or -1. */
    private int winner() {
        for (int[] row : ROWS) {
            char piece = board.charAt(row[0]);
            if (piece != '.' && piece == board.charAt(row[1]) && piece == board.charAt(row[2])) {
                return "XO".indexOf(piece);
            }
        }
        return -1;
    }

    @Override
    public int turn() {
        boolean isOver = winner() >= 0 || count(board, '.') == 0;
        return isOver ? TurnwiseReferee.NOBODY : count(board, 'X') - count(board, 'O');
    }

    @Override
    public List<String> moves() {
        List<String> moves = new ArrayList<>();
        for (int cell = 0; cell < 9; cell++) {
            if (board.charAt(cell) == '.') {
                moves.add(String.valueOf(cell));
            }
        }
        return moves;
    }

    @Override
    public String play(String move) {
        // A player may send any text.
        if (!move.matches("[0-8]")) {
            throw new TurnwiseReferee.IllegalMove("expected a cell, a number from 0 to 8");
        }
        int cell = Integer.parseInt(move);
        if (board.charAt(cell) != '.') {
            throw new TurnwiseReferee.IllegalMove("cell " + cell + " is taken");
        }
        board.setCharAt(cell, "XO".charAt(turn()));
        return move;
    }

    @Override
    public double[] scores() {
        int winner = winner();
        return winner < 0 ? new double[] {0.5, 0.5} : new double[] {1 - winner, winner};
    }

    @Override
    public String ending() {
        return winner() < 0 ? "the board is full" : "three in a row";
    }

    @Override
    public Object observation(int seat) {
        return TurnwiseReferee.object("board", position(), "piece", "XO".substring(seat, seat + 1));
    }

    @Override
    public Map<String, Object> view(int seat) {
        int turn = turn();
        int winner = winner();
        String caption = "The board is full.";
        if (turn >= 0) {
            caption = "XO".charAt(turn) + " places a piece.";
        } else if (winner >= 0) {
            caption = "XO".charAt(winner) + " has three in a row.";
        }
        List<Object> choices = new ArrayList<>();
        if (turn >= 0 && seat == turn) {
            for (String move : moves()) {
                String words = "place " + "XO".charAt(turn) + " on cell " + move;
                choices.add(TurnwiseReferee.object("notation", move, "words", words, "to", Integer.parseInt(move)));
            }
        }
        List<String> names = List.of("0", "1", "2", "3", "4", "5", "6", "7", "8");
        String letters = position().replace('.', ' ');
        Map<String, Object> grid = TurnwiseReferee.object("columns", 3, "letters", letters, "names", names);
        return TurnwiseReferee.object("caption", caption, "grid", grid, "choices", choices);
    }

    public static void main(String[] arguments) throws Exception {
        TurnwiseReferee.run(Referee::new);
    }
}
