//! Codecs of byte streams, named after the types that they read and write.

use std::io;

use tokio_util::codec::{Decoder, Encoder};

/// Reads `I` from a stream and writes `O` to it.
pub trait Codec<I, O>:
    Decoder<Item = I, Error = io::Error> + Encoder<O, Error = io::Error>
{
}

impl<F, I, O> Codec<I, O> for F where
    F: Decoder<Item = I, Error = io::Error> + Encoder<O, Error = io::Error>
{
}
