//! The option `--transcript` of commands that run programs.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use turnwise_arena::transcript::Transcripts;

use crate::console::note;

/// The option that records the conversations with programs.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct TranscriptArguments {
    /// Record the programs' input and output in DIR
    #[arg(long, value_name = "DIR")]
    transcript: Option<PathBuf>,
}

impl TranscriptArguments {
    /// Opens the folder, if the user named one.
    pub fn open(&self) -> anyhow::Result<Option<Recording>> {
        let open = |folder: &PathBuf| -> io::Result<_> {
            let folder = std::path::absolute(folder)?;
            let transcripts = Transcripts::open(&folder)?;
            turnwise_outside::record_in(&folder);
            Ok(transcripts)
        };
        let opened = self.transcript.as_ref().map(open).transpose();
        Ok(opened.context("--transcript")?.map(Recording))
    }
}

/// The transcripts of a run. When dropped, reports whether they are incomplete.
pub struct Recording(pub Arc<Transcripts>);

impl Drop for Recording {
    fn drop(&mut self) {
        if let Some(error) = self.0.error() {
            note!("turnwise: the transcripts are incomplete: {error}");
        }
    }
}
