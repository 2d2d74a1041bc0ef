//! Stores a run's files on the NATS server. Each run has a bucket in the object store, in which files are named by
//! hash.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use async_nats::jetstream::object_store;
use futures_util::FutureExt;
use tokio::io::AsyncReadExt;
use turnwise_engine::search::Stop;

use crate::attachments::Attachments;
use crate::files::{LARGEST_PACKED, hash};
use crate::server::{Error, PAUSE, Server, refused};

/// The prefix of the names of all runs' buckets.
pub(crate) const BUCKETS: &str = "turnwise-files-";

/// The maximum number of requests for a file.
///
/// A server that has lost its disk receives the file again only after half a minute.
const TRIES: u32 = 120;
const PATIENCE: Duration = Duration::from_secs(120);

/// The number of times that a worker requests a file whose content does not match the expected hash, before it gives
/// up.
const TRIES_OF_OTHERS: u32 = 3;

fn bucket(run: &str) -> String {
    format!("{BUCKETS}{run}")
}

impl Server {
    /// Uploads a run's files if the server does not have them.
    pub(crate) async fn deposit(&self, run: &str, files: &Attachments) -> Result<(), Error> {
        let config = object_store::Config {
            bucket: bucket(run),
            num_replicas: 1,
            ..object_store::Config::default()
        };
        let store = self.context.create_object_store(config).await;
        let store = store.map_err(refused)?;
        for (hash, path) in files.all() {
            if store.info(hash).await.is_ok_and(|info| !info.deleted) {
                continue;
            }
            let packed = std::fs::read(path).map_err(Error::Room)?;
            let put = store.put(hash.as_str(), &mut packed.as_slice()).await;
            put.map_err(refused)?;
        }
        Ok(())
    }

    /// Removes a run's files.
    pub(crate) async fn remove_files(&self, run: &str) {
        let _ = self.context.delete_object_store(bucket(run)).await;
    }

    /// Fetches the file of a run that has this hash as its name. Stops waiting once `stop` is set.
    ///
    /// # Errors
    ///
    /// Returns the reason, as text, if the file does not arrive or its content is wrong.
    pub async fn fetch(&self, run: &str, name: &str, stop: &Stop) -> Result<Vec<u8>, String> {
        let mut why = String::new();
        let mut others = 0;
        for _ in 0..TRIES {
            if stop.stopped() || others == TRIES_OF_OTHERS {
                break;
            }
            // Panics are caught, because the NATS client panics if the server disappears during a transfer.
            let fetched = AssertUnwindSafe(self.fetch_once(run, name)).catch_unwind();
            match tokio::time::timeout(PATIENCE, fetched).await {
                Ok(Ok(Ok(packed))) if hash(&packed) == name => return Ok(packed),
                Ok(Ok(Ok(_other))) => {
                    others += 1;
                    why = "the received content has another hash".to_owned();
                }
                Ok(Ok(Err(reason))) => why = reason,
                Ok(Err(_panic)) => why = "the connection to the server was lost".to_owned(),
                Err(_elapsed) => why = "the server does not send it".to_owned(),
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(format!("cannot fetch the file {name}: {why}"))
    }

    async fn fetch_once(&self, run: &str, name: &str) -> Result<Vec<u8>, String> {
        let words = |error: &dyn ToString| error.to_string();
        let store = self.context.get_object_store(bucket(run)).await;
        let object = store
            .map_err(|error| words(&error))?
            .get(name.to_owned())
            .await;
        let mut object = object
            .map_err(|error| words(&error))?
            .take(LARGEST_PACKED + 1);
        let mut packed = Vec::new();
        let read = object.read_to_end(&mut packed).await;
        read.map_err(|error| words(&error))?;
        if packed.len() as u64 > LARGEST_PACKED {
            return Err("it is too large".to_owned());
        }
        Ok(packed)
    }
}
