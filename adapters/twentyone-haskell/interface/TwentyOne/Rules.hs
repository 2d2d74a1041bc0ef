-- | The parameters of a game, under the engine's names and with its values.
-- To play with others, change them here.
module TwentyOne.Rules where

import TwentyOne.Types (Points)

numDecks :: Int
numDecks = 3

startingPoints :: Points
startingPoints = 10000

maxBid :: Points
maxBid = 100

minBid :: Points
minBid = 10
