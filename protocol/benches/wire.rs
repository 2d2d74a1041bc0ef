//! Benchmarks the decoding of each wire, in large reads and byte by byte.
//!
//! `cargo bench --bench wire`

use bytes::BytesMut;
use divan::Bencher;
use divan::counter::BytesCount;
use tokio_util::codec::Decoder;
use turnwise_protocol::entropy::{PlayerCodec, Wire};

fn main() {
    divan::main();
}

/// Messages as a server sends them to Chaos in the middle of a game.
fn traffic(wire: Wire) -> Vec<u8> {
    let message = match wire {
        Wire::Json => "{\"purpose\": \"update\", \"payload\": \"1 0 4 0\\nC\\n\"}",
        Wire::Line => "1 0 4 0\nC\n",
        Wire::Codecup => "BaEa\n3\n",
    };
    message.repeat(1000).into_bytes()
}

fn decode(wire: Wire, traffic: &[u8], piece: usize) -> usize {
    let mut codec = PlayerCodec::new(wire);
    let mut buffer = BytesMut::new();
    let mut messages = 0;
    for bytes in traffic.chunks(piece) {
        buffer.extend_from_slice(bytes);
        while let Some(item) = codec.decode(&mut buffer).expect("memory never fails") {
            divan::black_box(item);
            messages += 1;
        }
    }
    messages
}

#[divan::bench(args = [1, 64, 65536])]
fn json_in_pieces_of(bencher: Bencher, piece: usize) {
    let traffic = traffic(Wire::Json);
    bencher
        .counter(BytesCount::of_slice(&traffic))
        .bench(|| decode(Wire::Json, &traffic, piece));
}

#[divan::bench(args = [1, 64, 65536])]
fn lines_in_pieces_of(bencher: Bencher, piece: usize) {
    let traffic = traffic(Wire::Line);
    bencher
        .counter(BytesCount::of_slice(&traffic))
        .bench(|| decode(Wire::Line, &traffic, piece));
}

#[divan::bench(args = [1, 64, 65536])]
fn codecup_in_pieces_of(bencher: Bencher, piece: usize) {
    let traffic = traffic(Wire::Codecup);
    bencher
        .counter(BytesCount::of_slice(&traffic))
        .bench(|| decode(Wire::Codecup, &traffic, piece));
}
