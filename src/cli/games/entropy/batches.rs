//! Plays the games of `turnwise entropy train` on the workers of a cluster.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use turnwise_cluster::build::Build;
use turnwise_cluster::coordinator::{self, Run};
use turnwise_cluster::playing::PlayBatch;
use turnwise_cluster::units::Batches;
use turnwise_entropy::evaluation::by_holes;
use turnwise_entropy::train::batches::Generation;
use turnwise_entropy::train::{Report, Training};
use turnwise_entropy::weights::Weights;

use crate::cli::cluster::{Cluster, build};
use crate::console::output;

/// Prepares a worker to play batches of games for a training that is described by the order.
pub(in crate::cli) fn prepare_batches(
    order: &Value,
    weights: Option<&[u8]>,
) -> Result<Box<PlayBatch>, String> {
    let generation: Generation =
        serde_json::from_value(order.clone()).map_err(|error| error.to_string())?;
    if !generation.can_be_played() {
        return Err(format!("an order that cannot be played: {order}"));
    }
    let size = generation.self_play.size;
    let evaluation = match weights {
        None => by_holes(size),
        Some(bytes) => {
            let weights = Weights::from_bytes(bytes).map_err(|error| error.to_string())?;
            if weights.about.size != size {
                return Err(format!(
                    "weights for {} rows, not {size}",
                    weights.about.size
                ));
            }
            Arc::new(weights.into_evaluation())
        }
    };
    Ok(Box::new(move |batch| generation.play(&evaluation, batch)))
}

/// The workers of a cluster, for playing the games of a training on them.
pub(super) struct Trainers {
    cluster: Cluster,
    build: Build,
    /// True until this process has had a generation of games played.
    is_first: bool,
}

impl Trainers {
    /// Connects to the NATS server at `url`.
    pub fn reach(url: &str) -> anyhow::Result<Self> {
        Ok(Self {
            cluster: Cluster::reach(url)?,
            build: build()?,
            is_first: true,
        })
    }

    /// Lets the workers play the games of the next generation, and learns from the games. `out` is the path of the
    /// weights that the training writes.
    ///
    /// Calls `go_on` periodically with the number of games received so far. Once it returns false, this function
    /// returns `None`, and the training is unchanged.
    pub fn generation(
        &mut self,
        training: &mut Training,
        out: &Path,
        go_on: &dyn Fn(u64) -> bool,
    ) -> anyhow::Result<Option<Report>> {
        let next = training.next();
        let size = next.self_play.size;
        let number = training.generations + 1;
        let title = format!("entropy {size}x{size}, generation {number}");
        let weights = training.played_by().map(|weights| weights.to_bytes());
        let run = Run::of_batches(
            serde_json::to_value(next)?,
            (title, next.batches()),
            weights.as_deref(),
            out,
            self.build.clone(),
        )?;
        let come = Cell::new(0);
        let read = |batch: u32, bytes: &[u8]| {
            let played = next.read(batch, bytes)?;
            come.set(come.get() + played.len() as u64);
            Ok(played)
        };
        let mut batches = Batches::new(next.batches(), &read);
        let is_stopped = || !go_on(come.get());
        let Cluster { runtime, server } = &self.cluster;
        // Workers may still have results that were ordered by an earlier process. These results are valid, but they can
        // exist only for the first generation.
        let is_resumed = std::mem::take(&mut self.is_first);
        let tell: &dyn Fn(&str) = &output::note;
        let played =
            coordinator::conduct(server, &run, is_resumed, &mut batches, &is_stopped, tell);
        runtime.block_on(played)?;
        let played = batches.results();
        Ok(played.map(|played| training.learn(played.flatten().collect())))
    }
}
