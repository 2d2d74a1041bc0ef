//! Runs a conversation on a byte stream: reads messages, sends replies, and lets the agent think meanwhile.
//!
//! The network task does not wait for the search, unless the search is very short. It listens to the stream, the
//! worker, the clock and the signals all at once, so it notices a reset, the end of the stream or SIGTERM during the
//! search.

use std::io;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use rustix::process::Signal;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::codec::Framed;
use tracing::{info, warn};
use turnwise_daemon::shutdown::Shutdown;
use turnwise_daemon::worker::Thinking;
use turnwise_daemon::world::{World, now};
use turnwise_engine::thought::Finished;
use turnwise_entropy::rules::Move;
use turnwise_protocol::entropy::PlayerCodec;

use crate::conversation::seen::Seen;
use crate::conversation::{Agent, Closing, Effect, EntropyConversation};
use crate::heartbeat::Heartbeat;
use crate::waking::Waking;

/// How long a reply may take to get into the system's send buffer before the peer counts as gone.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum duration of a search on the network task itself, which cannot handle signals and resets meanwhile.
const SHORT_THOUGHT: Duration = Duration::from_millis(50);

/// How long a search may continue after the stream has ended, in the case of [`AtEnd::AnswerSoon`].
const ANSWER_SOON: Duration = Duration::from_millis(250);

/// The way in which a connection ended.
#[derive(Debug)]
pub enum Ending {
    /// The conversation closed the connection.
    Closed(Closing),
    /// The peer closed the connection.
    EndOfStream,
    /// Reading from the connection or writing to it failed.
    Failed(io::Error),
    /// A signal asked this process to stop.
    Signal(Signal),
}

/// How the end of the stream affects a running search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtEnd {
    /// The search is abandoned, because the peer is gone and nobody waits for the move.
    Abandon,
    /// The search ends soon, because the peer may still read the answer, as at the other end of a pipe.
    ///
    /// Such a peer may have stopped this process; our clock does not run while the process is stopped.
    AnswerSoon,
}

/// Plays on a stream until it ends.
///
/// If the end cuts a game short, the conversation is informed. The agent has stopped when this function returns.
/// `heartbeat` must have been beating since the stream was opened. `watch` receives the events that the conversation
/// sees, after the resulting reply was sent or the search for it was started; it must not block.
pub async fn drive(
    world: &impl World,
    mut stream: Framed<impl AsyncRead + AsyncWrite + Unpin, PlayerCodec>,
    at_end: AtEnd,
    mut heartbeat: Heartbeat,
    conversation: &mut EntropyConversation,
    shutdown: &mut Shutdown,
    watch: &mut impl FnMut(Seen),
) -> Ending {
    let mut thinking: Option<Pending> = None;
    let mut ended = false;
    let mut waking = Waking::new(world.queued(), now());
    // `None` means that the stream ended.
    let ending = loop {
        if ended && thinking.is_none() {
            break None;
        }
        let reply = thinking.as_ref().and_then(|pending| pending.reply);
        let enough = thinking.as_ref().and_then(|pending| pending.enough);
        let effect = tokio::select! {
            // The branches are checked in this order, so that no message from a peer can delay an action that is due.
            biased;
            signal = shutdown.requested() => break Some(Ending::Signal(signal)),
            finished = finished(&mut thinking) => {
                thinking = None;
                conversation.finished(finished, now())
            }
            () = reached(reply) => {
                let best = thinking.as_mut().and_then(|pending| {
                    pending.reply = None;
                    pending.cancel()
                });
                conversation.overdue(best, now())
            }
            () = reached(enough) => {
                thinking.as_mut().and_then(Pending::cancel);
                None
            }
            () = reached(Some(heartbeat.next())) => {
                heartbeat.beat(now());
                continue;
            }
            item = waking.watch(|| world.queued(), stream.next()), if !ended => match item {
                Some(Ok(item)) => {
                    let now = now();
                    let late = waking.late(world.queued(), now);
                    if waking.take_slept() {
                        conversation.woken(late);
                    }
                    // Since `could_read`, this task only waited for a core. If the process was frozen, the freeze began
                    // even earlier.
                    let could_read = now - late;
                    let arrived = match at_end {
                        AtEnd::Abandon => heartbeat.arrival(now).min(could_read),
                        AtEnd::AnswerSoon => could_read,
                    };
                    if arrived < could_read {
                        let seconds = (now - arrived).as_secs_f64();
                        warn!(
                            seconds,
                            "this process did not run: it was stopped, or its machine slept or was too busy; the \
                             clock may have kept running"
                        );
                    }
                    conversation.receive(item, arrived)
                }
                Some(Err(error)) => break Some(Ending::Failed(error)),
                None => {
                    ended = true;
                    if at_end == AtEnd::AnswerSoon && thinking.is_some() {
                        info!("the input ended; answering at once");
                    }
                    None
                }
            },
        };
        let acting = now();
        let carried_out = tokio::select! {
            biased;
            result = carry_out(world, effect, &mut stream, conversation, &mut thinking, &mut waking) => result,
            signal = shutdown.requested() => Err(Ending::Signal(signal)),
        };
        match carried_out {
            Err(ending) => break Some(ending),
            Ok(Some(sent)) => heartbeat.answered(sent, now()),
            Ok(None) => heartbeat.acted(acting, now()),
        }
        conversation.seen().into_iter().for_each(&mut *watch);
        if ended {
            match (at_end, &mut thinking) {
                (AtEnd::AnswerSoon, Some(pending)) => {
                    // No further question will come: the agent may think a little longer.
                    let soon = || now() + ANSWER_SOON;
                    pending.enough.get_or_insert_with(soon);
                }
                (AtEnd::AnswerSoon, None) => {}
                (AtEnd::Abandon, _) => break None,
            }
        }
        // A peer that floods us with frames must not keep the runtime from timers and signals.
        tokio::task::yield_now().await;
    };
    if let Some(mut pending) = thinking {
        pending.thinking.stop();
        pending.thinking.finished().await;
    }
    let ending = ending.unwrap_or(Ending::EndOfStream);
    conversation.leave(match (&ending, at_end) {
        (Ending::Closed(_), _) => "the session was closed",
        (Ending::Failed(_), _) => "the connection failed",
        (Ending::Signal(_), _) => "a signal requested the end",
        (Ending::EndOfStream, AtEnd::Abandon) => "the server closed the connection",
        (Ending::EndOfStream, AtEnd::AnswerSoon) => "the input ended",
    });
    conversation.seen().into_iter().for_each(watch);
    ending
}

