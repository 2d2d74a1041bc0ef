//! A trait for codecs of byte streams. Its type parameters are the types of the values that are read and written.

use std::io;

use tokio_util::codec::{Decoder, Encoder};

/// A codec that reads values of type `I` from a byte stream and writes values of type `O` to the stream.
pub trait Codec<I, O>:
    Decoder<Item = I, Error = io::Error> + Encoder<O, Error = io::Error>
{
}

impl<F, I, O> Codec<I, O> for F where
    F: Decoder<Item = I, Error = io::Error> + Encoder<O, Error = io::Error>
{
}
