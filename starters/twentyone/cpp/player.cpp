// A player of TwentyOne that looks one card ahead. It speaks JSON lines on standard input and output.

#include <algorithm>
#include <array>
#include <cctype>
#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "json.hpp"

// Cards are counted by rank: at 1 the aces, at 2 to 9 the cards of that number, at 10 all that are worth ten.
using Counts = std::array<long, 11>;
constexpr Counts DECK = {0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 16};

// What hands are worth that are no plain total.
constexpr int BUST = 0, CHARLIE = 22, COMBO = 23;
using Chances = std::array<double, COMBO + 1>;

using Hand = std::vector<int>;  // ranks

long sum(const Counts &counts) { return std::accumulate(counts.begin(), counts.end(), 0L); }

int rank_of(const std::string &card) {
    const std::string rank = card.substr(1);
    if (rank == "A") return 1;
    return std::isdigit(static_cast<unsigned char>(rank.at(0))) ? std::stoi(rank) : 10;
}

Hand hand_of(const Json &hand) {
    Hand ranks;
    for (const Json &card : hand["dealt"].items) ranks.push_back(rank_of(card.text));
    for (const Json &card : hand["drawn"].items) ranks.push_back(rank_of(card.text));
    return ranks;
}

// The worth of a hand of so many cards and this total, aces being one: worths compare as hands do.
int worth(int hard, bool has_ace, int cards) {
    const int total = has_ace && hard <= 11 ? hard + 10 : hard;
    if (total > 21) return BUST;
    if (cards == 2 && total == 21) return COMBO;
    return cards >= 5 ? CHARLIE : total;
}

// How likely each worth of the dealer's hand is. The dealer draws to 16.
Chances dealer_chances(int up_card, const Counts &unseen) {
    const double total = sum(unseen);
    Chances chances{};
    // Hands that it draws to, by total and by whether there is an ace in them.
    using OpenHands = std::array<std::array<double, 2>, 17>;
    OpenHands open_hands{};
    open_hands[up_card][up_card == 1] = 1.0;
    for (int cards = 2; cards < 18; ++cards) {
        OpenHands longer_hands{};
        for (int hard = 0; hard < 17; ++hard) {
            for (const bool has_ace : {false, true}) {
                if (open_hands[hard][has_ace] == 0.0) continue;
                for (int rank = 1; rank <= 10; ++rank) {
                    const double chance = open_hands[hard][has_ace] * unseen[rank] / total;
                    const int new_hard = hard + rank;
                    const bool new_ace = has_ace || rank == 1;
                    if (new_hard <= 16 && !(new_ace && 7 <= new_hard && new_hard <= 11)) {
                        longer_hands[new_hard][new_ace] += chance;
                    } else {
                        chances[worth(new_hard, new_ace, cards)] += chance;
                    }
                }
            }
        }
        open_hands = longer_hands;
    }
    return chances;
}

// The chance to win less that to lose, with a hand of this worth.
double value_of(int own, const Chances &dealer) {
    if (own == BUST) return -1.0;
    const double wins = std::accumulate(dealer.begin(), dealer.begin() + own, 0.0);
    return wins - std::accumulate(dealer.begin() + own + 1, dealer.end(), 0.0);
}

// ------------------------------------------------------------------ what to change first

// The smallest bid, and a hundredth of the points while aces and tens are more than usual.
long choose_bid(const Counts &unseen, long points, long least, long most) {
    const bool is_rich = 13 * (unseen[1] + unseen[10]) > 5 * sum(unseen);
    const long bid = is_rich ? points / 100 : least;
    return std::min({std::max(bid, least), most, points});
}

// Another card if the hand is worth as much with it, on average, as without.
std::string choose_action(const Hand &hand, int up_card, const Counts &unseen) {
    const Chances dealer = dealer_chances(up_card, unseen);
    const int hard = std::accumulate(hand.begin(), hand.end(), 0), cards = static_cast<int>(hand.size());
    const bool has_ace = std::count(hand.begin(), hand.end(), 1) > 0;
    const double standing = value_of(worth(hard, has_ace, cards), dealer);
    double hitting = 0.0;
    for (int rank = 1; rank <= 10; ++rank) {
        const double drawn = value_of(worth(hard + rank, has_ace || rank == 1, cards + 1), dealer);
        hitting += drawn * unseen[rank] / sum(unseen);
    }
    // Without a margin rounding would decide where both are equal.
    return hitting > standing - 1e-9 ? "hit" : "stand";
}