/// A running search, and the time when its answer is due.
struct Pending {
    thinking: Thinking<Agent>,
    reply: Option<Instant>,
    /// When to stop the search because the stream has ended, although the player's clock has time left.
    enough: Option<Instant>,
}

impl Pending {
    /// Asks the agent to stop, and returns the best move so far.
    fn cancel(&mut self) -> Option<Move> {
        self.thinking.stop();
        self.enough = None;
        self.thinking.best()
    }
}

async fn finished(thinking: &mut Option<Pending>) -> Finished<Agent> {
    match thinking {
        Some(pending) => pending.thinking.finished().await,
        None => std::future::pending().await,
    }
}

async fn reached(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant.into()).await,
        None => std::future::pending().await,
    }
}

/// Carries out an effect and its follow-up effects. Returns the time at which a reply was sent, if any.
async fn carry_out(
    world: &impl World,
    mut effect: Option<Effect>,
    stream: &mut Framed<impl AsyncRead + AsyncWrite + Unpin, PlayerCodec>,
    conversation: &mut EntropyConversation,
    thinking: &mut Option<Pending>,
    waking: &mut Waking,
) -> Result<Option<Instant>, Ending> {
    let mut sent = None;
    while let Some(next) = effect.take() {
        match next {
            Effect::Think(task) => {
                let limits = task.limits();
                if task.budget.reply <= now() + SHORT_THOUGHT {
                    let finished = world.think_here(task.agent, &task.position, limits);
                    effect = conversation.finished(finished, now());
                    continue;
                }
                *thinking = Some(Pending {
                    thinking: world.think(task.agent, task.position, limits),
                    reply: Some(task.budget.reply),
                    enough: None,
                });
            }
            Effect::Send(reply) => {
                // Our thinking time ends here: a server that has read the reply may suspend this process before sending
                // returns.
                let (now, queued) = (now(), world.queued());
                match tokio::time::timeout(SEND_TIMEOUT, stream.send(reply)).await {
                    Ok(Ok(())) => {
                        effect = conversation.sent(now);
                        sent = Some(now);
                        waking.answered(queued, now);
                    }
                    Ok(Err(error)) => return Err(Ending::Failed(error)),
                    Err(_late) => return Err(Ending::Failed(io::ErrorKind::TimedOut.into())),
                }
            }
            Effect::StopThinking => {
                thinking.as_mut().and_then(Pending::cancel);
            }
            Effect::Close(closing) => return Err(Ending::Closed(closing)),
        }
    }
    Ok(sent)
}
