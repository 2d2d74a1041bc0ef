//! Implements the type-erased interfaces [`Plugin`] and [`SettledGame`] for every typed game.

use std::io;
use std::marker::PhantomData;
use std::sync::Arc;

use super::in_process::InProcess;
use super::open::Opened;
use super::pair::{PlayerAt, Players, Sitting};
use super::{
    About, AgentOptions, Beginning, MatchGame, OpenGame, Pair, Plugin, Resources, Seat,
    SettledGame, UnplayableError,
};
use crate::fields::Fields;
use crate::outside::{FilePlayer, LinePlayer};

/// The typed game `G` in the form of a [`Plugin`], for the list of all games.
pub struct Erased<G>(pub PhantomData<fn() -> G>);

impl<G: MatchGame> Plugin for Erased<G> {
    fn about(&self) -> &'static About {
        G::ABOUT
    }

    fn by_options(
        &self,
        given: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Arc<dyn SettledGame>, String> {
        Ok(Arc::new(G::by_options(given)?))
    }

    fn by_fields(&self, fields: &Fields) -> Result<Arc<dyn SettledGame>, UnplayableError> {
        let read = fields.read();
        let game: G = read.map_err(|error| UnplayableError::Malformed(error.to_string()))?;
        game.check()?;
        Ok(Arc::new(game))
    }
}

fn sit_down<G: MatchGame>(game: &G, seat: Seat) -> io::Result<Sitting<G::Table>> {
    let strange = |what: &str| {
        let title = G::ABOUT.title;
        io::Error::other(format!("{what} does not play {title}"))
    };
    let player: PlayerAt<G::Table> = match seat {
        Seat::Person(person) => return Ok(Sitting::Person(person)),
        Seat::BuiltIn {
            name,
            options,
            resources,
            nodes,
            seed,
        } => {
            let resources = resources.downcast_ref().ok_or_else(|| strange(name))?;
            let nodes = [options.nodes, nodes].into_iter().flatten().min();
            Box::new(InProcess {
                agent: game.agent(name, resources, nodes, seed),
                nodes,
                depth: options.depth,
            })
        }
        Seat::Lines { wire, channel } => {
            let lines = G::lines(wire).ok_or_else(|| strange(wire))?;
            Box::new(LinePlayer::new(lines, channel))
        }
        Seat::Files { time, channel } => {
            let files = game.files(time).ok_or_else(|| strange("a command"))?;
            Box::new(FilePlayer { files, channel })
        }
    };
    Ok(Sitting::Player(player))
}

impl<G: MatchGame> SettledGame for G {
    fn about(&self) -> &'static About {
        G::ABOUT
    }

    fn fields(&self) -> Fields {
        Fields::of(self)
    }

    fn resources(&self, name: &str, options: &AgentOptions) -> Result<Resources, String> {
        Ok(Box::new(self.load(name, options)?))
    }

    fn pair(
        &self,
        seats: Vec<Seat<'_>>,
        seed: u64,
        meetings: u32,
    ) -> io::Result<Box<dyn Pair + '_>> {
        let most = self.seats();
        if !(2..=most).contains(&seats.len()) {
            let why = format!("expected 2 to {most} players, got {}", seats.len());
            return Err(io::Error::other(why));
        }
        let players = seats.into_iter().map(|seat| sit_down(self, seat));
        let players: Vec<_> = players.collect::<io::Result<_>>()?;
        Ok(Box::new(Players::<G::Table>::new(
            self, seed, meetings, players,
        )))
    }

    fn open(&self, beginning: Beginning) -> Result<Box<dyn OpenGame>, String> {
        Ok(Box::new(Opened::new(self, beginning)?))
    }
}
