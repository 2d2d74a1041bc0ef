-- | The names that players use from the engine's module for whole games. To
-- play another number of rounds, change it here.
module TwentyOne.Play where

import TwentyOne.Types (PlayerId)

-- | The number of rounds in a game.
roundLimit :: Int
roundLimit = 100

-- | The name under which the engine lists the dealer's hand.
dealerId :: PlayerId
dealerId = "dealer"
