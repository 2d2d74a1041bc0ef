import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A player of TwentyOne that looks one card ahead. It speaks JSON lines on standard input and output. */
public final class Player {
    /** Cards are counted by rank: at 1 the aces, at 2 to 9 the cards of that number, at 10 all that are worth ten. */
    private static final long[] DECK = {0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 16};

    /** What hands are worth that are no plain total. */
    private static final int BUST = 0;
    private static final int CHARLIE = 22;
    private static final int COMBO = 23;

    /** The cards gone before this round: how many, and of each rank those that were seen. */
    private static final class Gone {
        long number;
        final long[] seen = new long[DECK.length];
    }

    private static long sum(long[] counts) {
        long sum = 0;
        for (long count : counts) {
            sum += count;
        }
        return sum;
    }

    private static int rankOf(String card) {
        String rank = card.substring(1);
        if (rank.equals("A")) {
            return 1;
        }
        return Character.isDigit(rank.charAt(0)) ? Integer.parseInt(rank) : 10;
    }

    /** The ranks of a hand's cards. */
    private static List<Integer> handOf(Json hand) {
        List<Integer> ranks = new ArrayList<>();
        for (Json card : hand.get("dealt").items()) {
            ranks.add(rankOf(card.text()));
        }
        for (Json card : hand.get("drawn").items()) {
            ranks.add(rankOf(card.text()));
        }
        return ranks;
    }

    /** The worth of a hand of so many cards and this total, aces being one: worths compare as hands do. */
    private static int worth(int hard, boolean hasAce, int cards) {
        int total = hasAce && hard <= 11 ? hard + 10 : hard;
        if (total > 21) {
            return BUST;
        }
        if (cards == 2 && total == 21) {
            return COMBO;
        }
        return cards >= 5 ? CHARLIE : total;
    }

    /** How likely each worth of the dealer's hand is. The dealer draws to 16. */
    private static double[] dealerChances(int upCard, long[] unseen) {
        double total = sum(unseen);
        double[] chances = new double[COMBO + 1];
        // Hands that it draws to, by total and by whether there is an ace in them.
        double[][] openHands = new double[17][2];
        openHands[upCard][upCard == 1 ? 1 : 0] = 1.0;
        for (int cards = 2; cards < 18; cards++) {
            double[][] longerHands = new double[17][2];
            for (int hard = 0; hard < 17; hard++) {
                for (int ace = 0; ace < 2; ace++) {
                    for (int rank = 1; rank <= 10 && openHands[hard][ace] > 0.0; rank++) {
                        double chance = openHands[hard][ace] * unseen[rank] / total;
                        int newHard = hard + rank;
                        boolean newAce = ace == 1 || rank == 1;
                        if (newHard <= 16 && !(newAce && 7 <= newHard && newHard <= 11)) {
                            longerHands[newHard][newAce ? 1 : 0] += chance;
                        } else {
                            chances[worth(newHard, newAce, cards)] += chance;
                        }
                    }
                }
            }
            openHands = longerHands;
        }
        return chances;
    }

    /** The chance to win less that to lose, with a hand of this worth. */
    private static double valueOf(int own, double[] dealer) {
        if (own == BUST) {
            return -1.0;
        }
        double value = 0.0;
        for (int other = 0; other < dealer.length; other++) {
            value += Integer.signum(own - other) * dealer[other];
        }
        return value;
    }

    // ------------------------------------------------------------------ what to change first

    /** The smallest bid, and a hundredth of the points while aces and tens are more than usual. */
    private static long chooseBid(long[] unseen, long points, long least, long most) {
        boolean isRich = 13 * (unseen[1] + unseen[10]) > 5 * sum(unseen);
        long bid = isRich ? points / 100 : least;
        return Math.min(Math.min(Math.max(bid, least), most), points);
    }

    /** Another card if the hand is worth as much with it, on average, as without. */
    private static String chooseAction(List<Integer> hand, int upCard, long[] unseen) {
        double[] dealer = dealerChances(upCard, unseen);
        int hard = hand.stream().mapToInt(Integer::intValue).sum();
        boolean hasAce = hand.contains(1);
        double standing = valueOf(worth(hard, hasAce, hand.size()), dealer);
        double hitting = 0.0;
        for (int rank = 1; rank <= 10; rank++) {
            double drawn = valueOf(worth(hard + rank, hasAce || rank == 1, hand.size() + 1), dealer);
            hitting += drawn * unseen[rank] / sum(unseen);
        }
        // Without a margin rounding would decide where both are equal.
        return hitting > standing - 1e-9 ? "hit" : "stand";
    }