// ----------------------------------------------------------------------------------------

// The cards gone before this round: how many, and of each rank those that were seen.
struct Gone {
    long number = 0;
    Counts seen{};
};

Gone gone_before(const Json &call) {
    Gone gone;
    std::istringstream memory(call["memory"].text);
    memory >> gone.number;
    for (long &seen : gone.seen) memory >> seen;
    // Only a bid's call has all of the last round, and by the engine's rules not even that.
    if (!call["hand"].is_null() || call["settings"]["rules"].text == "engine") return gone;
    for (const Json &shown : call["shown"].items) {
        for (const Json &hand : shown["hands"].items) {
            for (const int rank : hand_of(hand)) {
                ++gone.number;
                ++gone.seen[rank];
            }
        }
    }
    const Json &dealer = call["dealer"];
    if (!dealer.is_null()) {
        Hand hand = hand_of(dealer);
        hand.push_back(rank_of(dealer["up_card"].text));
        if (!dealer["hidden"].is_null()) hand.push_back(rank_of(dealer["hidden"].text));
        for (const int rank : hand) ++gone.seen[rank];
        // The hidden card is gone even if nobody saw it.
        gone.number += 2 + static_cast<long>(dealer["drawn"].items.size());
    }
    const long decks = call["settings"]["decks"].whole();
    while (gone.number >= decks * sum(DECK)) {
        // The shoe has ended in that round, and the rest came from a fresh one.
        gone.number -= decks * sum(DECK);
        for (size_t rank = 0; rank < DECK.size(); ++rank) {
            gone.seen[rank] = std::max(0L, gone.seen[rank] - decks * DECK[rank]);
        }
    }
    return gone;
}

// The cards that may come next, by rank.
Counts unseen_cards(const Json &call, const Gone &gone) {
    long decks = call["settings"]["decks"].whole();
    Counts on_table{};
    if (!call["hand"].is_null()) {
        for (const int rank : hand_of(call["hand"])) ++on_table[rank];
        ++on_table[rank_of(call["up_card"].text)];
    }
    const long dealt = 2 * (static_cast<long>(call["points"].items.size()) + 1);
    // This round may go into the next shoe.
    if (gone.number + dealt >= decks * sum(DECK)) decks *= 2;
    Counts unseen{};
    for (size_t rank = 0; rank < DECK.size(); ++rank) {
        unseen[rank] = std::max(0L, decks * DECK[rank] - gone.seen[rank] - on_table[rank]);
    }
    return sum(unseen) > 0 ? unseen : DECK;
}

std::string answer(const Json &call) {
    const Gone gone = gone_before(call);
    const Counts unseen = unseen_cards(call, gone);
    std::ostringstream said;
    if (!call["hand"].is_null()) {
        const std::string action = choose_action(hand_of(call["hand"]), rank_of(call["up_card"].text), unseen);
        said << R"({"action":")" << action << '"';
    } else {
        const Json &settings = call["settings"];
        long points = 0;
        for (const Json &player : call["points"].items) {
            if (player.items.at(0).whole() == call["id"].whole()) points = player.items.at(1).whole();
        }
        const long bid = choose_bid(unseen, points, settings["min_bid"].whole(), settings["max_bid"].whole());
        said << R"({"action":"bid","points":)" << bid;
    }
    said << R"(,"memory":")" << gone.number;
    for (const long seen : gone.seen) said << ' ' << seen;
    said << R"("})";
    return said.str();
}

int main() {
    std::string line;
    while (std::getline(std::cin, line)) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        // endl flushes: otherwise the line waits in a buffer, and the clock runs.
        std::cout << answer(JsonReader(line).read()) << std::endl;
    }
}
