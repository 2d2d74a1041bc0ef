//! A game with fixed settings, in its type-erased form.

use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use super::in_process::InProcess;
use super::level;
use super::state::Running;
use super::{
    About, AgentOptions, AnyState, Beginning, GameRules, Resources, Seat, UnplayableError,
    UntypedGame,
};
use crate::fields::Fields;
use crate::outside::{FilePlayer, line_player};
use crate::player::Player;

/// A game with fixed settings, for code that does not know the types of the game. Every type that implements
/// [`GameRules`] also implements this trait.
pub trait AnyGame: UntypedGame + Send + Sync {
    /// Returns the public description of the game.
    fn about(&self) -> &'static About;

    /// Returns the settings as the header of a log stores them.
    fn fields(&self) -> Fields;

    /// Loads the data that the named agent needs from files; see [`GameRules::load`].
    fn resources(&self, name: &str, options: &AgentOptions) -> Result<Resources, String>;

    /// Creates a player. Returns an error if the occupant of the seat cannot play this game.
    fn player(&self, seat: Seat) -> io::Result<Box<dyn Player>>;

    /// Creates the state of a game at its beginning. If `beginning` describes no possible position, the error states
    /// the expected form.
    fn open(&self, beginning: Beginning) -> Result<Box<dyn AnyState>, String>;

    /// Returns the game by whose rules logged moves are replayed; `None` if it is this game. A replay allows passes,
    /// because the headers of older logs do not say whether passing was allowed.
    fn replayed(&self) -> Option<Arc<dyn AnyGame>> {
        self.with_passes().map(|(rules, _)| rules)
    }
}

impl<G: GameRules> AnyGame for G {
    fn about(&self) -> &'static About {
        G::ABOUT
    }

    fn fields(&self) -> Fields {
        Fields::of(self)
    }

    fn resources(&self, name: &str, options: &AgentOptions) -> Result<Resources, String> {
        let name = level::agent_name::<G>(name, options);
        Ok(Box::new(self.load(name, options)?))
    }

    fn player(&self, seat: Seat) -> io::Result<Box<dyn Player>> {
        let strange = |what: &str| {
            let title = G::ABOUT.title;
            io::Error::other(format!("{what} does not play {title}"))
        };
        Ok(match seat {
            Seat::Person(_) => return Err(strange("a person without a table")),
            Seat::BuiltIn {
                name,
                options,
                resources,
                nodes,
                seed,
            } => {
                let resources = resources.downcast_ref().ok_or_else(|| strange(name))?;
                let mut options = options.clone();
                options.nodes = level::nodes::<G>(&options);
                options.nodes = options.nodes_within(nodes);
                Box::new(InProcess {
                    agent: level::agent(self, name, resources, &options, seed),
                    nodes: options.nodes,
                    depth: options.depth,
                })
            }
            Seat::Lines { wire, channel } => {
                let lines = G::lines(wire).ok_or_else(|| strange(wire))?;
                line_player(lines, channel)
            }
            Seat::Files { time, channel } => {
                let files = self.files(time).ok_or_else(|| strange("a command"))?;
                Box::new(FilePlayer { files, channel })
            }
        })
    }

    fn open(&self, beginning: Beginning) -> Result<Box<dyn AnyState>, String> {
        Ok(Box::new(Running::new(self, beginning)?))
    }
}

/// A game before its settings are fixed, as an entry in a list of games.
pub trait Registered: Sync {
    /// Returns the public description of the game.
    fn about(&self) -> &'static About;

    /// Creates the game with the settings from command-line options; see [`GameRules::by_options`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`GameRules::by_options`].
    fn by_options(
        &self,
        given: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Arc<dyn AnyGame>, String>;

    /// Creates the game with the settings from the header of a log.
    ///
    /// # Errors
    ///
    /// Returns an error if the settings do not belong to this game or if no game can be played with them.
    fn by_fields(&self, fields: &Fields) -> Result<Arc<dyn AnyGame>, UnplayableError>;

    /// Returns true if [`Registered::by_fields`] reads logs of the game with this name and these settings.
    fn reads(&self, name: &str, _fields: &Fields) -> bool {
        name == self.about().name
    }
}

/// The entry of a game in a list of games.
#[derive(Clone, Copy)]
pub struct Plugin(pub &'static dyn Registered);

impl Plugin {
    /// Creates the entry of the game whose settings have type `G`.
    pub const fn of<G: GameRules>() -> Self {
        Self(&Typed::<G>(PhantomData))
    }
}

impl fmt::Debug for Plugin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Plugin").field(&self.about().name).finish()
    }
}

impl Deref for Plugin {
    type Target = dyn Registered;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

/// The game whose settings have type `G`, before they are fixed.
struct Typed<G>(PhantomData<fn() -> G>);

impl<G: GameRules> Registered for Typed<G> {
    fn about(&self) -> &'static About {
        G::ABOUT
    }

    fn by_options(
        &self,
        given: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Arc<dyn AnyGame>, String> {
        Ok(Arc::new(G::by_options(given)?))
    }

    fn by_fields(&self, fields: &Fields) -> Result<Arc<dyn AnyGame>, UnplayableError> {
        let read = fields.read();
        let game: G = read.map_err(|error| UnplayableError::Malformed(error.to_string()))?;
        game.check()?;
        Ok(Arc::new(game))
    }
}
