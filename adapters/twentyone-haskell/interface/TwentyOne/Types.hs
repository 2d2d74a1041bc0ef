-- | The types of the course's engine that a player's function uses.
module TwentyOne.Types where

import Cards

type Points = Int

type PlayerId = String

class Identify a where
  getId :: a -> PlayerId

class Pointable a where
  getPoints :: a -> Points

type PlayFunc
  =  Maybe Card        -- the dealer's up-card, except while bids are placed
  -> [PlayerPoints]    -- everyone's points, in seating order
  -> [PlayerInfo]      -- the hands shown last, newest first
  -> PlayerId          -- the player that is asked
  -> Maybe String      -- its memory
  -> Hand              -- its hand
  -> (Action, String)  -- its action and its new memory

data PlayerInfo = PlayerInfo
  { _playerInfoId :: PlayerId, playerInfoHand :: Hand }

instance Identify PlayerInfo where
  getId = _playerInfoId

data PlayerPoints = PlayerPoints
  { _playerPointsId :: PlayerId, _playerPoints :: Points }

instance Identify PlayerPoints where
  getId = _playerPointsId

instance Pointable PlayerPoints where
  getPoints = _playerPoints

-- | An action. All but bids name the points that the player pays.
data Action
  = Bid Points | Hit | Stand | DoubleDown Points | Split Points
  | Insurance Points
  deriving (Show)

-- | Only the points of bids count.
instance Eq Action where
  Bid a == Bid b = a == b
  a == b         = place a == place b

place :: Action -> Int
place action = case action of
  Bid _        -> 0
  Hit          -> 1
  Stand        -> 2
  DoubleDown _ -> 3
  Split _      -> 4
  Insurance _  -> 5

-- | The value of a hand, in ascending order.
data HandValue = Bust | Value Points | Charlie | Combo
  deriving (Eq, Ord)
