import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

/** A player of Entropy that looks one ply ahead. It speaks plain lines on standard input and output. */
public final class Player {
    private static final char EMPTY = '.';
    private static final int[][] DIRECTIONS = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};

    private char[][] board = {};
    private boolean isOrder;

    /** Tiles of all palindromes of two or more tiles in a row or column, each palindrome counted. */
    private static int lineScore(char[] line) {
        int total = 0;
        for (int start = 0; start < line.length; start++) {
            for (int end = start + 1; end < line.length; end++) {
                if (line[start] == EMPTY || line[end] == EMPTY) {
                    break;
                }
                boolean isPalindrome = true;
                for (int one = start, other = end; one < other; one++, other--) {
                    isPalindrome &= line[one] == line[other];
                }
                if (isPalindrome) {
                    total += end - start + 1;
                }
            }
        }
        return total;
    }

    private int score() {
        int total = 0;
        for (int number = 0; number < board.length; number++) {
            char[] column = new char[board.length];
            for (int row = 0; row < board.length; row++) {
                column[row] = board[row][number];
            }
            total += lineScore(board[number]) + lineScore(column);
        }
        return total;
    }

    private List<int[]> emptyCells() {
        List<int[]> cells = new ArrayList<>();
        for (int row = 0; row < board.length; row++) {
            for (int column = 0; column < board.length; column++) {
                if (board[row][column] == EMPTY) {
                    cells.add(new int[] {row, column});
                }
            }
        }
        return cells;
    }

    private boolean isEmpty(int row, int column) {
        boolean isOnBoard = row >= 0 && row < board.length && column >= 0 && column < board.length;
        return isOnBoard && board[row][column] == EMPTY;
    }

    /** All moves of Order: from row, from column, to row, to column. A tile slides over empty cells. */
    private List<int[]> slides() {
        List<int[]> moves = new ArrayList<>();
        for (int row = 0; row < board.length; row++) {
            for (int column = 0; column < board.length; column++) {
                if (board[row][column] == EMPTY) {
                    continue;
                }
                for (int[] step : DIRECTIONS) {
                    int toRow = row + step[0];
                    int toColumn = column + step[1];
                    while (isEmpty(toRow, toColumn)) {
                        moves.add(new int[] {row, column, toRow, toColumn});
                        toRow += step[0];
                        toColumn += step[1];
                    }
                }
            }
        }
        return moves;
    }

    private void slide(int[] move) {
        char tile = board[move[0]][move[1]];
        board[move[0]][move[1]] = board[move[2]][move[3]];
        board[move[2]][move[3]] = tile;
    }

    // ------------------------------------------------------------------ what to change first

    /** Order: the slide after which most palindromes lie on the board. */
    private int[] chooseSlide() {
        int[] best = null;
        int most = -1;
        for (int[] move : slides()) {
            slide(move);
            int value = score();
            slide(move);
            if (value > most) {
                most = value;
                best = move;
            }
        }
        return best;
    }

    /** Chaos: the empty cell where the tile makes the fewest. */
    private int[] chooseCell(char tile) {
        int[] best = null;
        int least = Integer.MAX_VALUE;
        for (int[] cell : emptyCells()) {
            board[cell[0]][cell[1]] = tile;
            int value = score();
            board[cell[0]][cell[1]] = EMPTY;
            if (value < least) {
                least = value;
                best = cell;
            }
        }
        return best;
    }

    // ----------------------------------------------------------------------------------------

    private static void say(int[] numbers) {
        StringBuilder line = new StringBuilder();
        for (int number : numbers) {
            line.append(line.length() == 0 ? "" : " ").append(number);
        }
        System.out.println(line);
        // Otherwise the line may wait in a buffer, and the clock runs.
        System.out.flush();
    }

    private void hear(String[] words) {
        if (words[0].equals("ORDER") || words[0].equals("CHAOS")) {
            isOrder = words[0].equals("ORDER");
        } else if (words.length == 1 && Character.isDigit(words[0].charAt(0))) {
            int size = Integer.parseInt(words[0]);
            board = new char[size][size];
            for (char[] row : board) {
                java.util.Arrays.fill(row, EMPTY);
            }
        } else if (words.length == 1) {
            char tile = words[0].charAt(0);
            int[] cell = chooseCell(tile);
            board[cell[0]][cell[1]] = tile;
            say(cell);
        } else if (words.length == 3) {
            board[Integer.parseInt(words[0])][Integer.parseInt(words[1])] = words[2].charAt(0);
            if (isOrder && !emptyCells().isEmpty()) {
                int[] move = chooseSlide();
                slide(move);
                say(move);
            }
        } else if (words.length == 4) {
            int[] move = new int[4];
            for (int number = 0; number < 4; number++) {
                move[number] = Integer.parseInt(words[number]);
            }
            // A pass swaps a cell with itself.
            slide(move);
        }
    }

    public static void main(String[] arguments) throws IOException {
        Player player = new Player();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String trimmed = line.trim();
            if (!trimmed.isEmpty()) {
                player.hear(trimmed.split("\\s+"));
            }
        }
    }
}