    // ----------------------------------------------------------------------------------------

    private static Gone goneBefore(Json call) {
        Gone gone = new Gone();
        String memory = call.get("memory").text();
        if (!memory.isEmpty()) {
            String[] numbers = memory.split(" ");
            gone.number = Long.parseLong(numbers[0]);
            for (int rank = 0; rank < DECK.length; rank++) {
                gone.seen[rank] = Long.parseLong(numbers[rank + 1]);
            }
        }
        // Only a bid's call has all of the last round, and by the engine's rules not even that.
        if (!call.get("hand").isNull() || call.get("settings").get("rules").text().equals("engine")) {
            return gone;
        }
        for (Json shown : call.get("shown").items()) {
            for (Json hand : shown.get("hands").items()) {
                for (int rank : handOf(hand)) {
                    gone.number++;
                    gone.seen[rank]++;
                }
            }
        }
        Json dealer = call.get("dealer");
        if (!dealer.isNull()) {
            List<Integer> hand = handOf(dealer);
            hand.add(rankOf(dealer.get("up_card").text()));
            if (!dealer.get("hidden").isNull()) {
                hand.add(rankOf(dealer.get("hidden").text()));
            }
            for (int rank : hand) {
                gone.seen[rank]++;
            }
            // The hidden card is gone even if nobody saw it.
            gone.number += 2 + dealer.get("drawn").items().size();
        }
        long decks = call.get("settings").get("decks").whole();
        while (gone.number >= decks * sum(DECK)) {
            // The shoe has ended in that round, and the rest came from a fresh one.
            gone.number -= decks * sum(DECK);
            for (int rank = 0; rank < DECK.length; rank++) {
                gone.seen[rank] = Math.max(0, gone.seen[rank] - decks * DECK[rank]);
            }
        }
        return gone;
    }

    /** The cards that may come next, by rank. */
    private static long[] unseenCards(Json call, Gone gone) {
        long decks = call.get("settings").get("decks").whole();
        long[] onTable = new long[DECK.length];
        if (!call.get("hand").isNull()) {
            for (int rank : handOf(call.get("hand"))) {
                onTable[rank]++;
            }
            onTable[rankOf(call.get("up_card").text())]++;
        }
        long dealt = 2 * (call.get("points").items().size() + 1);
        if (gone.number + dealt >= decks * sum(DECK)) {
            // This round goes into the next shoe.
            decks *= 2;
        }
        long[] unseen = new long[DECK.length];
        for (int rank = 0; rank < DECK.length; rank++) {
            unseen[rank] = Math.max(0, decks * DECK[rank] - gone.seen[rank] - onTable[rank]);
        }
        return sum(unseen) > 0 ? unseen : DECK;
    }

    private static String answer(Json call) {
        Gone gone = goneBefore(call);
        long[] unseen = unseenCards(call, gone);
        StringBuilder said = new StringBuilder();
        if (!call.get("hand").isNull()) {
            int upCard = rankOf(call.get("up_card").text());
            said.append("{\"action\":\"").append(chooseAction(handOf(call.get("hand")), upCard, unseen)).append('"');
        } else {
            long points = 0;
            for (Json player : call.get("points").items()) {
                if (player.items().get(0).whole() == call.get("id").whole()) {
                    points = player.items().get(1).whole();
                }
            }
            Json settings = call.get("settings");
            long bid = chooseBid(unseen, points, settings.get("min_bid").whole(), settings.get("max_bid").whole());
            said.append("{\"action\":\"bid\",\"points\":").append(bid);
        }
        said.append(",\"memory\":\"").append(gone.number);
        for (long seen : gone.seen) {
            said.append(' ').append(seen);
        }
        return said.append("\"}").toString();
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            if (!line.trim().isEmpty()) {
                System.out.println(answer(Json.read(line)));
                // Otherwise the line may wait in a buffer, and the clock runs.
                System.out.flush();
            }
        }
    }
}
