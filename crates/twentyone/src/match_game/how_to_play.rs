//! The rules of TwentyOne, for newcomers.

use turnwise_engine::plugin::{Rule, RuleExample};

pub(super) static RULES: [Rule; 5] = [
    Rule::plain(
        "Each round, you bid some of your points, and get two cards. The dealer also gets two cards, of which you see \
         one. You win if your hand is worth more than the dealer's, but not more than 21. Whoever has the most points \
         after the last round wins the game.",
    ),
    Rule::plain(
        "Number cards count their number, and king, queen and jack count 10. An ace counts 11, or 1 if the hand would \
         otherwise exceed 21. An ace and a ten as the first two cards are a Combo, which beats all other hands. A Charlie, \
         which is a hand of five cards or more up to 21, beats all hands but a Combo.",
    ),
    Rule {
        words: "After the cards are dealt, you can take a card (hit) or keep the hand (stand). You can also double the bid \
                for exactly one more card, or split two cards of equal rank into two hands, each with the same bid. If the \
                dealer shows an ace, you can insure for half of the bid.",
        example: Some(RuleExample {
            caption: "Left can split the eights into two hands: 16 is a weak hand, but an 8 is a good beginning.",
            options: &[],
            position: "turn Left\nbid 100\ndealer S6\nhand S8 H8\n",
            moves: &[],
        }),
    },
    Rule::plain(
        "The dealer draws to 16 and stands on 17. A hand above 21 loses at once. A won hand pays the bid, a Combo one and a \
         half times the bid; equal hands pay nothing.",
    ),
    Rule::plain(
        "All cards come from one shoe of several decks, which is dealt to its last card. Whoever remembers which cards are \
         gone knows when to bid more.",
    ),
];
