//! Runs SeekStorm for the bench, by the commands of asof-bench-engine.

mod indexing;
mod searching;

use std::fs::File;
use std::io::{stderr, stdout};
use std::os::fd::AsFd;

use asof_bench_engine::{Outcome, run};
use searching::Searching;

fn main() -> Outcome<()> {
    let replies = stdout().as_fd().try_clone_to_owned()?;
    // SeekStorm prints messages to standard output, where they would be taken for replies.
    rustix::stdio::dup2_stdout(stderr())?;
    run::<Searching>(File::from(replies))
}
