//! Tests pictures of real games. The pictures are decoded with a library that other programs also use.

use std::time::Duration;

use turnwise_engine::fields::Fields;
use turnwise_engine::plugin::{Beginning, Moved};
use turnwise_engine::view::Grid;
use turnwise_games::GAMES;
use turnwise_study::picture::{AnimationError, Scene, gif, svg};

/// Returns the boards of a short game in which a tile is placed, the tile slides, and a second tile is placed. Each
/// board comes with the last move.
fn boards() -> Vec<(Grid, Option<Moved>)> {
    let settled = GAMES[0].by_options(&|name| (name == "size").then(|| "3".to_owned()));
    let mut result = Fields::default();
    result.push("tiles", "ABCABCABC");
    result.push("order_score", 0);
    let settled = settled.expect("it is a size");
    let mut open = settled
        .open(Beginning::Logged(&result))
        .expect("a bag of tiles");
    let mut boards = vec![(open.shown(false).grid, None)];
    for text in ["0 0", "0 0 0 2", "2 1"] {
        let moved = open.follow(text).expect("it can be made");
        boards.push((open.shown(false).grid, Some(moved)));
    }
    boards
}

fn scenes(boards: &[(Grid, Option<Moved>)]) -> Vec<Scene<'_>> {
    let scenes = boards.iter().map(|(grid, last)| Scene {
        grid,
        look: GAMES[0].about().look,
        last: *last,
    });
    scenes.collect()
}

#[test]
fn an_animation_shows_every_position_as_long_as_it_should() {
    let boards = boards();
    let scenes = scenes(&boards);
    let bytes = gif(&scenes, Duration::from_millis(700)).expect("it is drawn");
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(&*bytes).expect("a GIF");
    let (width, mut screen) = (decoder.width() as usize, Vec::new());
    let mut delays = Vec::new();
    let mut pixels = Vec::new();
    while let Some(frame) = decoder.read_next_frame().expect("a frame") {
        delays.push(frame.delay);
        if screen.is_empty() {
            screen = frame.buffer.to_vec();
        }
        let (left, top) = (frame.left as usize, frame.top as usize);
        let row = frame.width as usize * 4;
        for (at, line) in frame.buffer.chunks(row).enumerate() {
            let begin = ((top + at) * width + left) * 4;
            screen[begin..begin + row].copy_from_slice(line);
        }
        // This is the index of a pixel near the corner of the cell in row 0, column 2, just inside the cell's frame.
        let at = ((28 + 5) * width + 28 + 2 * 40 + 5) * 4;
        pixels.push(screen[at..at + 3].to_vec());
    }
    assert_eq!(delays, [70, 70, 70, 280]);
    let paper = vec![255; 3];
    assert_eq!(pixels[..2], [paper.clone(), paper.clone()]);
    assert_ne!(pixels[2], paper, "the tile has slid here");
    assert_eq!(pixels[3], pixels[2]);
}

#[test]
fn nothing_and_boards_of_two_sizes_are_no_animation() {
    let each = Duration::from_secs(1);
    assert!(matches!(gif(&[], each), Err(AnimationError::Empty)));
    let boards = boards();
    let mut scenes = scenes(&boards);
    let other = Grid {
        columns: 5,
        letters: " ".repeat(25),
        ..Grid::default()
    };
    scenes[1].grid = &other;
    assert!(matches!(gif(&scenes, each), Err(AnimationError::Size)));
}

#[test]
fn a_drawing_has_the_tiles_and_the_cell_that_was_left() {
    let boards = boards();
    let scenes = scenes(&boards);
    assert!(!svg(&scenes[0]).contains(">A<"));
    let slid = svg(&scenes[2]);
    assert_eq!(slid.matches(">A<").count(), 1);
    assert_eq!(slid.matches("stroke-width=\"3\"").count(), 1);
    assert_eq!(slid.matches("stroke-width=\"2\"").count(), 1);
}
